"""Which engine an address opens."""

from __future__ import annotations

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
