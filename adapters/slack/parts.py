"""The messages of one answer, as they are known to stand in Slack."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from adapters.markup.split import Piece
from adapters.slack.posts import NotNow, Pace, Part, Posts
from adapters.slack.web import SlackError
from bot.platform import Delivery, SentPart
from memory.errors import Superseded

_FIXED = frozenset({"cant_update_message", "edit_window_closed", "message_not_found"})


class Parts:
    def __init__(self, posts: Posts, delivery: Delivery) -> None:
        self._posts = posts
        self._delivery = delivery
        self._sent = list(delivery.sent)
        self._texts: list[str | None] = [None] * len(self._sent)
        self._edition = 0
        self._lost = False  # whether a post went out and nobody knows where to

    @property
    def sent(self) -> Sequence[SentPart]:
        return tuple(self._sent)

    async def put(self, pieces: Sequence[Piece], *, must: bool) -> None:
        """Let the first messages be these."""
        pace = Pace(self._delivery.guard, self._delivery.send_ms, must)
        for index, piece in enumerate(pieces):
            await self._put(index, piece, pace)

    async def keep(self, count: int) -> None:
        """Remove all but the first messages."""
        pace = Pace(self._delivery.guard, self._delivery.send_ms)
        while len(self._sent) > count:
            await self._posts.remove(self._delivery.address, self._sent[-1].remote_id, pace)
            self._sent.pop()
            self._texts.pop()

    async def close(self, notice: str) -> None:
        """Put this in place of all that stands; where nothing stands any more, nothing."""
        pace = Pace(self._delivery.guard, self._delivery.send_ms)
        stands = bool(self._sent) and await self._changed(0, notice, pace)
        await self.keep(int(stands))

    async def _put(self, index: int, piece: Piece, pace: Pace) -> None:
        if index < len(self._sent) and not await self._changed(index, piece.text, pace):
            await self.keep(index)  # what follows would stand before it
        if index == len(self._sent):
            ts = await self._post(index, piece.text, pace)
            self._sent.append(SentPart(ts))
            self._texts.append(piece.text)
        self._sent[index] = replace(self._sent[index], ends_at=piece.ends_at)

    async def _changed(self, index: int, text: str, pace: Pace) -> bool:
        """Let the message have this text; False when it is gone, or cannot be edited any more."""
        if self._texts[index] == text:
            return True
        self._texts[index] = None  # whatever comes of it
        part = self._part(index, text)
        try:
            await self._posts.update(
                self._delivery.address, self._sent[index].remote_id, part, pace
            )
        except SlackError as error:
            if error.code not in _FIXED or not pace.must:
                raise
            return False
        self._texts[index] = text
        return True

    async def _post(self, index: int, text: str, pace: Pace) -> str:
        if self._lost:
            raise SlackError("it may have been sent before", unknown=True)
        self._lost = True  # also when we are cancelled while it is on its way
        try:
            ts = await self._posts.post(self._delivery.address, self._part(index, text), pace)
        except SlackError as error:
            self._lost = error.unknown
            if error.code != "duplicate_message_not_found":
                raise
        except (NotNow, Superseded):
            self._lost = False
            raise
        else:
            self._lost = False
            return ts
        self._edition += 1  # a message of ours had this key, and was deleted
        return await self._post(index, text, pace)

    def _part(self, index: int, text: str) -> Part:
        return Part(self._delivery.turn, index + 1, text, self._edition)
