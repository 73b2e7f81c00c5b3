"""What the commands make of the database's file: damaged, restored, somebody else's, too old."""

from __future__ import annotations

import os
import shutil
import sqlite3
from contextlib import closing
from pathlib import Path

import pytest

from memory.engines import sqlite_path
from tests.commands import asked, nimbus

pytestmark = pytest.mark.inline  # each command runs a loop of its own, and prints

SECRET = "xylophone"


@pytest.fixture(autouse=True)
def _own_folder(monkeypatch: pytest.MonkeyPatch, tmp_path: Path, sqlite_url: str) -> None:
    _enter(monkeypatch, tmp_path, sqlite_url)


def _enter(patch: pytest.MonkeyPatch, folder: Path, url: str) -> None:
    for name in os.environ:
        if name.startswith(("NIMBUS_", "OPENAI_")):
            patch.delenv(name)
    patch.setenv("DATABASE_URL", url)
    patch.chdir(folder)


def test_retention_runs_beside_an_answer_once_a_day(sqlite_url: str) -> None:
    first, second = asked("Hello"), asked("Hello")
    with closing(sqlite3.connect(sqlite_path(sqlite_url))) as file, file:
        file.execute("UPDATE conversations SET active_at = 1 WHERE id = ?", [first])
    asked("Hello")
    assert first in nimbus("list").stdout  # it ran today already
    with closing(sqlite3.connect(sqlite_path(sqlite_url))) as file, file:
        file.execute("UPDATE leases SET last_done = last_done - 90000000")

    asked("Hello")

    assert first not in nimbus("list").stdout
    assert second in nimbus("list").stdout


def flipped(whole: bytes, start: int, step: int) -> bytes:
    bytes_ = bytearray(whole)
    for index in range(start, len(bytes_), step):
        bytes_[index] ^= 0xFF
    return bytes(bytes_)


@pytest.fixture(scope="module")
def well_used(tmp_path_factory: pytest.TempPathFactory) -> tuple[str, bytes]:
    """A conversation, and the whole file in which it stands beside others."""
    with pytest.MonkeyPatch.context() as patch:
        folder = tmp_path_factory.mktemp("well_used")
        _enter(patch, folder, f"sqlite:///{folder / 'nimbus.db'}")
        conversation = asked(f"My {SECRET} is lost")
        for _ in range(3):
            asked(f"Can I get a refund for order #1043, with its {SECRET}?")
        nimbus("purge")
    return conversation, (folder / "nimbus.db").read_bytes()


@pytest.mark.parametrize("step", [997, 50_021])
@pytest.mark.parametrize("start", [101, 9_000, 41_003])
def test_every_command_works_on_a_damaged_database_or_says_so(
    sqlite_url: str, well_used: tuple[str, bytes], start: int, step: int
) -> None:
    file = sqlite_path(sqlite_url)
    conversation, whole = well_used
    damaged = flipped(whole, start, step)

    for command in (
        ["list"],
        ["show", conversation, "--trace"],
        ["show", conversation, "--context"],
        ["ask", "Hello", "--conversation", conversation],
        ["ask", "Hello"],
        ["migrate"],
        ["export", conversation],
        ["backup", f"{start}.db"],
        ["link", "slack:T1:U1", "demo"],
        ["forget", conversation],
        ["purge"],
    ):
        file.write_bytes(damaged)
        for beside in ("-wal", "-shm"):
            Path(f"{file}{beside}").unlink(missing_ok=True)
        result = nimbus(*command)

        assert result.exit_code in {0, 1, 4}, command
        assert result.exit_code != 4 or result.stderr.endswith(".\n")
        assert SECRET not in result.stderr
        Path(f"{start}.db").unlink(missing_ok=True)


@pytest.fixture
def crashed(sqlite_url: str, tmp_path: Path) -> Path:
    """A file whose last chat was killed after a backup: its log still stands beside it."""
    file = sqlite_path(sqlite_url)
    asked("This was said before")
    assert nimbus("backup", "copy.db").exit_code == 0
    with closing(sqlite3.connect(file)) as reader:  # it keeps the log from being folded in
        reader.execute("BEGIN")
        reader.execute("SELECT count(*) FROM messages").fetchall()
        asked("This was said after")
        for beside in ("", "-wal", "-shm"):
            shutil.copy(f"{file}{beside}", tmp_path / f"crashed.db{beside}")
    return tmp_path / "crashed.db"


def test_a_backup_is_restored_after_a_crash(crashed: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The steps that README gives."""
    monkeypatch.setenv("DATABASE_URL", f"sqlite:///{crashed}")
    for end in ("-wal", "-shm"):
        Path(f"{crashed}{end}").unlink()
    shutil.copy("copy.db", crashed)

    listed = nimbus("list")

    assert (listed.exit_code, listed.stderr) == (0, "")
    assert "This was said before" in listed.stdout
    assert "This was said after" not in listed.stdout


def test_a_damaged_database_says_how_to_restore_one(sqlite_url: str) -> None:
    file = sqlite_path(sqlite_url)
    file.write_bytes(flipped(file.read_bytes(), 101, 997))

    result = nimbus("list")

    assert result.exit_code == 4
    assert "remove the files beside it that end in -wal and -shm, then copy" in result.stderr


def test_another_program_s_database_is_left_as_it_is(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with closing(sqlite3.connect(tmp_path / "books.db")) as other:
        other.execute("CREATE TABLE books (title)")
    before = (tmp_path / "books.db").read_bytes()
    monkeypatch.setenv("DATABASE_URL", "sqlite:///books.db")

    for command in (["list"], ["migrate"], ["ask", "Hello"]):
        result = nimbus(*command)
        assert result.exit_code == 4
        assert result.stderr.startswith("The database is another program's")

    assert (tmp_path / "books.db").read_bytes() == before


def test_a_folder_is_no_database(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "folder").mkdir()
    monkeypatch.setenv("DATABASE_URL", "sqlite:///folder")

    result = nimbus("list")

    assert result.exit_code == 4
    assert result.stderr.startswith("The database must be a file, and this is a folder: ")


def test_migrate_tells_what_was_new(monkeypatch: pytest.MonkeyPatch) -> None:
    assert nimbus("migrate").stdout == "Nothing was new.\n"
    monkeypatch.setenv("DATABASE_URL", "sqlite:///fresh.db")

    assert "Applied 0001" in nimbus("migrate").stdout


def test_backup_copies_and_never_overwrites(monkeypatch: pytest.MonkeyPatch) -> None:
    conversation = asked("Hello")

    first, second = nimbus("backup", "copy.db"), nimbus("backup", "copy.db")
    monkeypatch.setenv("DATABASE_URL", "sqlite:///copy.db")

    assert (first.exit_code, first.stdout) == (0, "Copied to copy.db.\n")
    assert second.exit_code == 4
    assert conversation in nimbus("list").stdout


@pytest.mark.parametrize("url", ["sqlite:///absent/nimbus.db", "sqlite:///broken.db"])
def test_a_database_that_cannot_be_used_is_one_sentence(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, url: str
) -> None:
    (tmp_path / "broken.db").write_text("This is no database. " * 100)
    monkeypatch.setenv("DATABASE_URL", url)

    result = nimbus("list")

    assert result.exit_code == 4
    assert result.stderr.count("\n") == 1
    assert "Error" not in result.stderr
