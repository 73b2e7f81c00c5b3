"""Accept: is it new; write it down, wake the conversation; only then the platform is told."""

from __future__ import annotations

import asyncio
import json
from dataclasses import dataclass
from typing import Literal

from bot.platform import Inbound
from bot.queue import Queue
from bot.settings import Limits, Timing
from bot.wording import left_out
from memory import inbox
from memory.database import Database
from memory.errors import SaidBeforeForgetError
from memory.inbox import Arrival
from memory.keys import Digests
from memory.messages import user
from memory.text import clean


@dataclass(frozen=True, slots=True)
class Accepted:
    """`repeated` and `forgotten` messages are acknowledged and not stored. `cut` characters of
    a question that was too long were left out."""

    how: Literal["accepted", "repeated", "forgotten"]
    conversation: str | None = None
    cut: int = 0


@dataclass(frozen=True, slots=True)
class Intake:
    database: Database
    queue: Queue
    digests: Digests
    limits: Limits
    timing: Timing

    async def accept(self, inbound: Inbound) -> Accepted:
        """Raise when it could not be written down: then nothing may be acknowledged."""
        text, cut = self._shortened(clean(inbound.text))
        arrival = Arrival(
            place=inbound.place,
            surface=inbound.surface,
            author=inbound.person,
            author_name=clean(inbound.name),
            message_id=inbound.message_id,
            sent_order=inbound.sent_order,
            said_at=inbound.said_at,
            address=json.dumps(dict(inbound.address)),
            message=user(text),
        )
        try:
            async with asyncio.timeout(self.timing.accept / 1000):
                accepted = await self.database.write(
                    lambda tx: inbox.accept(tx, arrival, self.digests)
                )
        except SaidBeforeForgetError:
            return Accepted("forgotten")
        if accepted is None:
            return Accepted("repeated")
        await self.queue.wake(accepted.conversation)
        if accepted.changed:
            await self.queue.interrupt(accepted.conversation)
        return Accepted("accepted", accepted.conversation, cut)

    def _shortened(self, text: str) -> tuple[str, int]:
        most = self.limits.question_characters
        if len(text) <= most:
            return text, 0
        cut = len(text) - most
        return f"{text[:most]}\n\n{left_out(cut)}", cut
