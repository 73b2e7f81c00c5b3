"""Where one answer stands: where the question was asked, or in the thread made from it."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Awaitable, Callable, Sequence

from adapters.chat.sending import FixedError, Pace, Part
from adapters.discord import answers
from adapters.discord.answers import DiscordError
from adapters.discord.guilds import Json
from adapters.discord.posts import Posts
from adapters.discord.titles import title
from bot import wording
from bot.platform import Address

_FIXED = frozenset({answers.UNKNOWN_MESSAGE, answers.MANY_EDITS})
_NOT_THERE = frozenset({answers.UNKNOWN_MESSAGE, answers.UNKNOWN_CHANNEL})
_NO_THREADS = frozenset(
    {
        answers.MISSING_ACCESS,
        answers.MISSING_PERMISSIONS,
        answers.WRONG_CHANNEL,
        answers.MANY_THREADS,
    }
)
_KEPT_SECONDS = 10 * 60  # then a permission may have been given
_MANY = 1_000

_log = logging.getLogger(__name__)


class Chains:
    """Channels in which no thread could be made of late: there answers are replies."""

    def __init__(self) -> None:
        self._until: dict[str, float] = {}

    def add(self, channel: str) -> None:
        now = asyncio.get_running_loop().time()
        if len(self._until) >= _MANY:
            self._until = {each: until for each, until in self._until.items() if until > now}
        self._until[channel] = now + _KEPT_SECONDS

    def __contains__(self, channel: str) -> bool:
        return self._until.get(channel, 0.0) > asyncio.get_running_loop().time()


class Spot:
    """Sends one turn's messages. A thread is made with the first sign of work; a message that an
    earlier worker left is looked for in both places."""

    def __init__(self, posts: Posts, address: Address, chains: Chains) -> None:
        self._posts = posts
        self._address = address
        self._chains = chains
        self._here = ""  # once it is known
        self._opening = asyncio.Lock()

    async def open(self, pace: Pace) -> str:
        """The channel or thread in which the answer is to stand."""
        async with self._opening:
            self._here = self._here or await self._opened(pace)
        return self._here

    async def post(self, part: Part, pace: Pace) -> str | None:
        await self.open(pace)
        try:
            return await self._post(part, pace)
        except DiscordError as error:
            channel = self._address["channel"]
            if error.code != answers.MISSING_PERMISSIONS or self._here == channel:
                raise
            self._chains.add(channel)  # we may make threads there, and not write in them
            self._here = channel
        return await self._post(part, pace)

    async def _post(self, part: Part, pace: Pace) -> str:
        channel, question = self._address["channel"], self._address["message"]
        is_reply = bool(self._address["thread"]) and self._here == channel and part.number == 1
        return await self._posts.post(self._here, part, question if is_reply else "", pace)

    async def update(self, remote_id: str, part: Part, pace: Pace) -> None:
        try:
            await self._wherever(lambda here: self._posts.update(here, remote_id, part, pace))
        except DiscordError as error:
            if error.code not in _FIXED:
                raise
            raise FixedError(str(error), permanent=True, unknown=error.unknown) from error

    async def unmark(self, remote_id: str, pace: Pace) -> None:
        await self._wherever(lambda here: self._posts.unmark(here, remote_id, pace))

    async def remove(self, remote_id: str, pace: Pace) -> None:
        for here in self._places:
            if await self._posts.remove(here, remote_id, pace):
                return

    @property
    def _places(self) -> Sequence[str]:
        return [self._here] if self._here else places(self._address)

    async def _wherever(self, act: Callable[[str], Awaitable[None]]) -> None:
        """Where the message stands; if it stands nowhere, as the last place tells."""
        *others, last = self._places
        for here in others:
            try:
                await act(here)
            except DiscordError as error:
                if error.code not in _NOT_THERE:
                    raise
            else:
                self._here = here
                return
        await act(last)
        self._here = last

    async def _opened(self, pace: Pace) -> str:
        """The thread's id, or the channel's where there can be none."""
        channel, question = self._address["channel"], self._address["message"]
        if self._address["thread"] != "auto" or channel in self._chains:
            return channel
        try:
            asked = await self._question(pace)
            if not asked.get("thread"):
                name = title(asked, self._posts.us) or wording.THREAD
                await self._posts.start_thread(channel, question, name, pace)
        except DiscordError as error:
            if error.code == answers.THREAD_EXISTS:
                return question
            if not error.permanent:
                error.unknown = False  # a thread that was made all the same is met the next time
                raise
            _log.info("No thread: %s", error, extra={"action": "discord.no_thread"})
            if error.code in _NO_THREADS:
                self._chains.add(channel)
            return channel
        return question

    async def _question(self, pace: Pace) -> Json:
        """Nothing of it where it may not be read, which a thread can be made from all the same."""
        try:
            return await self._posts.read(self._address["channel"], self._address["message"], pace)
        except DiscordError as error:
            if error.code != answers.MISSING_PERMISSIONS:
                raise
            return {}


def places(address: Address) -> Sequence[str]:
    """Where an answer may stand. A thread has the id of the question from which it was made."""
    if address["thread"] == "auto":
        return [address["message"], address["channel"]]
    return [address["channel"]]
