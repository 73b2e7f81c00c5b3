"""What a storage engine promises, on each of them."""

from __future__ import annotations

import asyncio
import time

import pytest

from memory.database import Database, Row, Transaction
from memory.errors import ConstraintError, DatabaseReadOnlyError, StorageError
from tests.fakes import FakeClock


async def _put(tx: Transaction, name: str, value: str = "1") -> None:
    await tx.execute(
        "INSERT INTO installation (name, value) VALUES (:name, :value)", name=name, value=value
    )


async def _names(tx: Transaction) -> list[str]:
    rows = await tx.fetch("SELECT name FROM installation ORDER BY name")
    return [row["name"] for row in rows]


@pytest.fixture(params=["sqlite", "postgres"])
def database_url(request: pytest.FixtureRequest) -> str:
    """Both engines among the quick tests: whatever else runs on them stands on this."""
    url: str = request.getfixturevalue(f"{request.param}_url")
    return url


async def test_a_row_is_read_by_name(database: Database) -> None:
    await database.write(lambda tx: _put(tx, "a", "1"))

    rows = await database.read(lambda tx: tx.fetch("SELECT name, value FROM installation"))
    assert rows == [{"name": "a", "value": "1"}]


async def test_returning_gives_the_rows_that_were_written(database: Database) -> None:
    rows = await database.write(
        lambda tx: tx.fetch(
            "INSERT INTO seen (key, seen_at) VALUES (:key, :at) RETURNING key, seen_at",
            key="k",
            at=2**40,
        )
    )

    assert rows == [{"key": "k", "seen_at": 2**40}]


async def test_execute_counts_the_rows_it_touched(database: Database) -> None:
    await database.write(lambda tx: _put(tx, "a"))
    await database.write(lambda tx: _put(tx, "b"))

    assert await database.write(lambda tx: tx.execute("DELETE FROM installation")) == 2
    assert await database.write(lambda tx: tx.execute("DELETE FROM installation")) == 0


async def test_nothing_of_a_write_that_raises_is_left(database: Database) -> None:
    async def fail(tx: Transaction) -> None:
        await _put(tx, "a")
        raise LookupError

    with pytest.raises(LookupError):
        await database.write(fail)

    assert await database.read(_names) == []


async def test_a_failure_that_is_swallowed_still_rolls_back(database: Database) -> None:
    async def swallow(tx: Transaction) -> None:
        await _put(tx, "a")
        try:
            await _put(tx, "a")
        except ConstraintError:
            return

    with pytest.raises(ConstraintError):
        await database.write(swallow)

    assert await database.read(_names) == []


async def test_after_a_failure_no_statement_runs(database: Database) -> None:
    async def go_on(tx: Transaction) -> None:
        try:
            await tx.execute("DELETE FROM nowhere")
        except StorageError:
            await _put(tx, "a")

    with pytest.raises(StorageError, match="nowhere"):
        await database.write(go_on)

    assert await database.read(_names) == []


async def test_a_row_without_its_parent_is_refused(database: Database) -> None:
    orphan = "INSERT INTO participants VALUES ('c', 'terminal:a', 'A', 1, 1)"

    with pytest.raises(ConstraintError):
        await database.write(lambda tx: tx.execute(orphan))


async def test_a_failing_write_takes_no_other_write_along(database: Database) -> None:
    inside = asyncio.Event()

    async def fail(tx: Transaction) -> None:
        await _put(tx, "fails")
        inside.set()
        raise LookupError

    async with asyncio.TaskGroup() as group:
        failing = group.create_task(_raised(database, fail))
        await inside.wait()
        await database.write(lambda tx: _put(tx, "stays"))

    assert isinstance(failing.result(), LookupError)
    assert await database.read(_names) == ["stays"]


async def _raised(database: Database, work: object) -> BaseException | None:
    try:
        await database.write(work)  # type: ignore[arg-type]  # any work will do
    except LookupError as error:
        return error
    return None


async def test_writers_side_by_side_lose_nothing(database: Database) -> None:
    await database.write(lambda tx: tx.execute("INSERT INTO seen (key, seen_at) VALUES ('k', 0)"))

    async def count() -> None:
        await database.write(lambda tx: tx.execute("UPDATE seen SET seen_at = seen_at + 1"))

    async with asyncio.TaskGroup() as group:
        for _ in range(30):
            group.create_task(count())

    [row] = await database.read(lambda tx: tx.fetch("SELECT seen_at FROM seen"))
    assert row["seen_at"] == 30


async def test_a_read_sees_one_moment(database: Database) -> None:
    async def look_twice(tx: Transaction) -> tuple[list[str], list[str]]:
        before = await _names(tx)
        await database.write(lambda other: _put(other, "meanwhile"))
        return before, await _names(tx)

    assert await database.read(look_twice) == ([], [])
    assert await database.read(_names) == ["meanwhile"]


async def test_a_read_cannot_write(database: Database) -> None:
    with pytest.raises(DatabaseReadOnlyError):
        await database.read(lambda tx: _put(tx, "a"))

    assert await database.read(_names) == []


async def test_what_no_engine_takes_is_replaced_alike(database: Database) -> None:
    await database.write(lambda tx: _put(tx, "NUL \0", "alone \ud83d, whole 😀"))

    rows = await database.read(lambda tx: tx.fetch("SELECT name, value FROM installation"))
    assert rows == [{"name": "NUL \ufffd", "value": "alone \ufffd, whole 😀"}]


async def test_colons_and_percent_signs_in_sql_are_safe(database: Database) -> None:
    sql = """
        SELECT ':no % "parameter", it''s :text' AS "a:b", name  -- nor is :this, 100 %
        FROM installation WHERE value LIKE '1%' AND name = :name
        """
    await database.write(lambda tx: _put(tx, "x:y"))

    rows = await database.read(lambda tx: tx.fetch(sql, name="x:y"))
    assert rows == [{"a:b": ':no % "parameter", it\'s :text', "name": "x:y"}]


async def test_the_clock_is_the_machine_s_own(database: Database) -> None:
    before = time.time_ns() // 1_000_000
    now = await database.read(lambda tx: tx.now())

    assert before <= now <= time.time_ns() // 1_000_000


async def test_the_clock_moves_within_a_transaction(database: Database) -> None:
    async def wait(tx: Transaction) -> int:
        began = await tx.now()
        while await tx.now() == began:
            pass
        return await tx.now() - began

    assert await database.read(wait) > 0


async def test_the_log_can_be_emptied(database: Database) -> None:
    await database.write(lambda tx: _put(tx, "a"))

    assert await database.truncate_log()


async def test_a_closed_database_says_so(database: Database) -> None:
    await database.close()

    with pytest.raises(StorageError, match="closed"):
        await database.read(_names)


class TestWithAnotherClock:
    @pytest.fixture
    def clock(self) -> FakeClock:
        return FakeClock(1000)

    async def test_the_time_is_that_clock_s(self, database: Database, clock: FakeClock) -> None:
        clock.advance(500)

        assert await database.write(lambda tx: tx.now()) == 1500


async def test_the_order_of_a_query_is_kept(database: Database) -> None:
    async def fill(tx: Transaction) -> list[Row]:
        for name in "cab":
            await _put(tx, name)
        return await tx.fetch("SELECT name FROM installation ORDER BY name DESC")

    assert [row["name"] for row in await database.write(fill)] == ["c", "b", "a"]
