"""The way back into Slack, also for a process that does not listen there."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import AsyncIterator, Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import Protocol, TypeVar

from slack_sdk.web.async_client import AsyncWebClient
from slack_sdk.web.async_slack_response import AsyncSlackResponse

from adapters.chat.clock import PlatformTime
from adapters.chat.sending import Pace
from adapters.slack.decode import channels_in, people_in, with_names
from adapters.slack.events import PLATFORM, Dm, Installation, Json, Reader, milliseconds
from adapters.slack.paced import paced
from adapters.slack.people import SOMEBODY, Directory
from adapters.slack.posts import Posts
from adapters.slack.rates import Governor
from adapters.slack.reply import SlackReply
from adapters.slack.subscriptions import Subscriptions
from adapters.slack.web import READ_MS, SlackError
from bot.delivery import NOWHERE
from bot.lease import Clock
from bot.platform import Address, Delivery, Inbound, OwnMessage, Reply, Said
from memory.database import wall_clock
from memory.keys import PersonKey, PlaceKey, Surface

_log = logging.getLogger(__name__)
_PAGE = 200
_PAGES = 10  # of a thread that is read back
_LOOK_UPS = 50  # of names, for one turn
_LOOK_UP_SECONDS = 3  # three kinds of them are less than a turn waits
S = TypeVar("S", Said, Inbound)


def _nothing_to_guard() -> None:
    """Whoever calls has looked already."""


_UNGUARDED = Pace(_nothing_to_guard, READ_MS)


@dataclass(frozen=True, slots=True)
class Workspace:
    """One installation, and all that is needed to speak there."""

    us: Installation
    client: AsyncWebClient
    directory: Directory
    reader: Reader
    posts: Posts
    subscriptions: Subscriptions
    surfaces: dict[str, Surface]
    time: PlatformTime

    def learn(self, event: Json) -> None:
        """A message tells what its channel is; the mention beside it will not."""
        self.subscriptions.note(event)
        if "event_ts" in event:
            self.time.note(milliseconds(event["event_ts"]))
        if "channel_type" in event and event.get("channel"):
            self.surfaces[event["channel"]] = self.reader.surface(event)


def furnished(
    us: Installation,
    client: AsyncWebClient,
    clock: Clock,
    *,
    dm: Dm = "flat",
    governor: Governor | None = None,
) -> Workspace:
    surfaces: dict[str, Surface] = {}
    governor = governor or Governor(clock)
    return Workspace(
        us=us,
        client=client,
        directory=Directory(client, governor, clock),
        reader=Reader(us, dm, surfaces),
        posts=Posts(client, us, governor),
        subscriptions=Subscriptions(clock),
        surfaces=surfaces,
        time=PlatformTime(wall_clock),
    )


class SlackOutlet:
    platform = PLATFORM

    def __init__(self, workspaces: Sequence[Workspace]) -> None:
        self._workspaces: Mapping[str, Workspace] = {each.us.workspace: each for each in workspaces}

    def reply(self, delivery: Delivery) -> Reply:
        workspace = self._workspaces.get(delivery.address["workspace"])
        return (
            NOWHERE.reply(delivery) if workspace is None else SlackReply(workspace.posts, delivery)
        )

    async def own_messages(self, address: Address, since: int) -> Sequence[OwnMessage]:
        return await self._at(address).posts.own_messages(address, since)

    async def remove(self, address: Address, remote_id: str) -> None:
        await self._at(address).posts.remove(address, remote_id, _UNGUARDED)

    async def earlier(self, address: Address, after: int, limit: int) -> Sequence[Inbound]:
        if address["thread"] == address["message"]:
            return ()  # the message began the thread
        return await self._read(address, after, limit)

    async def later(
        self, place: PlaceKey, address: Address, after: int, limit: int
    ) -> Sequence[Inbound]:
        where = {"workspace": place.workspace, "channel": place.channel, "thread": place.thread}
        return await self._read({**address, **where, "message": ""}, after, limit)

    async def _read(self, address: Address, after: int, limit: int) -> Sequence[Inbound]:
        workspace = self._at(address)
        surface = await _surface(workspace, address)
        read = {
            message["ts"]: workspace.reader.fetched(message, address["channel"], surface)
            async for message in _messages(workspace, address, after)
            if message["ts"] != address["message"] and milliseconds(message["ts"]) > after
        }
        told = sorted(
            (each for each in read.values() if each is not None), key=lambda each: each.sent_order
        )
        return await in_words(
            workspace, [await _introduced(workspace, each) for each in told[-limit:]]
        )

    async def complete(self, address: Address, said: Sequence[Said]) -> Sequence[Said]:
        workspace = self._at(address)
        nameless = [one.person.user for one in said if not one.name]
        people = await _names(nameless, workspace.directory.person)
        named = [
            replace(one, name=one.name or people.get(one.person.user) or SOMEBODY) for one in said
        ]
        return await in_words(workspace, named)

    async def is_administrator(self, address: Address, person: PersonKey) -> bool:
        workspace = self._at(address)
        profile = await workspace.directory.person(person.user, is_fresh=True)
        return bool(profile.rules & {workspace.us.team, workspace.us.enterprise})

    def _at(self, address: Address) -> Workspace:
        found = self._workspaces.get(address["workspace"])
        if found is None:
            raise SlackError("no token for this workspace", permanent=True)
        return found


async def in_words(workspace: Workspace, said: Sequence[S]) -> list[S]:
    """The same, with names in the texts where they have ids."""
    people = await _names(
        [user for one in said for user in people_in(one.text)], workspace.directory.person
    )
    channels = await _names(
        [channel for one in said for channel in channels_in(one.text)], workspace.directory.channel
    )
    return [replace(one, text=with_names(one.text, people, channels)) for one in said]


class _Named(Protocol):
    @property
    def name(self) -> str: ...


async def _names(ids: Sequence[str], look_up: Callable[[str], Awaitable[_Named]]) -> dict[str, str]:
    """Those that Slack tells in time; a failing look-up costs a name and nothing else."""
    names: dict[str, str] = {}

    async def learn(one: str) -> None:
        try:
            names[one] = (await look_up(one)).name
        except SlackError as error:
            _log.info("No name: %s", error, extra={"action": "slack.no_name"})

    try:
        async with asyncio.timeout(_LOOK_UP_SECONDS), asyncio.TaskGroup() as group:
            for one in list(dict.fromkeys(ids))[:_LOOK_UPS]:
                group.create_task(learn(one))
    except TimeoutError:
        _log.info("No names in time.", extra={"action": "slack.no_name"})
    return names


async def _introduced(workspace: Workspace, said: Inbound) -> Inbound:
    """With what a message that was read back does not tell of its author."""
    if said.author != "member":
        return said
    try:
        profile = await workspace.directory.person(said.person.user)
    except SlackError:
        return said
    return replace(said, name=profile.name, author=profile.kind)


async def _surface(workspace: Workspace, address: Address) -> Surface:
    try:
        return (await workspace.directory.channel(address["channel"])).surface
    except SlackError:
        return "private"


async def _messages(workspace: Workspace, address: Address, after: int) -> AsyncIterator[Json]:
    """What stands in the address's place, a page at a time; the root of a thread always."""
    cursor = ""
    for _ in range(_PAGES):
        method = "conversations.replies" if address["thread"] else "conversations.history"
        page = partial(_page, workspace.client, address, after, cursor)
        response = await paced(workspace.posts.governor, method, address["channel"], page)
        for message in response["messages"]:
            yield message
        cursor = (response.get("response_metadata") or {}).get("next_cursor") or ""
        if not cursor:
            return


def _page(
    client: AsyncWebClient, address: Address, after: int, cursor: str
) -> Awaitable[AsyncSlackResponse]:
    channel, thread, oldest = address["channel"], address["thread"], f"{after / 1000:.6f}"
    if not thread:
        return client.conversations_history(
            channel=channel, oldest=oldest, cursor=cursor, limit=_PAGE, include_all_metadata=True
        )
    return client.conversations_replies(
        channel=channel,
        ts=thread,
        oldest=oldest,
        cursor=cursor,
        limit=_PAGE,
        include_all_metadata=True,
    )
