"""What the words do that are commands."""

from __future__ import annotations

import asyncio
import re
import sqlite3
from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from bot import wording
from bot.caller import Caller
from bot.cli.keep import empty_log
from bot.commands import WORDS
from bot.helping import help_text, unmuted
from bot.rules import Rules
from bot.settings import Settings
from memory.database import Database
from memory.engines import open_database
from memory.errors import DatabaseFullError, StorageError
from memory.keys import PlaceKey
from tests.fakes import FakeClock, hangs, says
from tests.seat import ROBIN, FailingDatabase, seated

NOW = 1_796_070_000_000  # 30 November 2026, 20:20 UTC
ELSEWHERE = {"stop", "mute", "unmute"}  # of no use where one person sits alone
THERE = Caller(ROBIN, PlaceKey("slack", "T1", "C1", "1.0"), "public", NOW)


@pytest.fixture
async def file(sqlite_url: str) -> AsyncIterator[Database]:
    opened = await open_database(sqlite_url, clock=FakeClock(NOW))
    yield opened
    await opened.close()


async def test_help_says_what_there_is_and_how_long_it_is_kept(file: Database) -> None:
    async with seated(file, settings=Settings(tools=(), name="Robin", retention_days=1)) as seat:
        told = await seat.place.command("help")

    assert told.startswith("I am Robin. I answer questions and remember what was said")
    assert "I can use" not in told
    assert "kept for 1 day after the last message" in told
    for word in (*(WORDS - ELSEWHERE), "Ctrl-C", "exit"):
        assert f"\n  {word} " in told
    assert not any(f"\n  {word} " in told for word in ELSEWHERE)


async def test_help_elsewhere_names_no_keys(file: Database) -> None:
    async with seated(file) as seat:
        told = await seat.parts.commands.run("help", THERE)

    for word in WORDS:
        assert f"\n  {word} " in told
    assert "Ctrl" not in told
    assert "\n\nWhat you say here is kept" in told


@pytest.mark.parametrize(
    ("platform", "how"),
    [
        (
            "slack",
            "\nType /nimbus and one of these words; in a thread @Robin and the word, no more.\n",
        ),
        (
            "discord",
            "\nType /nimbus and one of these words (forget-me), or @Robin and the word, no more.\n",
        ),
        ("terminal", ""),
    ],
)
def test_help_says_how_a_command_is_typed_and_what_forget_wipes(platform: str, how: str) -> None:
    told = help_text(Rules(name="Robin"), ["get_order"], 30, platform)

    assert how in told
    assert ("Type /nimbus" in told) == bool(how)
    assert ("/nimbus forget at the top of a channel: all that you began" in told) == bool(how)
    assert ("I also keep" in told) == bool(how)


def test_help_does_not_say_that_it_keeps_what_it_does_not() -> None:
    assert "also keep" not in help_text(Rules(observe=False), [], 30, "slack")


@pytest.mark.parametrize("observe", [True, False])
async def test_the_commands_know_the_settings(file: Database, *, observe: bool) -> None:
    async with seated(file, settings=Settings(tools=(), observe=observe)) as seat:
        told = await seat.parts.commands.run("help", THERE)

    assert ("also keep" in told) == observe


@pytest.mark.parametrize(
    ("rules", "said"),
    [
        (Rules(), wording.UNMUTED),
        (Rules(follow_up="always", observe=False), wording.UNMUTED),
        (Rules(follow_up="mention"), wording.UNMUTED_TO_KEEP),
        (Rules(follow_up="mention", observe=False), wording.UNMUTED_FOR_MENTIONS),
    ],
)
def test_unmute_promises_what_is_done(rules: Rules, said: str) -> None:
    assert unmuted(rules) == said


async def test_status_tells_model_size_and_the_day_of_deletion(file: Database) -> None:
    async with seated(file, says("Hello."), clock=FakeClock(NOW)) as seat:
        await seat.place.ask("Hello")
        told = await seat.place.command("status")

    assert re.fullmatch(
        r"""Conversation \w{32}
Model        scripted
Turns        1
Context      11 of 12,000 characters, 50 % of what was sent last was cached
Deleted      30 December 2026, unless something is said before
Left today   9,999,890 tokens, until midnight UTC""",
        told,
    )


async def test_status_promises_no_day_that_is_past(sqlite_url: str) -> None:
    clock = FakeClock(NOW)
    file = await open_database(sqlite_url, clock=clock)
    async with seated(file, says("Hello."), clock=clock) as seat:
        await seat.place.ask("Hello")
        clock.advance(40 * 24 * 3_600_000)
        told = await seat.place.command("status")
    await file.close()

    assert "Deleted      9 January 2027, unless" in told


async def test_new_starts_afresh_and_keeps_the_old(file: Database) -> None:
    clock = FakeClock(NOW)
    async with seated(file, says("Hello."), says("Who?"), clock=clock) as seat:
        await seat.place.ask("I am Robin Hood")
        told = await seat.place.command("new")
        await seat.place.ask("Who am I?")
        clock.advance(1)
        forgotten = await seat.place.command("forget")

    assert told.endswith("What was said here before is kept; forget wipes all of it, old and new.")
    assert "Robin Hood" not in repr(seat.model.requests[1])
    assert forgotten.startswith("Forgotten: 2 conversations, 2 turns, 4 messages. ")


async def test_forget_leaves_nothing_to_show(file: Database) -> None:
    clock = FakeClock(NOW)
    async with seated(file, says("Hello."), clock=clock) as seat:
        await seat.place.ask("Hello")
        clock.advance(1)
        await seat.place.command("forget")

        told = await seat.place.command("status")
        assert told.startswith("Nothing is remembered here.\nLeft today ")
        assert (await seat.place.command("forget")).startswith("There was nothing to forget.")


async def test_forget_says_what_stays_where(file: Database) -> None:
    clock = FakeClock(NOW)
    async with seated(file, says("Hello."), clock=clock) as seat:
        nothing = await seat.place.command("forget")
        await seat.place.ask("Hello")
        clock.advance(1)
        here = await seat.place.command("forget")
        there = await seat.parts.commands.run("forget", THERE)

    assert "What your terminal still shows stays there; clear it yourself." in here
    assert "Support tickets stay in the shop." in here
    assert nothing.startswith("There was nothing to forget. What your terminal")
    assert there == (
        "There was nothing to forget. The messages on the platform stay; delete them there. "
        "What you began or said elsewhere in this channel goes with /nimbus forget, outside of "
        "threads."
    )


async def test_stop_ends_the_answer_that_is_being_written(file: Database) -> None:
    async with seated(file, hangs("It is"), clock=FakeClock(NOW)) as seat:
        asking = asyncio.ensure_future(seat.place.ask("What about 1042?"))
        await seat.paper.until("It is")

        assert await seat.place.command("stop") == "I stop."
        await asking
        late, there = await seat.place.command("stop"), await seat.parts.commands.run("stop", THERE)
    assert there == "Nothing is running that could be stopped."
    assert late == f"{there} Ctrl-C stops an answer while it is written."
    assert "It is (stopped)\n" in seat.text


async def test_a_command_that_is_none_is_named(file: Database) -> None:
    async with seated(file) as seat:
        unknown = await seat.place.command("dance now")

    assert unknown == "There is no command dance now. help shows what there is."


def reading(url: str) -> sqlite3.Connection:
    """Another program in the middle of reading, so that the log cannot be emptied."""
    reader = sqlite3.connect(url.removeprefix("sqlite:///"), check_same_thread=False)
    reader.execute("BEGIN")
    reader.execute("SELECT count(*) FROM messages").fetchall()
    return reader


async def test_a_log_that_could_not_be_emptied_is_tried_again(
    file: Database, sqlite_url: str
) -> None:
    log = Path(f"{sqlite_url.removeprefix('sqlite:///')}-wal")
    async with seated(file, says("Hello."), clock=FakeClock(NOW)) as seat:
        await seat.place.ask("I am Robin Hood")
        reader = await asyncio.to_thread(reading, sqlite_url)
        await seat.place.command("forget")
        assert b"Robin Hood" in await asyncio.to_thread(log.read_bytes)

        await asyncio.to_thread(reader.close)
        while b"Robin Hood" in await asyncio.to_thread(log.read_bytes):  # noqa: ASYNC110 - nothing tells of it
            await asyncio.sleep(0.001)


async def test_a_database_that_fails_keeps_its_log_for_the_next_try(file: Database) -> None:
    database = FailingDatabase(file, keeps_log=True)
    async with seated(database, says("Hello."), clock=FakeClock(NOW)) as seat:
        await seat.place.ask("I am Robin Hood")
        await seat.place.command("forget")
        assert seat.parts.erasure.log_is_full.is_set()

        database.keeps_log = False
        assert await seat.parts.erasure.empty_log()


async def test_on_a_full_disk_the_log_makes_room_to_forget(file: Database) -> None:
    database, clock = FailingDatabase(file), FakeClock(NOW)
    async with seated(database, says("Hello."), clock=clock) as seat:
        await seat.place.ask("Hello")
        clock.advance(1)
        for write in (1, 2):  # the place's watermark; the conversation
            database.fail_at, database.is_full = write, True
            with pytest.raises(DatabaseFullError):
                await seat.place.command("forget")

        database.fail_at, database.is_full = 1, False
        assert (await seat.place.command("forget")).startswith("Forgotten: 1 conversation")


async def test_a_failure_to_empty_the_log_is_logged_once(
    file: Database, caplog: pytest.LogCaptureFixture
) -> None:
    database = FailingDatabase(file, keeps_log=True)
    async with seated(database) as seat:
        for _ in range(3):
            assert not await seat.parts.erasure.empty_log()

    assert len([line for line in caplog.messages if "Could not empty the log" in line]) == 1


async def test_what_a_command_cannot_empty_it_tells_truthfully(
    file: Database, capsys: pytest.CaptureFixture[str]
) -> None:
    with pytest.raises(StorageError, match=r"^The disk is full\. Until purge has emptied"):
        await empty_log(FailingDatabase(file, is_full=True))
    assert capsys.readouterr().err == ""

    await empty_log(FailingDatabase(file, keeps_log=True), pause_seconds=0)
    assert capsys.readouterr().err.startswith("Another program is reading the database. Until")
