"""What happens off the answer's path: the window's cut moves, in blocks, and what leaves is summed
up."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Sequence
from dataclasses import dataclass, replace
from types import TracebackType
from typing import Self

from bot import trace
from bot.errors import ModelError
from bot.model import Model, Usage
from bot.summarise import Written, summarise
from memory import history, notes, recall, summary, usage
from memory.database import Database, Transaction
from memory.errors import StorageError
from memory.knowledge import Drawn
from memory.window import StoredTurn, next_cut

_log = logging.getLogger(__name__)

_REBUILT = 40  # turns before the window, of which a summary that was erased is made again
_ASKED = 2  # times a model is asked while the conversation is being changed; then code sums up

_NOTHING = Usage()
_NOBODY = Written("", _NOTHING)


@dataclass(frozen=True, slots=True)
class _Block:
    """What is to be written: where the window begins, and what is told of what is before."""

    to: int
    summary: str | None
    leaving: Sequence[StoredTurn]
    usage: Usage = _NOTHING
    notes: tuple[Drawn, ...] = ()


class AfterWork:
    """One task per conversation. Its failure never touches a turn: the next question leaves old
    turns out for itself. Within its `async with`; what is not done at the end of that is done
    after the next turn. Without a model nothing is summed up, and the cut moves all the same."""

    def __init__(
        self,
        database: Database,
        *,
        budget: int,
        recent_turns: int,
        model: Model | None = None,
        notes: bool = False,
        patience_ms: int = 60_000,
        rest_ms: int = 3_000,
    ) -> None:
        self._database = database
        self._budget = budget
        self._limit = summary.limit_of(budget)
        self._recent_turns = recent_turns
        self._model = model
        self._notes = notes
        self._patience_seconds = patience_ms / 1000
        self._rest_seconds = rest_ms / 1000
        self._tasks: dict[str, asyncio.Task[None]] = {}
        self._again: set[str] = set()

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        where: TracebackType | None,
    ) -> None:
        """Give what runs a moment, then end it."""
        if self._tasks:
            await asyncio.wait(self._tasks.values(), timeout=self._rest_seconds)
        await self.drop()

    async def drop(self) -> None:
        """End what runs, at once."""
        self._again.clear()
        tasks = list(self._tasks.values())
        for task in tasks:
            task.cancel()
        if tasks:
            await asyncio.wait(tasks)

    async def settled(self) -> None:
        """Until nothing runs."""
        while self._tasks:
            await asyncio.wait(self._tasks.values())

    def begin(self, conversation: str) -> None:
        """A turn is over; what runs for its conversation looks once more."""
        if conversation in self._tasks:
            self._again.add(conversation)
            return
        task = asyncio.create_task(self._work(conversation), name=f"after {conversation}")
        self._tasks[conversation] = task
        task.add_done_callback(lambda _: self._ended(conversation))

    def _ended(self, conversation: str) -> None:
        del self._tasks[conversation]
        if conversation in self._again:
            self._again.discard(conversation)
            self.begin(conversation)

    async def _work(self, conversation: str) -> None:
        with trace.bound(conversation=conversation, turn=""):
            try:
                await self._move_cut(conversation)
            except StorageError as error:
                _log.warning("After-work failed: %s", error, extra=_ACTION)
            except Exception:  # noqa: BLE001 - boundary: the after-work, which nobody waits for
                _log.exception("After-work broke.", extra=_ACTION)

    async def _move_cut(self, conversation: str) -> None:
        """Read, sum up, write – and again from what is stored, when it changed meanwhile."""
        tries = 0
        while True:
            sizes = await self._database.read(lambda tx: history.read_sizes(tx, conversation))
            to = self._next(sizes)
            if to == sizes.window_from and not self._lacks_summary(sizes):
                return
            block = await self._sum_up(conversation, sizes, to, asks=tries < _ASKED)
            if await self._write(conversation, block, sizes.revision):
                return
            tries += 1

    def _next(self, sizes: history.Sizes) -> int:
        told = 0 if self._model is None else summary.room_of(self._budget)
        return next_cut(
            sizes.turns,
            sizes.window_from,
            budget=self._budget - told,
            recent_turns=self._recent_turns,
        )

    def _lacks_summary(self, sizes: history.Sizes) -> bool:
        """An erase or an edit took it, or summaries were off."""
        return self._model is not None and sizes.window_from > 1 and sizes.summary is None

    async def _sum_up(
        self, conversation: str, sizes: history.Sizes, to: int, *, asks: bool
    ) -> _Block:
        since = sizes.window_from
        if self._lacks_summary(sizes):
            since = max(1, since - _REBUILT)
        turns = await self._database.read(
            lambda tx: history.read_range(tx, conversation, since, to)
        )
        leaving = [turn for turn in turns if turn.number >= sizes.window_from]
        if self._model is None:
            return _Block(to, None, leaving)  # a summary would lack what leaves now
        old = sizes.summary or ""
        written = await self._ask(self._model, old, turns) if asks else _NOBODY
        text = written.text or summary.extracted(old, turns, self._limit)
        return _Block(to, text, leaving, written.usage, written.notes)

    async def _ask(self, model: Model, old: str, turns: Sequence[StoredTurn]) -> Written:
        """One call, also for notes. What a model cannot do within its time code does."""
        try:
            async with asyncio.timeout(self._patience_seconds):
                written = await summarise(model, old, turns, self._limit, notes=self._notes)
        except (ModelError, TimeoutError) as error:
            _log.warning("No model has summed up: %r", error, extra=_ACTION)
            return _NOBODY
        return replace(written, text=summary.repaired(written.text, old, turns, self._limit))

    async def _write(self, conversation: str, block: _Block, revision: int) -> bool:
        async def work(tx: Transaction) -> bool:
            is_new = await history.move_cut(
                tx, conversation, to=block.to, summary=block.summary, revision=revision
            )
            if is_new:
                await recall.write_terms(tx, conversation, block.leaving)
                await notes.add_drawn(tx, conversation, block.notes)
            if block.usage.tokens:
                await usage.add_to_total(tx, block.usage.tokens)
            return is_new

        return await self._database.write(work)


_ACTION = {"action": "after.failed"}
