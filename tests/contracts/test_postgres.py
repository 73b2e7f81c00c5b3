"""What is PostgreSQL's own: the pool, what is tried again, and what goes wrong."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import AsyncIterator
from contextlib import AbstractAsyncContextManager
from traceback import format_exception
from typing import Self

import psycopg
import pytest
from psycopg.rows import DictRow, dict_row
from psycopg_pool import AsyncConnectionPool, PoolTimeout

from memory.database import Transaction
from memory.engines import open_database
from memory.errors import (
    ConstraintError,
    DatabaseLockedError,
    DatabaseReadOnlyError,
    StorageError,
)
from memory.postgres import TRIES, Connection, Postgres, open_pool, pause
from tests.postgres import Server

SECRET = "the word that nobody may log"


class Pauses:
    def __init__(self) -> None:
        self.attempts: list[int] = []

    async def __call__(self, attempt: int) -> None:
        self.attempts.append(attempt)


@pytest.fixture
def pauses() -> Pauses:
    return Pauses()


@pytest.fixture
async def database(postgres_url: str, pauses: Pauses) -> AsyncIterator[Postgres]:
    opened = Postgres(await open_pool(postgres_url), pause=pauses)
    await opened.write(
        lambda tx: tx.execute("INSERT INTO seen (key, seen_at) VALUES ('a', 0), ('b', 0)")
    )
    yield opened
    await opened.close()


async def _raise(tx: Transaction, key: str) -> None:
    await tx.execute("UPDATE seen SET seen_at = seen_at + 1 WHERE key = :key", key=key)


async def _sum(tx: Transaction) -> int:
    return sum([row["seen_at"] for row in await tx.fetch("SELECT seen_at FROM seen")])


async def test_a_deadlock_is_tried_again(database: Postgres, pauses: Pauses) -> None:
    first_is_locked = {"a": asyncio.Event(), "b": asyncio.Event()}

    async def cross(tx: Transaction, first: str, second: str) -> None:
        await _raise(tx, first)
        first_is_locked[first].set()
        await first_is_locked[second].wait()
        await _raise(tx, second)

    async with asyncio.TaskGroup() as group:
        group.create_task(database.write(lambda tx: cross(tx, "a", "b")))
        group.create_task(database.write(lambda tx: cross(tx, "b", "a")))

    assert pauses.attempts  # the loser may lose once more: it takes its first row at once
    assert await database.read(_sum) == 4


async def test_a_collision_is_not_tried_for_ever(database: Postgres, pauses: Pauses) -> None:
    collide = "DO $$ BEGIN RAISE EXCEPTION USING ERRCODE = '40001'; END $$"

    with pytest.raises(DatabaseLockedError):
        await database.write(lambda tx: tx.execute(collide))

    assert pauses.attempts == list(range(1, TRIES))


async def test_two_that_collide_pause_and_go_on() -> None:
    await pause(0)


@pytest.mark.slow
async def test_who_waits_too_long_for_a_row_is_told(database: Postgres) -> None:
    async def hurry(tx: Transaction) -> None:
        await tx.execute("SET LOCAL lock_timeout = 1")
        await _raise(tx, "a")

    async def hold(tx: Transaction) -> None:
        await _raise(tx, "a")
        with pytest.raises(DatabaseLockedError, match="busy"):
            await database.write(hurry)

    await database.write(hold)


async def test_a_statement_that_takes_too_long_is_ended(database: Postgres) -> None:
    async def dawdle(tx: Transaction) -> None:
        await tx.execute("SET LOCAL statement_timeout = 1")
        await tx.execute("SELECT pg_sleep(60)")

    with pytest.raises(DatabaseLockedError, match="busy"):
        await database.write(dawdle)


async def test_sessions_have_their_time_limits(database: Postgres) -> None:
    names = ("statement_timeout", "lock_timeout", "idle_in_transaction_session_timeout")

    async def limits(tx: Transaction) -> list[object]:
        return [list(row.values()) for name in names for row in await tx.fetch(f"SHOW {name}")]

    assert await database.read(limits) == [["10s"], ["5s"], ["1min"]]


@pytest.mark.parametrize(("durability", "commit"), [("full", "on"), ("normal", "off")])
async def test_durability_is_a_choice(
    postgres_server: Server, durability: str, commit: str
) -> None:
    with postgres_server.fresh() as url:
        database = await open_database(
            url, durability="normal" if durability == "normal" else "full"
        )
        [row] = await database.read(lambda tx: tx.fetch("SHOW synchronous_commit"))
        await database.close()

    assert row == {"synchronous_commit": commit}


async def test_a_lost_connection_has_its_name_and_is_replaced(database: Postgres) -> None:
    leave = "SELECT pg_terminate_backend(pg_backend_pid())"

    with pytest.raises(StorageError, match="cannot be used"):
        await database.write(lambda tx: tx.execute(leave))

    assert await database.read(_sum) == 0


async def test_no_free_connection_is_told(postgres_url: str) -> None:
    pool = AsyncConnectionPool(
        postgres_url,
        connection_class=psycopg.AsyncConnection[DictRow],
        kwargs={"autocommit": True, "row_factory": dict_row},
        min_size=1,
        max_size=1,
        timeout=0.01,
        open=False,
    )
    await pool.open(wait=True)
    database = Postgres(pool)

    async def nest(_tx: Transaction) -> None:
        await database.read(_sum)

    with pytest.raises(DatabaseLockedError, match="gave no connection"):
        await database.read(nest)
    await database.close()


async def test_what_was_refused_is_not_in_the_error(database: Postgres) -> None:
    """PostgreSQL's own text tells the whole row."""
    refused = "INSERT INTO installation (name, value) VALUES (:word, NULL)"

    with pytest.raises(ConstraintError) as error:
        await database.write(lambda tx: tx.execute(refused, word=SECRET))

    assert SECRET not in "".join(format_exception(error.value))


async def test_a_server_that_is_not_there_is_told() -> None:
    with pytest.raises(StorageError, match="cannot be used") as error:
        await open_database("postgresql://me:pw@127.0.0.1:1/nimbus")

    assert "pw" not in str(error.value)


class Exhausted(AbstractAsyncContextManager[Connection]):
    """A pool whose server went away, and the connection that does not come."""

    def connection(self) -> Self:
        return self

    async def __aenter__(self) -> Connection:
        raise PoolTimeout

    async def __aexit__(self, *_: object) -> None:
        """Nothing was lent."""

    async def close(self) -> None:
        """Nothing is open."""


async def test_a_server_that_went_away_is_told_as_that() -> None:
    database = Postgres(Exhausted())

    with pytest.raises(DatabaseLockedError, match="cannot be reached, or is busy"):
        await database.read(lambda tx: tx.now())


async def test_the_pool_says_nothing_of_its_own(database: Postgres) -> None:
    assert await database.read(lambda tx: tx.now())
    assert not logging.getLogger("psycopg.pool").isEnabledFor(logging.WARNING)


async def test_a_database_that_is_not_there_is_told(postgres_server: Server) -> None:
    url = postgres_server.server.get_uri("nowhere")

    with pytest.raises(StorageError, match="cannot be used"):
        await open_database(url)


async def test_an_address_that_cannot_be_read_is_told() -> None:
    with pytest.raises(StorageError, match="cannot be read") as error:
        await open_database("postgresql://me:pw@[nowhere/nimbus")

    assert "pw" not in str(error.value)


async def test_who_may_not_write_is_told(database: Postgres) -> None:
    async def write_as_another(tx: Transaction) -> None:
        await tx.execute("SET LOCAL ROLE pg_read_all_data")
        await _raise(tx, "a")

    with pytest.raises(DatabaseReadOnlyError):
        await database.write(write_as_another)


async def test_a_number_too_large_is_our_defect_not_the_server_s(database: Postgres) -> None:
    with pytest.raises(StorageError, match="out of range"):
        await database.write(lambda tx: tx.execute("UPDATE seen SET seen_at = :n", n=2**70))
