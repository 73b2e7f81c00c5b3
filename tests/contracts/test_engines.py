"""Which engine an address opens."""

from __future__ import annotations

import asyncio
import sys
from pathlib import Path

import pytest

from memory.engines import is_postgres, open_database, sqlite_path, watch_file
from memory.errors import DatabaseGoneError, StorageError


@pytest.mark.parametrize(
    "url",
    [
        "",
        "nimbus.db",
        "sqlite://",
        "sqlite:///",
        "sqlite:///:memory:",
        "mysql://me:pw@x/y",
        "sqlite:///nimbus.db?mode=ro",
    ],
)
async def test_another_address_is_refused_in_words(url: str) -> None:
    with pytest.raises(StorageError, match="must be sqlite:///file") as refused:
        await open_database(url)

    assert "pw" not in str(refused.value)


def test_an_address_names_a_file_as_usual() -> None:
    assert sqlite_path("sqlite:///nimbus.db") == Path("nimbus.db")
    assert sqlite_path("sqlite:////var/lib/nimbus.db") == Path("/var/lib/nimbus.db")


def test_both_usual_names_of_postgresql_are_known() -> None:
    assert is_postgres("postgresql://host/name")
    assert is_postgres("postgres://host/name")


_WITHOUT_POSTGRES = """
import asyncio, sys
sys.modules["psycopg"] = None  # as if it were not installed
from memory.engines import open_database
from memory.errors import DatabaseGoneError, StorageError
try:
    asyncio.run(open_database("postgresql://host/name"))
except StorageError as error:
    print(error)
"""


async def test_without_its_packages_postgresql_says_what_to_install() -> None:
    process = await asyncio.create_subprocess_exec(
        sys.executable, "-c", _WITHOUT_POSTGRES, stdout=asyncio.subprocess.PIPE
    )
    output, _ = await process.communicate()

    assert output == b"PostgreSQL needs two more packages: pip install 'nimbus[postgres]'.\n"


@pytest.mark.inline
async def test_a_file_that_goes_or_is_replaced_is_noticed(tmp_path: Path) -> None:
    file, other = tmp_path / "nimbus.db", tmp_path / "other.db"
    file.touch()
    other.touch()
    check = await watch_file(f"sqlite:///{file}")
    await check()

    file.unlink()
    with pytest.raises(DatabaseGoneError, match="deleted or replaced"):
        await check()
    other.rename(file)
    with pytest.raises(DatabaseGoneError):
        await check()


async def test_a_server_has_no_file_that_could_go() -> None:
    check = await watch_file("postgresql://nimbus@localhost/nimbus")

    await check()
