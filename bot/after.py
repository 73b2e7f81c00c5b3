"""What happens off the answer's path: the window's cut moves, in blocks, and is stored."""

from __future__ import annotations

import logging

from memory import history, recall
from memory.database import Database, Transaction
from memory.errors import StorageError
from memory.window import next_cut

_log = logging.getLogger(__name__)


class AfterWork:
    """Its failure never touches a turn: the next question leaves old turns out for itself."""

    def __init__(self, database: Database, *, budget: int, recent_turns: int) -> None:
        self._database = database
        self._budget = budget
        self._recent_turns = recent_turns

    async def work(self, conversation: str) -> None:
        try:
            await self._move_cut(conversation)
        except StorageError as error:
            _log.warning("After-work failed: %s", error, extra={"action": "after.failed"})

    async def _move_cut(self, conversation: str) -> None:
        """Read, choose, write – and again from what is stored, when it changed meanwhile."""
        moved = False
        while not moved:
            window = await self._database.read(lambda tx: history.read_sizes(tx, conversation))
            cut = next_cut(
                window.turns,
                window.window_from,
                budget=self._budget,
                recent_turns=self._recent_turns,
            )
            moved = cut == window.window_from or await self._write(conversation, cut, window)

    async def _write(self, conversation: str, cut: int, window: history.Sizes) -> bool:
        """The cut, and by which terms the turns before it are found again."""
        leaving = await self._database.read(
            lambda tx: history.read_range(tx, conversation, window.window_from, cut)
        )

        async def work(tx: Transaction) -> bool:
            moved = await history.move_cut(tx, conversation, to=cut, revision=window.revision)
            if moved:
                await recall.write_terms(tx, conversation, leaving)
            return moved

        return await self._database.write(work)
