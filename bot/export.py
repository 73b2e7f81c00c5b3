"""`export`: what is kept of one person, as files of JSON, made page by page and never written."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import Any

from bot.told import File
from memory import own
from memory.database import Database, Row, Transaction
from memory.errors import DamagedMessageError
from memory.keys import PersonKey
from memory.messages import Message, decode
from memory.own import Part

FILE_BYTES = 8_000_000
"""The platforms take 10 MB and more."""

FILES = 10
_AT_ONCE = 2  # people for whom files are made
_INCOMPLETE = "This is not all: it is too much. Whoever runs the bot can export each conversation."


@dataclass(frozen=True, slots=True)
class Export:
    database: Database
    file_bytes: int = FILE_BYTES
    _making: asyncio.Semaphore = field(default_factory=lambda: asyncio.Semaphore(_AT_ONCE))

    async def is_any(self, person: PersonKey) -> bool:
        """Whether anything is kept of the person."""
        return await self.database.read(lambda tx: _is_any(tx, person))

    async def files(self, person: PersonKey) -> AsyncIterator[File]:
        """One at a time in memory; each can be read by itself."""
        async with self._making:
            sheet = _Sheet(person, 1)
            async for part, message in self._entries(person):
                if sheet.size and sheet.size + len(message.encode()) > self.file_bytes:
                    is_last = sheet.number == FILES
                    yield sheet.close(_INCOMPLETE if is_last else "")
                    if is_last:
                        return
                    sheet = _Sheet(person, sheet.number + 1)
                sheet.add(part, message)
            notes = await self.database.read(lambda tx: own.read_notes(tx, person))
            yield sheet.close(notes=[_note(each) for each in notes])

    async def _entries(self, person: PersonKey) -> AsyncIterator[tuple[Part, str]]:
        """Each message with its conversation; what is forgotten meanwhile is missing."""
        for part in await self.database.read(lambda tx: own.find_parts(tx, person)):
            page = await self._page(part, person, 0)
            while page:
                for row in page:
                    yield part, _line(_message(row))
                page = await self._page(part, person, page[-1]["position"])

    async def _page(self, part: Part, person: PersonKey, after: int) -> list[Row]:
        return await self.database.read(lambda tx: own.read_page(tx, part.id, person, after=after))


@dataclass
class _Sheet:
    """One file while it is written."""

    person: PersonKey
    number: int
    size: int = 0
    _conversations: list[tuple[Part, list[str]]] = field(default_factory=list)

    def add(self, part: Part, message: str) -> None:
        if not self._conversations or self._conversations[-1][0] is not part:
            self._conversations.append((part, []))
        self._conversations[-1][1].append(message)
        self.size += len(message.encode()) + 2

    def close(self, incomplete: str = "", notes: list[dict[str, Any]] | None = None) -> File:
        told = {"person": str(self.person), "file": self.number}
        if incomplete:
            told["incomplete"] = incomplete
        if notes:
            told["notes"] = notes
        written = ",\n".join(_conversation(*each) for each in self._conversations)
        content = f'{_line(told)[:-1]}, "conversations": [{written}]}}\n'
        return File(f"nimbus-export-{self.number}.json", content.encode())


def _conversation(part: Part, messages: list[str]) -> str:
    told = {
        "id": part.id,
        "place": part.place,
        "kind": part.surface,
        "began": _moment(part.created_at),
        "last": _moment(part.active_at),
        "others_took_part": not part.is_alone,
        **({"summary": part.summary} if part.summary else {}),
    }
    written = ",\n".join(messages)
    return f'\n{_line(told)[:-1]}, "messages": [\n{written}\n]}}'


def _message(row: Row) -> dict[str, Any]:
    told: dict[str, Any] = {"turn": row["turn"], "role": row["role"], "at": _moment(row["said_at"])}
    try:
        return {**told, **_content(decode(row["role"], row["content"]))}
    except DamagedMessageError:
        return {**told, "damaged": True}


def _content(message: Message) -> dict[str, Any]:
    """Without what only a provider understands."""
    calls = [{"tool": each.name, "arguments": each.arguments} for each in message.calls]
    results = [{"tool": each.name, "result": each.text} for each in message.results]
    told = {"text": message.text, "calls": calls, "results": results}
    return {name: value for name, value in told.items() if value}


def _note(row: Row) -> dict[str, Any]:
    return {
        "about": f"{row['topic']} {row['subject']}".strip(),
        "text": row["text"],
        "at": _moment(row["said_at"]),
    }


def _moment(milliseconds: int) -> str:
    return datetime.fromtimestamp(milliseconds / 1000, UTC).isoformat(timespec="seconds")


def _line(value: object) -> str:
    return json.dumps(value, ensure_ascii=False)


async def _is_any(tx: Transaction, person: PersonKey) -> bool:
    return bool(await own.find_parts(tx, person) or await own.read_notes(tx, person))
