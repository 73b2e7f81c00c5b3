"""Where every platform brings what it hears: messages, commands, and who came by."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from bot import commands, wording
from bot.caller import Caller
from bot.commands import Commands
from bot.intake import Intake
from bot.platform import Accepted, Answer, Called, Event
from memory import inbox
from memory.keys import PersonKey, PlaceKey
from memory.turns import find_place


def _nobody(_platform: str, _since: int | None) -> None:
    """Nobody reads what was missed."""


@dataclass(frozen=True, slots=True)
class FrontDesk:
    """`catch_up` takes note of a connection, and from when on there was none."""

    intake: Intake
    commands: Commands
    catch_up: Callable[[str, int | None], None] = _nobody

    def connected(self, platform: str, since: int | None) -> None:
        self.catch_up(platform, since)

    @property
    def name(self) -> str:
        return self.commands.rules.name

    async def accept(self, event: Event) -> Accepted:
        return await self.intake.accept(event)

    async def command(self, called: Called, *, confirmed: bool = False) -> Answer:
        place = await self._place(called)
        if place is None:
            return Answer(wording.nothing_to_stop(called.place.platform), comes_late=True)
        caller = Caller(
            person=called.person,
            place=place,
            surface=called.surface,
            said_at=called.said_at,
            address=called.address,
        )
        match called.words:
            case "forget":
                return await self._forget(caller, confirmed=confirmed)
            case commands.FORGET_ME:
                return await self._forget_me(caller, confirmed=confirmed)
            case words:
                return await self.commands.answer(words, caller)

    async def _forget(self, caller: Caller, *, confirmed: bool) -> Answer:
        forgetting = self.commands.forgetting
        plan = await forgetting.plan(caller)
        if plan.asks and not confirmed:
            return Answer(plan.question, asks=True)
        return Answer(await forgetting.carry_out(plan, caller))

    async def _forget_me(self, caller: Caller, *, confirmed: bool) -> Answer:
        forgetting = self.commands.forgetting
        if not confirmed:
            return Answer((await forgetting.plan_everything(caller)).question, asks=True)
        return Answer(wording.FORGETTING, then=await forgetting.begin(caller))

    async def _place(self, called: Called) -> PlaceKey | None:
        """None: the turn that it means has ended."""
        if not called.turn:
            return called.place
        return await self.intake.database.read(lambda tx: find_place(tx, called.turn))

    async def is_news(self, what: str, person: PersonKey) -> bool:
        key = self.intake.digests.told(what, person)
        return await self.intake.database.write(lambda tx: inbox.tell_once(tx, key))
