"""A turn in this worker's hands: begun, or taken over from a worker that is gone."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from bot.agent import Progress
from bot.delivery import NOWHERE, Courier
from bot.hold import Hold
from bot.lease import Clock
from bot.platform import Delivery, Outlet, SentPart
from bot.settings import Timing
from memory import begin, deliveries, holds, inbox
from memory.database import Database, Transaction
from memory.deliveries import Part
from memory.errors import NothingWaitsError
from memory.keys import Digests, PersonKey, PlaceKey
from memory.turns import Turn


@dataclass(slots=True)
class Run:
    """A turn in this worker's hands."""

    hold: Hold
    courier: Courier
    outlet: Outlet
    payer: str  # the digest under which what is spent is noted
    progress: Progress = field(default_factory=lambda: Progress([]))
    remembers: bool = False  # what an earlier worker stored of it; else the steps are unknown
    answer: str = ""
    follows_forget: bool = False  # the first turn in a place that was forgotten

    @property
    def turn(self) -> Turn:
        return self.hold.turn


class Runs:
    """Begins turns and takes them over, under this worker's name."""

    def __init__(
        self,
        *,
        database: Database,
        outlets: Mapping[str, Outlet],
        digests: Digests,
        worker: str,
        clock: Clock,
        timing: Timing,
    ) -> None:
        self._database = database
        self._outlets = outlets
        self._digests = digests
        self._worker = worker
        self._clock = clock
        self._timing = timing

    async def begin(self, conversation: str) -> Run | None:
        asked_at = self._clock()
        try:
            turn, follows_forget = await self._database.write(
                lambda tx: self._begin_in(tx, conversation)
            )
        except NothingWaitsError:
            return None
        run = self._run(turn, asked_at=asked_at)
        run.follows_forget = follows_forget
        return run

    async def _begin_in(self, tx: Transaction, conversation: str) -> tuple[Turn, bool]:
        turn = await begin.begin(tx, conversation, worker=self._worker, lease=self._timing.lease)
        return turn, await self._follows_forget(tx, turn)

    async def _follows_forget(self, tx: Transaction, turn: Turn) -> bool:
        key = self._digests.place(PlaceKey.parse(turn.place))
        return turn.number == 1 and await inbox.was_forgotten(tx, key)

    async def take_over(self, conversation: str) -> Run | None:
        asked_at = self._clock()

        async def work(tx: Transaction) -> tuple[Turn, list[Part], bool] | None:
            turn = await holds.take_over(
                tx, conversation, worker=self._worker, lease=self._timing.lease
            )
            if turn is None:
                return None
            sent = await deliveries.read_sent(tx, turn.conversation, turn.number)
            return turn, sent, await self._follows_forget(tx, turn)

        taken = await self._database.write(work)
        if taken is None:
            return None
        turn, sent, follows_forget = taken
        run = self._run(turn, asked_at=asked_at, sent=sent)
        run.follows_forget = follows_forget  # its first worker may have died before it had cleaned
        return run

    def _run(self, turn: Turn, *, asked_at: int, sent: Sequence[Part] = ()) -> Run:
        hold = Hold(
            self._database,
            turn,
            timing=self._timing,
            clock=self._clock,
            asked_at=asked_at,
            may_begin_anew=lambda: not run.courier.has_shown and not run.progress.steps,
        )
        delivery = Delivery(
            turn=turn.id,
            address=json.loads(turn.address),
            guard=hold.lease.guard,
            send_ms=self._timing.send,
            sent=tuple(SentPart(part.remote_id, part.ends_at) for part in sent),
        )
        outlet = self._outlets.get(PlaceKey.parse(turn.place).platform, NOWHERE)
        courier = Courier(
            outlet,
            delivery,
            timing=self._timing,
            clock=self._clock,
            started_at=turn.started_at,
            taken_over=turn.attempts > 1,
        )
        run = Run(hold, courier, outlet, self._digests.payer(PersonKey.parse(turn.asker)))
        return run
