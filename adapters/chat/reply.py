"""One turn's answer: a sign while it is worked on, then messages that grow by edits."""

from __future__ import annotations

import logging
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from types import TracebackType
from typing import Protocol, Self

from adapters.chat.parts import Parts
from adapters.chat.sending import NotNow, Sender
from adapters.chat.ticker import Ticker
from adapters.markup.split import Piece
from bot.errors import DeliveryError
from bot.platform import Delivery, Reply, SentPart
from memory.errors import Superseded

_log = logging.getLogger(__name__)


class Busy(Protocol):
    """A platform's sign that an answer is being worked on; the answer never depends on it."""

    def begin(self) -> None: ...

    async def settled(self) -> None:
        """What we began has arrived, so that a message may follow it."""
        ...

    async def stop(self) -> None:
        """The last message comes now."""
        ...

    def was_followed(self) -> None:
        """A message of ours has arrived."""
        ...

    async def end(self) -> None: ...


class Room(Protocol):
    """Whether an answer may be shown before it is ready: only if its end can be sent, too."""

    def reserve(self) -> bool: ...

    def release(self) -> None: ...


@dataclass(frozen=True, slots=True)
class Manner:
    """How a platform shows an answer: cut into pieces, and with an edit every so many seconds."""

    pieces: Callable[[str], Sequence[Piece]]
    every: float


class GrowingReply(Reply):
    """The same on every platform. What is shown is for nobody's sake: a failure loses a view, and
    only a first message, or one whose fate is unknown, is told to the courier."""

    def __init__(
        self, delivery: Delivery, manner: Manner, sender: Sender, busy: Busy, room: Room
    ) -> None:
        self._delivery = delivery
        self._manner = manner
        self._parts = Parts(sender, delivery)
        self._busy = busy
        self._room = room
        self._edits = Ticker(self._edit, manner.every)
        self._wanted = ""
        self._reserved = False
        self._is_refused = False  # there is no point in showing more
        self._failure: DeliveryError | None = None  # what was sent may arrive at any time

    @property
    def sent(self) -> Sequence[SentPart]:
        return self._parts.sent

    async def __aenter__(self) -> Self:
        if not self._delivery.sent:
            self._busy.begin()
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
            await self._busy.end()

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
        await self._busy.stop()
        pieces = self._manner.pieces(answer)
        await self._put(pieces, must=True)
        await self._parts.keep(len(pieces))
        self._release()
        return self.sent

    async def close(self, notice: str) -> None:
        await self._edits.stop()
        await self._parts.close(notice)

    async def recorded(self) -> None:
        """What marks a message is seen by nobody, and stays."""

    async def _edit(self) -> bool:
        """Show the newest text, on nobody's behalf; whether to do so again."""
        try:
            return await self._show()
        except Superseded:
            return False
        except DeliveryError as error:
            _log.info("Could not edit: %s", error, extra={"action": "delivery.not_edited"})
            return self._failure is None and not self._is_refused

    async def _show(self) -> bool:
        """Show the newest text if the rate allows it; whether it has to be done again."""
        wanted = self._wanted
        self._reserved = self._reserved or self._room.reserve()
        if not self._reserved:
            return True
        try:
            await self._put(self._manner.pieces(wanted), must=False)
        except NotNow:
            return True
        except DeliveryError as error:
            self._is_refused = error.permanent
            self._failure = error if error.unknown else None
            raise
        finally:
            if not self.sent:
                self._release()
        return wanted != self._wanted

    async def _put(self, pieces: Sequence[Piece], *, must: bool) -> None:
        await self._busy.settled()
        before = len(self.sent)
        try:
            await self._parts.put(pieces, must=must)
        finally:
            if len(self.sent) > before:
                self._busy.was_followed()

    def _raise_failure(self) -> None:
        if self._failure is not None:
            raise self._failure

    def _release(self) -> None:
        if self._reserved:
            self._room.release()
            self._reserved = False
