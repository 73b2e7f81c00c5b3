"""What is past the window goes: by hand, and once a day beside the work of any process."""

from __future__ import annotations

from uuid import uuid4

from bot.erasure import Erasure
from bot.main import assemble
from bot.queue import LocalQueue
from bot.recovery import Recovery
from bot.retention import Retention
from bot.settings import Settings, Timing
from memory.database import Database


async def tidy(
    settings: Settings, database: Database, erasure: Erasure, *, by_hand: bool = False
) -> int:
    """Delete what is past the window; how many conversations went.

    Also where a chat died and nobody came back: its question is ended first, by a sentence that
    nobody sees.
    """
    retention = Retention(database, erasure)
    overdue = await Recovery(database, LocalQueue(), Timing()).find()
    if due := [each for each in overdue if await retention.is_due(each)]:
        worker = f"cli:{uuid4().hex}"
        async with assemble(settings, database, worker=worker, outlets=()) as parts:
            for conversation in due:
                await parts.turns.answer(conversation)
    return await (retention.purge() if by_hand else retention.purge_daily())
