"""A database that fails under a service, where nobody sits who could see it: nothing is
acknowledged that is not stored, it is told once, and all is answered once when it is over."""

from __future__ import annotations

import asyncio
import logging
from pathlib import Path

import pytest

from bot.health import State
from bot.watched import PROMISE, SLOW
from memory.database import Transaction
from memory.errors import (
    DatabaseCorruptError,
    DatabaseFullError,
    DatabaseGoneError,
    DatabaseLockedError,
    DatabaseReadOnlyError,
    StorageError,
)
from memory.keys import PlaceKey
from memory.sqlite_file import DAMAGED, FULL
from tests.conversation.stories.house import ANN, BOB, PLACE, House, living
from tests.fakes import after, hangs, says

pytestmark = pytest.mark.inline

REFUSALS: list[StorageError] = [
    DatabaseFullError(FULL),
    DatabaseReadOnlyError("The database may not be written to; check its rights."),
    DatabaseLockedError("Another program holds the database; try again when it is done."),
    StorageError("The disk failed while the database was used."),
]
each_refusal = pytest.mark.parametrize(
    "refusal",
    [REFUSALS[0], *(pytest.param(each, marks=pytest.mark.slow) for each in REFUSALS[1:])],
    ids=[type(each).__name__ for each in REFUSALS],
)


@pytest.fixture(autouse=True)
def _a_service_s_log(caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level(logging.INFO, "bot")


def troubles(caplog: pytest.LogCaptureFixture) -> list[str]:
    """What the log says of trouble, and of its end."""
    return [
        record.message
        for record in caplog.records
        if record.levelno >= logging.WARNING or record.message == "database: connected"
    ]


async def watch(house: House) -> None:
    house.worker.start(house.worker.watched.watch())


@each_refusal
async def test_what_is_said_while_nothing_can_be_written_is_sent_again_and_answered_once(
    tmp_path: Path, caplog: pytest.LogCaptureFixture, refusal: StorageError
) -> None:
    """As Slack does: what is not acknowledged comes again after a minute, and after five."""
    places = [PlaceKey("played", "W", "C", str(number)) for number in range(20)]
    async with living(tmp_path, *[says("Heard.")] * 20) as house:
        await watch(house)
        told = [house.platform.say(place, ANN, "Hello") for place in places]
        house.worker.database.refusal = refusal
        for event in told:
            with pytest.raises(StorageError):
                await house.tell(event)
        assert house.health.database == State("lost", f"{refusal} {PROMISE}")
        assert not house.model.requests
        await house.wait(60)
        house.worker.database.refusal = None
        for event in told + told:
            await house.tell(event)
        await house.quiet()
        await house.wait(20)

        assert all(house.shown(place) == ["Hello", "> Heard."] for place in places)
        assert house.health.database == State("connected")
        assert troubles(caplog) == [f"database: lost: {refusal} {PROMISE}", "database: connected"]
        assert house.rows("SELECT holder FROM leases WHERE name = 'probe'")


@each_refusal
async def test_what_was_asked_before_is_answered_once_when_it_is_over(
    tmp_path: Path, caplog: pytest.LogCaptureFixture, refusal: StorageError
) -> None:
    """One turn runs when it begins, and a question of somebody else waits behind it."""
    script = [after(5, says("One.")), says("One."), says("Two.")]
    async with living(tmp_path, *script) as house:
        await watch(house)
        await house.say("one")
        await house.asked(1)
        await house.say("two", BOB)
        house.worker.database.refusal = refusal
        await house.wait(120)
        assert house.outcomes() == [("running", None)]
        house.worker.database.refusal = None
        await house.quiet()
        await house.wait(20)

        assert house.outcomes() == [("done", "answered")] * 2
        assert sorted(house.shown()) == ["> One.", "> Two.", "one", "two"]
        assert troubles(caplog) == [f"database: lost: {refusal} {PROMISE}", "database: connected"]


async def test_a_disk_on_which_small_writes_succeed_is_told_once(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    """Once, although the reason is put in other words meanwhile."""
    async with living(tmp_path, *[says("Heard.")] * len(REFUSALS)) as house:
        await watch(house)
        for refusal in REFUSALS:
            house.worker.database.refusal = refusal
            with pytest.raises(type(refusal)):
                await house.say("something long")
            house.worker.database.refusal = None
            await house.say("short")
            await house.wait(5)

        assert troubles(caplog) == [f"database: lost: {FULL} {PROMISE}"]
        await house.wait(20)
        assert troubles(caplog)[1:] == ["database: connected"]


async def test_it_is_over_when_both_reading_and_writing_succeed(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    async with living(tmp_path, works=False) as house:
        watched = house.worker.watched
        house.worker.database.away = True
        for use in (watched.read, watched.write):
            with pytest.raises(StorageError):
                await use(nothing)
        house.worker.database.away = False
        await house.wait(20)
        await watched.read(nothing)
        assert len(troubles(caplog)) == 1
        await watched.write(nothing)

        assert troubles(caplog)[1:] == ["database: connected"]
        await watched.close()


async def nothing(_tx: Transaction) -> None:
    """It is enough that it could."""


async def test_a_database_that_does_not_answer_is_told(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    async with living(tmp_path, says("Hello.")) as house:
        house.worker.database.before["Intake._write_down"] = house.sleep_well
        event = house.platform.say(PLACE, ANN, "Hi")
        with pytest.raises(TimeoutError):
            await house.tell(event)
        assert house.health.database == State("lost", f"{SLOW} {PROMISE}")
        await house.wait(60)
        await house.tell(event)
        await house.quiet()

        assert house.shown() == ["Hi", "> Hello."]
        assert troubles(caplog) == [f"database: lost: {SLOW} {PROMISE}", "database: connected"]


async def test_who_stops_soon_is_no_sign_of_trouble(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    async with living(tmp_path, hangs("Let me see.")) as house:
        house.worker.database.before["Hold._look"] = house.sleep_well
        await house.say("Hi")
        await house.asked(1)
        await house.stop()
        await house.wait(0.5)
        await house.crash()

        assert troubles(caplog) == []


async def test_in_a_damaged_database_nothing_more_is_written(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    async with living(tmp_path, hangs("Let me see.")) as house:
        watching = asyncio.create_task(house.worker.watched.watch())
        await house.say("one")
        await house.asked(1)
        house.worker.database.refusal = DatabaseCorruptError(DAMAGED)
        with pytest.raises(DatabaseCorruptError):
            await house.say("two", BOB)
        house.worker.database.refusal = None  # other pages are whole
        commits = house.worker.database.commits
        with pytest.raises(DatabaseCorruptError, match="copy a backup to its place"):
            async with asyncio.timeout(60):
                await watching
        for work in (house.say("three", BOB), house.worker.erasure.database.truncate_log()):
            with pytest.raises(DatabaseCorruptError):
                await work
        await house.wait(60)

        assert house.worker.database.commits == commits
        assert house.health.database == State("dead", DAMAGED)
        assert troubles(caplog) == [f"database: dead: {DAMAGED}"]


async def test_a_file_that_goes_while_it_is_open_ends_the_service(tmp_path: Path) -> None:
    async with living(tmp_path) as house:
        checks = 0

        async def check() -> None:
            nonlocal checks
            checks += 1
            if checks == 3:
                raise DatabaseGoneError("It was deleted.")

        house.worker.watched.still_there = check
        began = house.loop.time()
        with pytest.raises(DatabaseGoneError):
            await house.worker.watched.watch()

        assert house.loop.time() - began == 15
        assert house.health.database == State("dead", "It was deleted.")
