"""One turn's answer in Slack: a status while it is worked on, then messages that grow by edits."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Sequence
from types import TracebackType
from typing import Self

from adapters.markup import slack
from adapters.markup.split import Piece
from adapters.slack.parts import Parts
from adapters.slack.posts import UPDATE, NotNow, Pace, Posts
from adapters.slack.ticker import Ticker
from adapters.slack.web import SlackError
from bot import wording
from bot.platform import Delivery, Reply, SentPart
from memory.errors import Superseded

EDIT_SECONDS = 3
_STATUS_MS = 1_500  # a first message waits for it, since Slack clears it with that

_log = logging.getLogger(__name__)


class SlackReply(Reply):
    """The rate decides how much is seen of an answer that is not ready: edits of a first message,
    or only the status. To show anything a later edit is reserved, so that the end never waits for
    somebody else's beginnings.
    """

    def __init__(self, posts: Posts, delivery: Delivery) -> None:
        self._posts = posts
        self._delivery = delivery
        self._parts = Parts(posts, delivery)
        self._status = _Status(posts, delivery)
        self._edits = Ticker(self._edit, EDIT_SECONDS)
        self._wanted = ""
        self._reserved = False
        self._is_refused = False  # there is no point in showing more
        self._failure: SlackError | None = None  # what was sent may arrive at any time

    @property
    def sent(self) -> Sequence[SentPart]:
        return self._parts.sent

    async def __aenter__(self) -> Self:
        if not self._delivery.sent:
            self._status.begin()
        return self

    async def __aexit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        try:
            await self._edits.stop()
        finally:
            self._release()
            await self._status.end()

    async def show(self, text: str) -> None:
        self._raise_failure()
        self._wanted = text
        if self._is_refused:
            return
        if self.sent or not self._edits.is_due:
            self._edits.ask()
            return
        self._edits.began()
        if await self._show():
            self._edits.ask()

    async def finish(self, answer: str) -> Sequence[SentPart]:
        await self._edits.stop()
        self._raise_failure()
        pieces = slack.pieces(answer)
        await self._put(pieces, must=True)
        await self._parts.keep(len(pieces))
        self._release()
        return self.sent

    async def close(self, notice: str) -> None:
        await self._edits.stop()
        await self._parts.close(notice)

    async def _edit(self) -> bool:
        """Show the newest text, on nobody's behalf; whether to do so again."""
        try:
            return await self._show()
        except Superseded:
            return False
        except SlackError as error:
            _log.info("Could not edit: %s", error, extra={"action": "slack.not_edited"})
            return self._failure is None and not self._is_refused

    async def _show(self) -> bool:
        """Show the newest text if the rate allows it; whether it has to be done again."""
        wanted = self._wanted
        self._reserved = self._reserved or self._posts.governor.reserve(UPDATE)
        if not self._reserved:
            return True
        try:
            await self._put(slack.pieces(wanted), must=False)
        except NotNow:
            return True
        except SlackError as error:
            self._is_refused = error.permanent
            self._failure = error if error.unknown else None
            raise
        finally:
            if not self.sent:
                self._release()
        return wanted != self._wanted

    async def _put(self, pieces: Sequence[Piece], *, must: bool) -> None:
        await self._status.settled()
        before = len(self.sent)
        try:
            await self._parts.put(pieces, must=must)
        finally:
            if len(self.sent) > before:
                self._status.was_cleared()

    def _raise_failure(self) -> None:
        if self._failure is not None:
            raise self._failure

    def _release(self) -> None:
        if self._reserved:
            self._posts.governor.release(UPDATE)
            self._reserved = False


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

    def was_cleared(self) -> None:
        """Slack does so when we post."""
        self._stands = self._stands and not self._is_sure

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
