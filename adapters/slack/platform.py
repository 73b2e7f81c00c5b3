"""Slack as a chat platform: what its sockets bring goes to the core, then it is acknowledged."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import partial

from adapters.slack import files
from adapters.slack.commands import clicked, commanded
from adapters.slack.events import PLATFORM, Json, workspace_of
from adapters.slack.outlet import SlackOutlet, Workspace, in_words
from adapters.slack.socket import After, Socket
from adapters.slack.web import SlackError
from adapters.slack.welcome import welcomed, whisper
from bot.platform import Accepted, Edited, Event, Inbound, Platform, Reception
from memory.database import wall_clock

_log = logging.getLogger(__name__)
_TOLD_AGAIN_MS = 60_000
_LOOK_MS = 400  # what is left of three seconds beside the limit of `accept`


class SlackPlatform(Platform):
    def __init__(
        self,
        outlet: SlackOutlet,
        sockets: Sequence[Socket],
        workspaces: Sequence[Workspace],
        *,
        knows_guests: bool,
    ) -> None:
        self.outlet = outlet
        self._sockets = sockets
        self._workspaces: Mapping[str, Workspace] = {each.us.workspace: each for each in workspaces}
        self._knows_guests = knows_guests

    async def listen(self, reception: Reception) -> None:
        """Until it is cancelled, or Slack refuses each of the tokens for good."""
        async with asyncio.TaskGroup() as group:
            for socket in self._sockets:
                take, connected = partial(self._take, reception), partial(_connected, reception)
                group.create_task(socket.listen(take, connected))

    async def _take(self, reception: Reception, body: Json) -> After | None:
        workspace = self._workspaces.get(workspace_of(body))
        if workspace is None:
            return None
        match body.get("type"):
            case "event_callback":
                return await self._hear(reception, workspace, body)
            case "block_actions":
                return await clicked(reception, workspace, body)
            case _ if "command" in body:
                return await commanded(reception, workspace, body)
        return None

    async def _hear(self, reception: Reception, workspace: Workspace, body: Json) -> After | None:
        workspace.learn(body["event"])
        event = workspace.reader.read(body)
        if event is None:
            return welcomed(reception, workspace, body["event"])
        event = await self._looked_up(workspace, event)
        accepted = await reception.accept(event)
        return _whisper(workspace, event, accepted)

    async def _looked_up(self, workspace: Workspace, event: Event) -> Event:
        """No event tells that its author is a guest; where guests are strangers it is asked, once
        in an hour. Without an answer they are members: a message must not be lost for that.
        The names in an edit are asked now, since no turn may look at it again."""
        said = event.message if isinstance(event, Edited) else event
        if not isinstance(said, Inbound):
            return event
        try:
            async with asyncio.timeout(_LOOK_MS / 1000):
                if isinstance(event, Edited):
                    [said] = await in_words(workspace, [said])
                said = await self._with_kind(workspace, said)
        except (SlackError, TimeoutError) as error:
            _log.warning("Not looked up: %r", error, extra={"action": "slack.not_looked_up"})
        return Edited(said, event.edited_at) if isinstance(event, Edited) else said

    async def _with_kind(self, workspace: Workspace, said: Inbound) -> Inbound:
        if self._knows_guests or said.author != "member":
            return said
        profile = await workspace.directory.person(said.person.user)
        return replace(said, author=profile.kind)


def _connected(reception: Reception, up_at: int) -> None:
    """What could not be told Slack tells again, at once, after a minute and after five: only a
    long silence may have lost something, a minute already an answer that somebody waits for."""
    is_long = wall_clock() - up_at > _TOLD_AGAIN_MS
    reception.connected(PLATFORM, up_at - _TOLD_AGAIN_MS if is_long else None)


def _whisper(workspace: Workspace, event: Event, accepted: Accepted) -> After | None:
    said = event.message if isinstance(event, Edited) else event
    if not accepted.is_told or not isinstance(said, Inbound):
        return None
    return partial(_tell, workspace, said, accepted)


async def _tell(workspace: Workspace, said: Inbound, accepted: Accepted) -> None:
    notice = await accepted.tell()
    if accepted.files is not None:
        notice = await files.send(workspace, said.person.user, notice, accepted.files)
    await whisper(workspace, said.address, notice)
