"""The seam to whoever wakes workers, and the one in this process.

The queue itself is the waiting messages; this is only the bell. A ring that is lost, doubled or
late does no harm: the sweep rings again for whatever waits.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Awaitable, Callable
from typing import Protocol

from memory.errors import StorageError

Answer = Callable[[str], Awaitable[None]]
Interrupted = Callable[[str], None]
Failed = Callable[[str, Exception], None]

_log = logging.getLogger(__name__)


class Queue(Protocol):
    """Rings carry a conversation's id and nothing else."""

    async def wake(self, conversation: str) -> None:
        """Something waits in the conversation's place."""
        ...

    async def interrupt(self, conversation: str) -> None:
        """Whoever runs a turn of the conversation is to look at its wishes now."""
        ...

    async def work(self, answer: Answer, interrupted: Interrupted) -> None:
        """Answer rings until `stop`; when cancelled, what runs is cancelled too."""
        ...

    def stop(self) -> None:
        """Begin nothing more; `work` returns when what runs has ended."""
        ...


class LocalQueue:
    """One process: a ring is an entry in a dict; each conversation is answered by one task."""

    def __init__(self, *, failed: Failed | None = None) -> None:
        self._rung: dict[str, None] = {}
        self._busy: set[str] = set()
        self._bell = asyncio.Event()
        self._stopped = False
        self._interrupted: Interrupted = _nobody
        self._failed = failed or _unreported

    async def wake(self, conversation: str) -> None:
        self._rung[conversation] = None
        self._bell.set()

    async def interrupt(self, conversation: str) -> None:
        self._interrupted(conversation)

    def stop(self) -> None:
        self._stopped = True
        self._bell.set()

    async def work(self, answer: Answer, interrupted: Interrupted) -> None:
        self._interrupted = interrupted
        async with asyncio.TaskGroup() as tasks:
            while not self._stopped:
                await self._bell.wait()
                self._bell.clear()
                for conversation in [c for c in self._rung if c not in self._busy]:
                    if not self._stopped:
                        del self._rung[conversation]
                        self._busy.add(conversation)
                        tasks.create_task(self._answer(answer, conversation))

    async def _answer(self, answer: Answer, conversation: str) -> None:
        try:
            await answer(conversation)
        except StorageError as error:  # whoever watches the database tells it, once for all
            extra = {"action": "queue.no_database", "conversation": conversation}
            _log.debug("The conversation waits for the database: %s", error, extra=extra)
            self._failed(conversation, error)
        except Exception as error:  # noqa: BLE001 - boundary: not another conversation's failure
            _log.exception(
                "The conversation could not be worked on; the sweep will ring again.",
                extra={"action": "queue.failed", "conversation": conversation},
            )
            self._failed(conversation, error)
        finally:
            self._busy.discard(conversation)
            self._bell.set()


def _nobody(_conversation: str) -> None:
    """Nobody works yet, so nobody is interrupted."""


def _unreported(_conversation: str, _error: Exception) -> None:
    """The log has it."""
