"""An answer's parts, sent once; what a crash left behind is adopted."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Awaitable, Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from types import TracebackType
from typing import Self, TypeVar

from bot.errors import DeliveryError
from bot.lease import Clock
from bot.platform import Address, Delivery, Inbound, Outlet, OwnMessage, Reply, Said, SentPart
from bot.settings import Timing
from memory.keys import PersonKey, PlaceKey

T = TypeVar("T")

_log = logging.getLogger(__name__)
_LONGEST_PAUSE = 30_000  # ms
_CLOCKS_DIFFER = 60_000  # ms; a turn starts by the database's clock, a message by the platform's


class Courier:
    """Carries one turn's answer to its platform.

    A first message is never sent twice: while one may stand there that we do not know of (after
    a take-over, after a send without an answer), the platform is asked first, and no earlier
    than one send time-out later, since a dead process's request may still land.
    """

    def __init__(
        self,
        outlet: Outlet,
        delivery: Delivery,
        *,
        timing: Timing,
        clock: Clock,
        started_at: int,
        taken_over: bool,
    ) -> None:
        self._outlet = outlet
        self._delivery = delivery
        self._timing = timing
        self._clock = clock
        self._started_at = started_at
        self._doubted_at = clock() if taken_over else None
        self._reply: Reply | None = None

    async def __aenter__(self) -> Self:
        await self._open(self._delivery.sent)
        return self

    async def __aexit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        at: TracebackType | None,
    ) -> None:
        await self._leave()

    @property
    def sent(self) -> Sequence[SentPart]:
        """The parts that are known to stand on the platform."""
        return self._reply.sent if self._reply else ()

    @property
    def has_shown(self) -> bool:
        """Whether a person may have seen something."""
        return bool(self.sent) or self._doubted_at is not None

    async def show(self, text: str) -> None:
        """Show the text so far; provisional, so that a failing platform loses only this view."""
        if self._doubt_left() > 0:
            return
        try:
            reply = await self._settled()
            with self._doubting():
                await reply.show(text)
        except DeliveryError as error:
            _log.info("Could not show: %s", error, extra={"action": "delivery.not_shown"})

    async def deliver(self, answer: str) -> Sequence[SentPart]:
        """Send the answer, however long the platform fails, up to the limit.

        Raise DeliveryError when it refuses for good or the time is up.
        """
        return await self._insist(lambda reply: reply.finish(answer))

    async def close(self, notice: str) -> None:
        """Put a short line in place of what was shown; its question is gone. While the platform
        fails it is tried again, as long as the lease allows it: raise Superseded."""
        try:
            await self._insist(lambda reply: reply.close(notice))
        except DeliveryError as error:
            _log.warning("Could not close: %s", error, extra={"action": "delivery.not_closed"})

    async def recorded(self) -> None:
        """Nothing more has to be found on the platform."""
        if self._reply is not None:
            await self._reply.recorded()

    async def remove_orphans(self, is_known: Callable[[str], Awaitable[bool]]) -> None:
        """Delete what was shown of turns that a forget took away while their worker was dead."""
        try:
            for message in await self._own_messages(since=0):
                if not await is_known(message.turn):
                    self._delivery.guard()
                    await self._outlet.remove(self._delivery.address, message.remote_id)
        except DeliveryError as error:
            _log.warning("Could not remove: %s", error, extra={"action": "delivery.not_removed"})

    async def _insist(self, send: Callable[[Reply], Awaitable[T]]) -> T:
        give_up_at = self._clock() + self._timing.give_up
        for pause in _pauses(self._timing.pause):
            try:
                reply = await self._settled()
                with self._doubting():
                    return await send(reply)
            except DeliveryError as error:
                if error.permanent or self._clock() + pause > give_up_at:
                    raise
                _log.warning("Will send again: %s", error, extra={"action": "delivery.again"})
            await asyncio.sleep(pause / 1000)
        raise AssertionError  # pragma: no cover - the pauses have no end

    def abandon(self) -> None:
        """The turn is somebody else's: touch nothing on the platform, not even a status."""
        self._reply = None

    def _doubt_left(self) -> int:
        if self._doubted_at is None:
            return 0
        return self._doubted_at + self._timing.send - self._clock()

    async def _settled(self) -> Reply:
        """The reply, once it is known what stands on the platform."""
        if self._doubted_at is not None:
            if self._doubt_left() > 0:
                await asyncio.sleep(self._doubt_left() / 1000)
            self._delivery.guard()  # nobody asks for ever what stands there
            own = await self._own_messages(since=self._started_at - _CLOCKS_DIFFER)
            self._delivery.guard()  # opening shows a status, and may do so only for its own turn
            mine = [
                SentPart(message.remote_id)
                for message in own
                if message.turn == self._delivery.turn
            ]
            await self._leave()
            await self._open(mine)
            self._doubted_at = None
        assert self._reply is not None  # noqa: S101 - open from __aenter__ to __aexit__
        return self._reply

    async def _own_messages(self, *, since: int) -> Sequence[OwnMessage]:
        try:
            async with asyncio.timeout(self._timing.send / 1000):
                return await self._outlet.own_messages(self._delivery.address, since)
        except TimeoutError as error:
            raise DeliveryError("the platform did not say what stands there") from error

    @contextmanager
    def _doubting(self) -> Iterator[None]:
        """A send without an answer, or one that was cancelled, may have arrived all the same."""
        try:
            yield
        except (DeliveryError, asyncio.CancelledError) as error:
            if not isinstance(error, DeliveryError) or error.unknown:
                self._doubted_at = self._clock()
            raise

    async def _open(self, sent: Sequence[SentPart]) -> None:
        reply = self._outlet.reply(replace(self._delivery, sent=tuple(sent)))
        self._reply = await reply.__aenter__()

    async def _leave(self) -> None:
        reply, self._reply = self._reply, None
        if reply is not None:
            await reply.__aexit__(None, None, None)


class _Nowhere:
    """Where answers go whose platform this process does not serve: they fail for good."""

    platform = ""

    def reply(self, delivery: Delivery) -> Reply:
        return _NoReply(delivery.sent)

    async def own_messages(self, _address: Address, _since: int) -> Sequence[OwnMessage]:
        return ()

    async def remove(self, _address: Address, _remote_id: str) -> None:
        """Nothing stands here."""

    async def earlier(self, _address: Address, _after: int, _limit: int) -> Sequence[Inbound]:
        return ()

    async def later(
        self, _place: PlaceKey, _address: Address, _after: int, _limit: int
    ) -> Sequence[Inbound]:
        return ()

    async def complete(self, _address: Address, said: Sequence[Said]) -> Sequence[Said]:
        return said

    async def is_administrator(self, _address: Address, _person: PersonKey) -> bool:
        return False


class _NoReply(Reply):
    def __init__(self, sent: Sequence[SentPart]) -> None:
        self._sent = sent

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        at: TracebackType | None,
    ) -> None:
        """Nothing is shown here."""

    async def show(self, _text: str) -> None:
        """Nobody would see it."""

    async def finish(self, _answer: str) -> Sequence[SentPart]:
        raise DeliveryError("this process does not serve the platform", permanent=True)

    async def close(self, _notice: str) -> None:
        """Nothing is shown here."""

    async def recorded(self) -> None:
        """Nothing stands here."""

    @property
    def sent(self) -> Sequence[SentPart]:
        return self._sent


NOWHERE: Outlet = _Nowhere()


def _pauses(pause: int) -> Iterator[int]:
    """Milliseconds between two tries: growing, for as long as somebody asks."""
    while True:
        yield pause
        pause = min(2 * pause, _LONGEST_PAUSE)
