"""What somebody says of themselves in one conversation is known in the next."""

from __future__ import annotations

from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from bot.settings import Settings
from memory.database import Database, Transaction
from memory.engines import open_database
from memory.messages import ToolCall
from tests.fakes import asks, says
from tests.house import PLACE, House, open_house
from tests.seat import seated


@pytest.fixture
async def file(sqlite_url: str) -> AsyncIterator[Database]:
    opened = await open_database(sqlite_url)
    yield opened
    await opened.close()


REMEMBER = asks(ToolCall("c1", "remember", '{"topic": "name", "text": "Robin"}'))


async def execute(file: Database, sql: str) -> None:
    async def work(tx: Transaction) -> None:
        await tx.execute(sql)

    await file.write(work)


async def test_what_is_noted_in_one_conversation_is_shown_in_another_and_its_use_counts(
    file: Database,
) -> None:
    async with seated(file, REMEMBER, says("Hello, Robin.")) as seat:
        await seat.place.ask("I am Robin.")
    await execute(file, "UPDATE notes SET used_at = 0")

    async with seated(file, says("Robin."), says("Robin!")) as seat:
        await seat.place.ask("Do you know my name?")
        await seat.place.ask("Really?")

    question = seat.model.requests[0].messages[-1].parts[0]
    assert "- 1. name: Robin (said " in str(question)
    [row] = await file.read(lambda tx: tx.fetch("SELECT uses FROM notes"))
    assert row["uses"] == 1


async def test_with_notes_switched_off_there_is_no_word_of_them(file: Database) -> None:
    settings = Settings(tools=(), notes=False)
    async with seated(file, says("Hello."), settings=settings) as seat:
        await seat.place.ask("I am Robin.")

    [request] = seat.model.requests
    assert [tool.name for tool in request.tools] == ["past"]
    assert "remember`" not in request.system


async def test_who_somebody_is_where_they_live_and_what_they_plan_is_known(tmp_path: Path) -> None:
    async with open_house(tmp_path) as house:
        for text in ("My name is Robin.", "I live in Coimbra.", "I'm going to a concert tomorrow."):
            await house.say(text)
        answer = await house.say("What have we been talking about, do you know my name?")
        noted = await notes_of(house)
        await house.say("I moved to Porto. Can I get a refund for order 1042?")

        assert noted == [
            ("name", "Robin"),
            ("place", "lives in Coimbra"),
            ("plan", "is going to a concert tomorrow"),
        ]
        assert "concert" in answer
        assert answer.endswith("your name is “Robin”")
        assert ("place", "moved to Porto") in await notes_of(house)
        assert ("place", "lives in Coimbra") not in await notes_of(house)
        assert "1042 (wireless headphones) is eligible" in house.platform.shown(PLACE)[-1]


async def notes_of(house: House) -> list[tuple[str, str]]:
    rows = await house.parts.database.read(
        lambda tx: tx.fetch("SELECT topic, text FROM notes ORDER BY number")
    )
    return [(row["topic"], row["text"]) for row in rows]
