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
_AGAIN_SECONDS = (1, 2, 0)
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
        self._arrives_until = 0.0  # it may be set at any time before, by the loop's clock

    def begin(self) -> None:
        if self._delivery.address["thread"]:
            self._setting = asyncio.create_task(self._set())

    async def settled(self) -> None:
        if self._setting is not None:
            await asyncio.wait({self._setting})

    def was_followed(self) -> None:
        """Then Slack has cleared it."""
        self._stands = self._stands and self._may_yet_arrive > 0

    async def stop(self) -> None:
        """It is shown once, and stands until a message follows it."""

    async def end(self) -> None:
        await self.settled()
        if self._stands:
            self._stands = False
            await asyncio.sleep(self._may_yet_arrive)
            await self._clear()

    @property
    def _may_yet_arrive(self) -> float:
        """For so many seconds."""
        return max(self._arrives_until - asyncio.get_running_loop().time(), 0)

    async def _set(self) -> None:
        try:
            await self._say(wording.WORKING, must=False)
        except (NotNow, Superseded):
            return
        except SlackError as error:
            _log.info("No status: %s", error, extra={"action": "slack.no_status"})
            if not error.unknown:
                return
            given_up = asyncio.get_running_loop().time()
            self._arrives_until = given_up + self._delivery.send_ms / 1000
        self._stands = True

    async def _clear(self) -> None:
        """Else it stands for two minutes, and says what is not true."""
        for pause in _AGAIN_SECONDS:
            try:
                await self._say("", must=True)
            except Superseded:
                return
            except SlackError as error:
                _log.info("A status stands: %s", error, extra={"action": "slack.status_stands"})
                if error.permanent:
                    return
                await asyncio.sleep(pause)
            else:
                return

    async def _say(self, status: str, *, must: bool) -> None:
        within_ms = min(self._delivery.send_ms, _STATUS_MS)
        pace = Pace(self._delivery.guard, within_ms, must)
        await self._posts.set_status(self._delivery.address, status, pace)
