"""How an answer is shown in Slack: a status, and messages within the rates."""

from __future__ import annotations

import asyncio
import logging
from dataclasses import dataclass

from adapters.chat.reply import GrowingReply, Manner
from adapters.chat.sending import NotNow, Pace, Part
from adapters.markup import slack
from adapters.slack.posts import UPDATE, Posts
from adapters.slack.rates import Governor
from adapters.slack.web import SlackError
from bot import wording
from bot.platform import Address, Delivery
from memory.errors import Superseded

EDIT_SECONDS = 3
_STATUS_MS = 1_500  # a first message waits for it, since Slack clears it with that

_log = logging.getLogger(__name__)


class SlackReply(GrowingReply):
    """The rate decides how much is seen of an answer that is not ready: edits of a first message,
    or only the status. To show anything a later edit is reserved, so that the end never waits for
    somebody else's beginnings.
    """

    def __init__(self, posts: Posts, delivery: Delivery) -> None:
        super().__init__(
            delivery,
            Manner(slack.pieces, EDIT_SECONDS),
            _Thread(posts, delivery.address),
            _Status(posts, delivery),
            _Room(posts.governor),
        )


@dataclass(frozen=True, slots=True)
class _Thread:
    posts: Posts
    address: Address

    async def post(self, part: Part, pace: Pace) -> str | None:
        return await self.posts.post(self.address, part, pace)

    async def update(self, remote_id: str, part: Part, pace: Pace) -> None:
        await self.posts.update(self.address, remote_id, part, pace)

    async def remove(self, remote_id: str, pace: Pace) -> None:
        await self.posts.remove(self.address, remote_id, pace)


@dataclass(frozen=True, slots=True)
class _Room:
    governor: Governor

    def reserve(self) -> bool:
        return self.governor.reserve(UPDATE)

    def release(self) -> None:
        self.governor.release(UPDATE)


class _Status:
    """ "… is thinking", where Slack can show it; the answer never depends on it."""

    def __init__(self, posts: Posts, delivery: Delivery) -> None:
        self._posts = posts
        self._delivery = delivery
        self._setting: asyncio.Task[None] | None = None
        self._stands = False
        self._is_sure = True  # else it may be set at any time

    def begin(self) -> None:
        if self._delivery.address["thread"]:
            self._setting = asyncio.create_task(self._set())

    async def settled(self) -> None:
        if self._setting is not None:
            await asyncio.wait({self._setting})

    def was_followed(self) -> None:
        """Then Slack has cleared it."""
        self._stands = self._stands and not self._is_sure

    async def stop(self) -> None:
        """It is shown once, and stands until a message follows it."""

    async def end(self) -> None:
        await self.settled()
        if self._stands:
            self._stands = False
            await self._say("", must=True)

    async def _set(self) -> None:
        self._stands = await self._say(wording.WORKING, must=False)

    async def _say(self, status: str, *, must: bool) -> bool:
        """Whether it stands now, or may."""
        within_ms = min(self._delivery.send_ms, _STATUS_MS)
        pace = Pace(self._delivery.guard, within_ms, must)
        try:
            await self._posts.set_status(self._delivery.address, status, pace)
        except (NotNow, Superseded):
            return False
        except SlackError as error:
            _log.info("No status: %s", error, extra={"action": "slack.no_status"})
            self._is_sure = not error.unknown
            return error.unknown
        return True
