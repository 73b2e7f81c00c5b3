"""The memory as Python users see it."""

from __future__ import annotations

from pathlib import Path

import pytest

import memory
from memory import inbox
from memory.errors import DatabaseTooNewError, SaidBeforeForgetError, UnknownConversationError
from memory.installation import read_secret
from memory.keys import Digests
from tests.contracts.example_memory import forget_all, tell
from tests.contracts.store import BOB, PLACE, Store, said


async def test_the_example_tells_what_was_said(store: Store, database_url: str) -> None:
    await store.answer(1)
    await store.answer(2)

    *lines, context = await tell(database_url)

    assert lines == [
        "1 user: message 1",
        "1 assistant: The answer.",
        "2 user: message 2",
        "2 assistant: The answer.",
    ]
    assert "message 1" in context
    assert "And then?" in context


async def test_the_example_forgets_for_good(store: Store, database_url: str) -> None:
    await store.answer(1)

    assert await forget_all(database_url) == 2
    assert await tell(database_url) == []
    with pytest.raises(SaidBeforeForgetError):
        await _accept_with_its_secret(store)


async def _accept_with_its_secret(store: Store) -> None:
    """A late repeat from the platform, as the bot would take it."""
    digests = Digests(await store.database.write(read_secret))
    late = said(7, BOB, place=PLACE)
    await store.database.write(lambda tx: inbox.accept(tx, late, digests))


async def test_forgetting_what_is_not_there_is_told(database_url: str) -> None:
    async with memory.open(database_url) as m:
        with pytest.raises(UnknownConversationError):
            await m.forget("nothing")


async def test_a_new_file_is_made_ready(tmp_path: Path) -> None:
    async with memory.open(f"sqlite:///{tmp_path}/new.db") as m:
        assert await m.conversations() == []


async def test_a_newer_database_is_left_alone(store: Store, database_url: str) -> None:
    await store.execute("INSERT INTO schema_migrations VALUES (9999, 'later', 'x', 0)")

    try:
        with pytest.raises(DatabaseTooNewError):
            async with memory.open(database_url):
                pass
    finally:
        await store.execute("DELETE FROM schema_migrations WHERE number = 9999")
