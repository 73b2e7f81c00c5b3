"""The messages of one answer, as they are known to stand on the platform."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from adapters.chat.sending import FixedError, NotNow, Pace, Part, Sender
from adapters.markup.split import Piece
from bot.errors import DeliveryError
from bot.platform import Delivery, SentPart
from memory.errors import Superseded


class Parts:
    def __init__(self, sender: Sender, delivery: Delivery) -> None:
        self._sender = sender
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
            await self._sender.remove(self._sent[-1].remote_id, pace)
            self._sent.pop()
            self._texts.pop()

    async def close(self, notice: str) -> None:
        """Put this in place of all that stands; where nothing stands any more, nothing."""
        pace = Pace(self._delivery.guard, self._delivery.send_ms)
        stands = bool(self._sent) and await self._changed(0, notice, pace, ends=True)
        await self.keep(int(stands))

    async def _put(self, index: int, piece: Piece, pace: Pace) -> None:
        if index < len(self._sent) and not await self._changed(index, piece.text, pace):
            await self.keep(index)  # what follows would stand before it
            self._edition += 1  # or the platform might take it for the one that is gone
        if index == len(self._sent):
            remote_id = await self._post(index, piece.text, pace)
            self._sent.append(SentPart(remote_id))
            self._texts.append(piece.text)
        self._sent[index] = replace(self._sent[index], ends_at=piece.ends_at)

    async def _changed(self, index: int, text: str, pace: Pace, *, ends: bool = False) -> bool:
        """Let the message have this text; False when that cannot be."""
        if self._texts[index] == text:
            return True
        self._texts[index] = None  # whatever comes of it
        part = replace(self._part(index, text), ends=ends)
        try:
            await self._sender.update(self._sent[index].remote_id, part, pace)
        except FixedError:
            if not pace.must:
                raise
            return False
        self._texts[index] = text
        return True

    async def _post(self, index: int, text: str, pace: Pace) -> str:
        if self._lost:
            raise DeliveryError("it may have been sent before", unknown=True)
        self._lost = True  # also when we are cancelled while it is on its way
        try:
            remote_id = await self._sender.post(self._part(index, text), pace)
        except DeliveryError as error:
            self._lost = error.unknown
            raise
        except (NotNow, Superseded):
            self._lost = False
            raise
        self._lost = False
        if remote_id is not None:
            return remote_id
        self._edition += 1
        return await self._post(index, text, pace)

    def _part(self, index: int, text: str) -> Part:
        return Part(self._delivery.turn, index + 1, text, self._edition)
