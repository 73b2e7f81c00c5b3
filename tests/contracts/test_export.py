"""`export`: a person gets what is theirs, and nobody else's words."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any

import pytest

from bot import wording
from bot.caller import Caller
from bot.export import FILES, Export
from bot.helping import help_text
from bot.platform import Called
from bot.reception import FrontDesk
from bot.rules import Rules
from memory.database import Database
from memory.keys import PersonKey, PlaceKey
from memory.own import PAGE
from tests.contracts.store import ANN, BOB, PLACE, Store, said
from tests.played_platform import PlayedPlatform
from tests.seat import seated

OTHER = PlaceKey(PLACE.platform, PLACE.workspace, PLACE.channel, "other")
NOBODY = PersonKey("played", "W", "nobody")


@pytest.fixture
async def shared(store: Store) -> Store:
    """Ann began it, Bob asked there, too; elsewhere she is alone."""
    await store.answer(1)
    await store.accept(said(2, BOB))
    [conversation] = await store.column("SELECT id FROM conversations")
    turn = await store.begin(str(conversation))
    await store.finish(turn)
    await store.deliver(turn)
    await store.answer(3, place=OTHER)
    return store


async def exported(
    database: Database, person: PersonKey, *, file_bytes: int = 8_000_000
) -> list[dict[str, Any]]:
    export = Export(database, file_bytes=file_bytes)
    return [json.loads(file.content) async for file in export.files(person)]


def texts(files: Sequence[dict[str, Any]]) -> list[tuple[str, str]]:
    conversations = [each for file in files for each in file["conversations"]]
    return [
        (message["role"], message["text"])
        for conversation in conversations
        for message in conversation["messages"]
    ]


async def test_of_a_shared_conversation_each_gets_only_what_they_said_and_were_answered(
    shared: Store,
) -> None:
    [anns], [bobs] = await exported(shared.database, ANN), await exported(shared.database, BOB)

    assert [each["others_took_part"] for each in anns["conversations"]] == [True, False]
    assert [text for role, text in texts([anns]) if role == "user"] == ["message 1", "message 3"]
    assert [text for role, text in texts([bobs]) if role == "user"] == ["message 2"]
    assert len([role for role, _ in texts([bobs]) if role == "assistant"]) == 1


async def test_notes_are_told_and_those_that_were_deleted_are_not(shared: Store) -> None:
    sql = """
        INSERT INTO notes (id, person, number, platform, workspace, surface, topic, subject, text,
          said_at, used_at)
        VALUES (:id, :person, 1, 'played', 'W', 'direct', 'name', '', :text, 0, 0)
        """
    await shared.execute(sql, id="1", person=str(ANN), text="Ann")
    await shared.execute(sql, id="2", person=str(ANN), text="")

    [file] = await exported(shared.database, ANN)

    assert file["notes"] == [{"about": "name", "text": "Ann", "at": "1970-01-01T00:00:00+00:00"}]


async def test_it_is_read_page_by_page_and_split_into_files_that_can_be_read_alone(
    store: Store,
) -> None:
    turns = PAGE
    for number in range(1, turns + 1):
        await store.answer(number)

    files = await exported(store.database, ANN, file_bytes=5_000)

    assert 1 < len(files) <= FILES
    assert [file["file"] for file in files] == list(range(1, len(files) + 1))
    asked = [text for role, text in texts(files) if role == "user"]
    assert asked == [f"message {number}" for number in range(1, turns + 1)]
    assert not any("incomplete" in file for file in files)


async def test_what_is_too_much_is_cut_and_says_so(store: Store) -> None:
    for number in range(1, FILES + 2):
        await store.answer(number)

    files = await exported(store.database, ANN, file_bytes=1)

    assert len(files) == FILES
    assert "incomplete" in files[-1]


async def test_what_is_damaged_is_named(store: Store) -> None:
    await store.answer(1)
    await store.execute("UPDATE messages SET content = '{' WHERE role = 'user'")

    [file] = await exported(store.database, ANN)

    assert file["conversations"][0]["messages"][0]["damaged"]


async def test_the_command_gives_files_to_whom_something_is_kept_of(shared: Store) -> None:
    async with seated(shared.database) as seat:
        desk = FrontDesk(seat.parts.intake, seat.parts.commands)

        async def command(person: PersonKey) -> tuple[str, bool]:
            called = Called("export", person, PLACE, "public", 0, {})
            answer = await desk.command(called)
            return answer.text, answer.files is not None

        assert await command(ANN) == (wording.EXPORTED, True)
        assert await command(NOBODY) == (wording.NOTHING_KEPT, False)


async def test_a_mention_gives_them_too_once(shared: Store) -> None:
    async with seated(shared.database) as seat:
        event = PlayedPlatform(lambda: 5_000).say(PLACE, ANN, "export")

        first, second = [await seat.parts.intake.accept(event) for _ in range(2)]

        assert (first.notice, first.files is not None) == (wording.EXPORTED, True)
        assert (second.how, second.files) == ("repeated", None)


async def test_a_terminal_says_how_it_is_done_there(shared: Store) -> None:
    async with seated(shared.database) as seat:
        assert "export ID" in await seat.place.command("export")
        there = Caller(ANN, PLACE, "public", 0)
        assert await seat.parts.commands.run("export", there) == wording.EXPORT_IN_TERMINAL


@pytest.mark.parametrize(
    ("platform", "told"), [("slack", "only to you"), ("terminal", "conversations as JSON")]
)
def test_help_tells_of_it(platform: str, told: str) -> None:
    assert told in help_text(Rules(), [], 30, platform)
