"""The worker's real file: damaged, deleted, copied while it is busy, and put back."""

from __future__ import annotations

import asyncio
import shutil
from functools import partial
from pathlib import Path

import pytest

from bot.cli.serve import run_worker
from bot.main import Replaced
from bot.settings import Settings, Timing
from memory.engines import open_database, sqlite_path
from memory.errors import DatabaseCorruptError, DatabaseGoneError
from memory.keys import PersonKey, PlaceKey
from memory.transfer import backup
from tests.conversation.test_worker import PLACE, Listened, states, working
from tests.fakes import ScriptedModel, Step, after, says
from tests.seat import until

QUICK = Timing(sweep=1, send=50)
PAGE = 4096


async def run(url: str, platform: Listened, *steps: Step) -> None:
    """A worker that ends by itself."""
    replaced = Replaced(model=ScriptedModel(*steps), timing=QUICK)
    await run_worker(Settings(database_url=url, tools=()), [platform], replaced)


def damage(file: Path) -> None:
    """Every page but the first, as a disk may do it while somebody has the file open."""
    with file.open("r+b") as opened:
        size = file.stat().st_size
        opened.seek(PAGE)
        opened.write(b"\xa5" * (size - PAGE))


def flip(file: Path) -> None:
    """One page in the middle."""
    with file.open("r+b") as opened:
        opened.seek(file.stat().st_size // PAGE // 2 * PAGE)
        opened.write(b"\xa5" * PAGE)


async def test_a_damaged_page_is_found_before_anything_is_written(sqlite_url: str) -> None:
    file, platform = sqlite_path(sqlite_url), Listened()
    await asyncio.to_thread(flip, file)
    before = await asyncio.to_thread(file.read_bytes)

    with pytest.raises(DatabaseCorruptError, match="copy a backup to its place"):
        await run(sqlite_url, platform)

    assert await asyncio.to_thread(file.read_bytes) == before
    assert not platform.is_listening


async def begun(url: str, platform: Listened) -> asyncio.Task[None]:
    """A worker that has answered."""
    task = asyncio.create_task(run(url, platform, says("Hello.")))
    platform.say("Hello")
    await platform.until_shown("> Hello.")
    return task


async def test_a_file_that_is_damaged_while_it_is_open_ends_the_worker_which_says_what_to_do(
    sqlite_url: str,
) -> None:
    platform = Listened()
    working = await begun(sqlite_url, platform)
    await asyncio.to_thread(damage, sqlite_path(sqlite_url))
    platform.say("Are you there?")

    with pytest.raises(ExceptionGroup) as caught:
        await working

    assert caught.group_contains(DatabaseCorruptError, match="copy a backup to its place")
    assert platform.played.shown(PLACE) == ["Hello", "> Hello.", "Are you there?"]


async def test_a_file_that_is_deleted_while_it_is_open_ends_the_worker(sqlite_url: str) -> None:
    working = await begun(sqlite_url, Listened())
    await asyncio.to_thread(sqlite_path(sqlite_url).unlink)

    with pytest.raises(ExceptionGroup) as caught:
        await working

    assert caught.group_contains(DatabaseGoneError)


async def test_a_backup_of_a_busy_worker_is_restored_and_goes_on_without_saying_a_thing_twice(
    sqlite_url: str, tmp_path: Path
) -> None:
    """The copy holds a turn that ran; its answer stands on the platform since."""
    platform, file, copy = Listened(), sqlite_path(sqlite_url), tmp_path / "copy.db"
    before, at, later = says("Before."), after(0.3, says("At that time.")), says("Later.")
    async with working(sqlite_url, platform, before, at, later) as model:
        platform.say("one")
        await platform.until_shown("> Before.")
        platform.say("two")
        await until(lambda: len(model.requests) == 2)
        await backup(sqlite_url, copy)
        await platform.until_shown("> At that time.")
        platform.say("three")
        await platform.until_shown("> Later.")
    assert (await states(f"sqlite:///{copy}"))[1] == ("running", None)
    await asyncio.to_thread(restore, copy, file)

    async with working(sqlite_url, platform, says("At that time."), says("Again here.")) as model:
        await until_delivered(sqlite_url, 2)
        platform.say("four")
        await platform.until_shown("> Again here.")

    assert len(model.requests[1].messages) == 5  # two turns, and the question
    assert await states(sqlite_url) == [("done", "answered")] * 3
    assert [text for text in platform.played.shown(PLACE) if text.startswith("> ")] == [
        "> Before.",
        "> At that time.",
        "> Later.",
        "> Again here.",
    ]


def restore(copy: Path, file: Path) -> None:
    """The steps that README gives."""
    for end in ("-wal", "-shm"):
        Path(f"{file}{end}").unlink(missing_ok=True)
    shutil.copy(copy, file)


async def until_delivered(url: str, turns: int) -> None:
    database = await open_database(url)
    while True:
        rows = await database.read(lambda tx: tx.fetch("SELECT state FROM turns"))
        if [row["state"] for row in rows] == ["done"] * turns:
            break
        await asyncio.sleep(0.005)
    await database.close()


OTHERS = [PlaceKey("played", "w", "c", str(number)) for number in range(8)]


def all_have(platform: Listened, messages: int) -> bool:
    return all(len(platform.played.shown(place)) == messages for place in OTHERS)


@pytest.mark.slow
async def test_ten_backups_beside_a_rush_are_whole_and_everybody_is_answered(
    sqlite_url: str, tmp_path: Path
) -> None:
    platform, talks = Listened(), 5
    steps = [says("Heard.")] * (talks * len(OTHERS))
    async with working(sqlite_url, platform, *steps):
        for number in range(talks):
            for place in OTHERS:
                platform.say(f"{number}", place, PersonKey("played", "w", f"p{place.thread}"))
            for twice in range(2):
                await backup(sqlite_url, tmp_path / f"{number}-{twice}.db")
            await until(partial(all_have, platform, 2 * (number + 1)))

    assert await states(sqlite_url) == [("done", "answered")] * len(steps)
