"""What Nimbus remembers: conversations, turns and messages, on SQLite or PostgreSQL.

From Python::

    async with memory.open("sqlite:///nimbus.db") as m:
        for listed in await m.conversations():
            report = await m.conversation(listed.id)
"""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass
from functools import partial

from memory import erase, reports
from memory.database import Database, Transaction
from memory.engines import open_database
from memory.erase import Forgotten
from memory.errors import StorageError, UnknownConversationError
from memory.history import read_window
from memory.installation import read_secret
from memory.keys import Digests
from memory.messages import Image, Message, Text, ToolCall, ToolResult, user
from memory.migrate import migrate
from memory.reports import Listed, Report, ReportedMessage, ReportedTurn
from memory.window import StoredTurn

__all__ = [
    "Forgotten",
    "Image",
    "Listed",
    "Memory",
    "Message",
    "Report",
    "ReportedMessage",
    "ReportedTurn",
    "StorageError",
    "StoredTurn",
    "Text",
    "ToolCall",
    "ToolResult",
    "UnknownConversationError",
    "open",
    "user",
]


@asynccontextmanager
async def open(url: str = "sqlite:///nimbus.db") -> AsyncIterator[Memory]:  # noqa: A001 - read as memory.open
    """Nimbus's memory, while Nimbus runs or not. Raise StorageError, in words."""
    database = await open_database(url)
    try:
        await migrate(database)
        yield Memory(database)
    finally:
        await database.close()


@dataclass(frozen=True, slots=True)
class Memory:
    """`database.read` with a builder of `bot.context` tells what the next question would send."""

    database: Database

    async def conversations(self, *, limit: int = 100) -> list[Listed]:
        """The newest activity first."""
        return await self.database.read(lambda tx: reports.list_conversations(tx, limit=limit))

    async def conversation(self, conversation: str) -> Report:
        """Its turns with their messages. Raise UnknownConversationError."""
        return await self.database.read(lambda tx: reports.read(tx, conversation))

    async def window(self, conversation: str) -> list[StoredTurn]:
        """The finished turns from which the next question's context is made."""
        return await self.database.read(lambda tx: read_window(tx, conversation, _ALL_TURNS))

    async def forget(self, conversation: str) -> Forgotten:
        """Delete it for good; a turn in it ends by itself. Raise UnknownConversationError."""
        forgotten = await self.database.write(partial(_forget, conversation))
        await self.database.truncate_log()  # if it cannot be now, `nimbus run` does it
        return forgotten


async def _forget(conversation: str, tx: Transaction) -> Forgotten:
    return await erase.forget_conversation(
        tx,
        conversation,
        digests=Digests(await read_secret(tx)),
        said_before=await tx.now(),
        kept=erase.FORGOTTEN_KEPT,
    )


_ALL_TURNS = 2**62  # before this turn's number
