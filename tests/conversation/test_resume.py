"""Which conversation a chat may go on with."""

from __future__ import annotations

import pytest

from bot.cli.place import choose_place
from bot.cli.shell import Refusal
from memory import conversations
from memory.database import Database
from memory.errors import (
    UnknownConversationError,
)
from memory.keys import PersonKey, PlaceKey
from tests.seat import ROBIN


async def start(file: Database, place: PlaceKey, owner: PersonKey = ROBIN) -> str:
    return await file.write(
        lambda tx: conversations.start_new(tx, place, surface="terminal", owner=owner)
    )


async def test_a_conversation_of_another_platform_is_refused(file: Database) -> None:
    conversation = await start(file, PlaceKey("slack", "T1", "C1", "1.0"))

    with pytest.raises(Refusal, match="held on slack"):
        await file.write(lambda tx: choose_place(tx, conversation, ROBIN))


async def test_a_conversation_of_another_person_is_refused(file: Database) -> None:
    little_john = PersonKey("terminal", "", "john")
    conversation = await start(file, PlaceKey("terminal", "local", "chat", "1"), little_john)

    with pytest.raises(Refusal, match="somebody else's"):
        await file.write(lambda tx: choose_place(tx, conversation, ROBIN))


async def test_a_conversation_before_a_newer_one_is_refused(file: Database) -> None:
    place = PlaceKey("terminal", "local", "chat", "1")
    old, new = await start(file, place), await start(file, place)

    with pytest.raises(Refusal, match=new):
        await file.write(lambda tx: choose_place(tx, old, ROBIN))


@pytest.mark.parametrize("unknown", ["", "zz", "\0", "f" * 32, "F" * 32, "../../etc"])
async def test_an_id_that_is_none_is_unknown(file: Database, unknown: str) -> None:
    with pytest.raises(UnknownConversationError):
        await file.write(lambda tx: choose_place(tx, unknown, ROBIN))
