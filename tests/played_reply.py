"""One turn's answer on a played platform."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Self

from bot.errors import DeliveryError
from bot.platform import Delivery, SentPart
from tests.played_network import Request

if TYPE_CHECKING:
    from tests.played_platform import PlayedPlatform


class PlayedReply:
    """One turn's answer there: posted once, then edited."""

    def __init__(self, platform: PlayedPlatform, delivery: Delivery) -> None:
        self._platform = platform
        self._delivery = delivery
        self._parts = list(delivery.sent)
        self._texts: dict[str, str] = {}  # what we know to stand there
        self._edited_at = 0
        self._lost = False  # whether a first message went out and nobody knows where to

    @property
    def sent(self) -> Sequence[SentPart]:
        return tuple(self._parts)

    async def __aenter__(self) -> Self:
        self._platform.set_status(*self._where, busy=True)
        return self

    async def __aexit__(self, *_error: object) -> None:
        self._platform.set_status(*self._where, busy=False)

    async def show(self, text: str) -> None:
        text = text[: self._platform.characters]
        now = self._platform.clock()
        if text and (not self._parts or now - self._edited_at >= self._platform.throttle):
            self._edited_at = now
            await self._put(0, SentPart("", len(text)), text)

    async def finish(self, answer: str) -> Sequence[SentPart]:
        size = self._platform.characters
        pieces = [answer[start : start + size] for start in range(0, len(answer), size)]
        for index, piece in enumerate(pieces):
            await self._put(index, SentPart("", index * size + len(piece)), piece)
        await self._remove_from(len(pieces))
        return self.sent

    async def close(self, notice: str) -> None:
        if self._parts:
            await self._put(0, SentPart("", len(notice)), notice)
            await self._remove_from(1)

    async def recorded(self) -> None:
        self._platform.recorded.append(self._delivery.turn)

    async def _put(self, index: int, part: SentPart, text: str) -> None:
        if index < len(self._parts):
            remote_id = self._parts[index].remote_id
            if self._texts.get(remote_id) != text:
                await self._call(Request("edit", *self._where, text, index, remote_id))
        else:
            remote_id = await self._post(Request("post", *self._where, text, index))
            self._parts.append(part)
        self._parts[index] = replace(part, remote_id=remote_id)
        self._texts[remote_id] = text

    async def _post(self, request: Request) -> str:
        if self._lost:
            raise DeliveryError("it may have been sent before", unknown=True)
        self._delivery.guard()
        self._lost = True  # also when we are cancelled while it is on its way
        try:
            remote_id = await self._platform.call(request, give_up_ms=self._delivery.send_ms)
        except DeliveryError as error:
            self._lost = error.unknown
            raise
        self._lost = False
        return remote_id

    async def _remove_from(self, count: int) -> None:
        while len(self._parts) > count:
            remote_id = self._parts[-1].remote_id
            await self._call(Request("remove", *self._where, remote_id=remote_id))
            self._parts.pop()

    async def _call(self, request: Request) -> str:
        self._delivery.guard()
        return await self._platform.call(request, give_up_ms=self._delivery.send_ms)

    @property
    def _where(self) -> tuple[str, str]:
        return self._delivery.address["place"], self._delivery.turn
