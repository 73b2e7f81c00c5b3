"""Which engine an address opens."""

from __future__ import annotations

import asyncio
import sys
from pathlib import Path

import pytest

from memory.engines import is_postgres, open_database, sqlite_path
from memory.errors import StorageError


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
from memory.errors import StorageError
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
