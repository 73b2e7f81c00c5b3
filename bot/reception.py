"""Where every platform brings what it hears: messages, commands, and who came by."""

from __future__ import annotations

from dataclasses import dataclass

from bot import wording
from bot.commands import Caller, Commands
from bot.intake import Intake
from bot.platform import Accepted, Answer, Called, Event
from memory import inbox
from memory.keys import PersonKey


@dataclass(frozen=True, slots=True)
class FrontDesk:
    intake: Intake
    commands: Commands

    @property
    def name(self) -> str:
        return self.commands.name

    async def accept(self, event: Event) -> Accepted:
        return await self.intake.accept(event)

    async def command(self, called: Called, *, confirmed: bool = False) -> Answer:
        caller = Caller(
            person=called.person,
            place=called.place,
            surface=called.surface,
            said_at=called.said_at,
            address=called.address,
        )
        if called.words != "forget":
            return Answer(await self.commands.run(called.words, caller))
        plan = await self.commands.plan_forget(caller)
        if plan is None:
            return Answer(wording.MAY_NOT_FORGET)
        if plan.asks and not confirmed:
            gone = plan.gone
            text = wording.sure_to_forget(gone.conversations, gone.turns, gone.messages)
            return Answer(text, asks=True)
        return Answer(await self.commands.carry_out(plan, caller))

    async def is_news(self, what: str, person: PersonKey) -> bool:
        key = self.intake.digests.told(what, person)
        return await self.intake.database.write(lambda tx: inbox.tell_once(tx, key))
