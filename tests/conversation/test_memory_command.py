"""`memory`: somebody sees what is noted about them, deletes it, and switches it off."""

from __future__ import annotations

from collections.abc import AsyncIterator

import pytest

from bot.caller import Caller
from bot.commands import word_in
from bot.settings import Settings
from memory.database import Database
from memory.engines import open_database
from memory.keys import PlaceKey
from memory.messages import ToolCall
from tests.fakes import asks, says
from tests.seat import ROBIN, Seat, seated


@pytest.fixture
async def file(sqlite_url: str) -> AsyncIterator[Database]:
    opened = await open_database(sqlite_url)
    yield opened
    await opened.close()


def remembers(topic: str, text: str) -> ToolCall:
    return ToolCall(f"c{text}", "remember", f'{{"topic": "{topic}", "text": "{text}"}}')


SCRIPT = (
    asks(remembers("name", "Robin"), remembers("place", "lives in Bergen")),
    says("Fine."),
)


async def commands(seat: Seat, *lines: str) -> list[str]:
    assert all(line in seat.place.words for line in lines)
    return [await seat.place.command(line) for line in lines]


async def test_a_person_sees_their_notes_and_deletes_one(file: Database) -> None:
    async with seated(file, *SCRIPT) as seat:
        await seat.place.ask("I am Robin and live in Bergen.")
        shown, deleted, again, left = await commands(
            seat, "memory", "memory delete 2", "memory delete 2", "memory"
        )

    assert shown.splitlines()[:2] == [
        "2. place: lives in Bergen (said to me alone)",
        "1. name: Robin (said to me alone)",
    ]
    assert "memory delete and a number deletes one" in shown
    assert deleted.startswith("Note 2 is deleted: lives in Bergen. What you said stays")
    assert again == "I have no note 2 about you. memory shows those that there are."
    assert "Bergen" not in left
    assert "1. name: Robin" in left


async def test_all_notes_are_deleted_at_once(file: Database) -> None:
    async with seated(file, *SCRIPT) as seat:
        await seat.place.ask("I am Robin and live in Bergen.")
        told = await commands(seat, "memory delete all", "memory", "memory delete all")

    assert told[0].startswith("Deleted: 2 notes.")
    assert told[1].startswith("I have noted nothing about you.\nmemory off:")
    assert told[2] == "I have noted nothing about you, so there was nothing to delete."


async def test_who_switches_notes_off_hears_what_is_kept(file: Database) -> None:
    async with seated(file, *SCRIPT, says("Yes?"), says("Yes.")) as seat:
        nothing = await seat.place.command("memory off")
        await seat.place.command("memory on")
        await seat.place.ask("I am Robin and live in Bergen.")
        off, shown = await commands(seat, "memory off", "memory")
        await seat.place.ask("Who am I?")
        [on] = await commands(seat, "memory on")
        await seat.place.ask("And now?")

    assert "kept" not in nothing
    assert off.endswith("2 notes are still kept; memory delete all deletes them.")
    assert shown.endswith(
        "You have switched notes off: none is made or used. memory on begins again."
    )
    assert on.startswith("From now on I note again")
    unknown, known = (str(request.messages[-1]) for request in seat.model.requests[-2:])
    assert ("Robin (said" in unknown, "Robin (said" in known) == (False, True)


async def test_many_notes_are_shown_as_far_as_one_message_has_room(file: Database) -> None:
    many = [remembers("fact", f"knows the word {'x' * 40}{number}") for number in range(30)]
    async with seated(file, asks(*many), says("Fine.")) as seat:
        await seat.place.ask("I know much.")
        shown = await seat.place.command("memory")

    assert len(shown) < 2_000
    assert "older notes: export has them all." in shown


async def test_where_the_operator_wants_no_notes_that_is_said(file: Database) -> None:
    async with seated(file, settings=Settings(tools=(), notes=False)) as seat:
        shown = await seat.place.command("memory")

    assert shown.endswith("Whoever runs me has switched notes off: none is made or used.")


async def test_on_a_platform_the_answer_is_for_nobody_elses_eyes(file: Database) -> None:
    there = Caller(ROBIN, PlaceKey("discord", "G", "-", "1"), "public", 0)
    async with seated(file) as seat:
        memory = await seat.parts.commands.answer("memory", there)
        status = await seat.parts.commands.answer("status", there)

    assert (memory.alone, status.alone) == (True, False)


@pytest.mark.parametrize(
    ("said", "word"),
    [
        ("Memory!", "memory"),
        ("memory delete  12", "memory delete 12"),
        ("memory off", "memory off"),
        ("memory is a strange thing", None),
        ("memory delete my name", None),
    ],
)
def test_only_its_own_forms_are_the_command(said: str, word: str | None) -> None:
    assert word_in(said) == word


async def test_what_is_no_form_of_it_is_told_the_forms(file: Database) -> None:
    async with seated(file) as seat:
        told = await seat.place.command("memory banana")

    assert told.startswith("memory shows what I have noted about you. Or: memory delete 3")
