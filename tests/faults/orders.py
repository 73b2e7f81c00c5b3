"""What people order by a word."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from dataclasses import dataclass

from bot.main import Parts
from bot.platform import Accepted
from memory.keys import PersonKey, PlaceKey
from tests.faults.facts import Facts, Forgetting
from tests.faults.telling import Telling
from tests.faults.venue import Order, Venue
from tests.faults.virtual import VirtualLoop
from tests.faults.watch import DOING
from tests.faults.withdrawn import Withdrawal

GOES_ON = "I go on until I find nothing more"


@dataclass(slots=True)
class Orders:
    loop: VirtualLoop
    facts: Facts
    venue: Venue
    telling: Telling

    async def stop(self, place: PlaceKey, person: PersonKey) -> None:
        self.facts.stops.append((str(place), self.loop.milliseconds()))
        await self._command("stop", place, person)

    async def start_anew(self, place: PlaceKey, person: PersonKey) -> None:
        self.facts.anew.append(str(place))
        await self._command("new", place, person)

    async def forget(self, place: PlaceKey, person: PersonKey) -> None:
        """Who may forget all; if they are told that it may not be, or not all of it, they say so
        again."""
        is_done = False
        while not is_done:
            forgetting, asked = self._forgetting(place), self._asked_in_vain()
            await self._command("forget", place, person)
            forgetting.acknowledged = True
            is_done = asked == self._asked_in_vain()
            if not is_done and forgetting.committed is None:
                self.facts.forgettings.remove(forgetting)

    async def forget_mine(self, place: PlaceKey, person: PersonKey) -> None:
        """Who may not forget what others said."""
        await self._withdraw("forget", str(place), place, person)

    async def forget_me(self, place: PlaceKey, person: PersonKey) -> None:
        await self._withdraw("forget me", "", place, person)

    async def _withdraw(self, word: str, where: str, place: PlaceKey, person: PersonKey) -> None:
        withdrawal = Withdrawal(str(person), where, self.loop.milliseconds())
        self.facts.withdrawals.append(withdrawal)
        DOING.set(withdrawal)
        order = await self.venue.command(word, place, person)
        await self.telling.hand_over(lambda worker: self._begin(order, worker.parts, withdrawal))
        withdrawal.acknowledged = True

    async def _begin(self, order: Order, parts: Parts, withdrawal: Withdrawal) -> None:
        told = await order(parts)
        if isinstance(told, Accepted) and told.then is not None:
            asyncio.get_running_loop().create_task(self._hear(told.then, withdrawal))

    async def _hear(self, then: Callable[[], Awaitable[str]], withdrawal: Withdrawal) -> None:
        if GOES_ON not in await then() and withdrawal.done_at is None:
            self.facts.object_to("a `forget me` was confirmed before it was done")

    def _forgetting(self, place: PlaceKey) -> Forgetting:
        forgetting = Forgetting(str(place), self.loop.milliseconds())
        self.facts.forgettings.append(forgetting)
        DOING.set(forgetting)
        return forgetting

    def _asked_in_vain(self) -> int:
        """Until now: a platform that does not say who administers it lets nobody forget all."""
        return sum(point.kind in ("find", "ask") for point, _ in self.facts.struck)

    async def _command(self, word: str, place: PlaceKey, person: PersonKey) -> None:
        order = await self.venue.command(word, place, person)
        await self.telling.hand_over(lambda worker: order(worker.parts))
