"""What SQLite raises, in our words."""

from __future__ import annotations

import sqlite3
from traceback import format_exception

import pytest

from memory.errors import DatabaseCorruptError, DatabaseFullError
from memory.sqlite_file import named_errors

SECRET = "the word that nobody may find"


@pytest.mark.parametrize("code", [sqlite3.SQLITE_FULL, sqlite3.SQLITE_IOERR_SHMSIZE])
def test_a_full_disk_is_told_as_one(code: int) -> None:
    error = sqlite3.OperationalError("disk I/O error")
    error.sqlite_errorcode = code

    with pytest.raises(DatabaseFullError, match="make room"), named_errors():
        raise error


@pytest.mark.parametrize(
    "error",
    [
        sqlite3.OperationalError(f"Could not decode to UTF-8 column 'a' with text '{SECRET}'"),
        UnicodeDecodeError("utf-8", SECRET.encode(), 0, 1, SECRET),
    ],
)
def test_text_that_is_none_is_damage_and_never_told(error: Exception) -> None:
    with pytest.raises(DatabaseCorruptError, match="damaged") as caught, named_errors():
        raise error

    assert SECRET not in "".join(format_exception(caught.value))
