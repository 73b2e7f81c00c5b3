"""A chat whose database is in the way."""

from __future__ import annotations

import sqlite3
from pathlib import Path

import pytest

from tests.terminal import REFUND, nimbus, terminal

pytestmark = pytest.mark.slow


async def test_a_chat_whose_database_goes_ends(tmp_path: Path) -> None:
    async with terminal(tmp_path, "chat") as chat:
        await chat.until_asked()
        chat.type(f"{REFUND}\r")
        await chat.until("No, order 1043")
        await chat.until_asked()
        (tmp_path / "chat.db").unlink()
        chat.type("Hello?\r")
        await chat.until("was deleted or replaced while it was open")
        assert await chat.end() == 4


def test_a_pipe_whose_questions_stay_open_ends_with_a_code(tmp_path: Path) -> None:
    broken = {"NIMBUS_MODEL": "openai:none", "OPENAI_BASE_URL": "http://127.0.0.1:9/v1"}

    chat = nimbus(tmp_path, "chat", typed="Hello\nHello\n", OPENAI_API_KEY="x", **broken)

    assert chat.returncode == 1
    assert chat.stdout.count("The language model failed") == 2


def test_a_locked_database_is_one_sentence(tmp_path: Path) -> None:
    nimbus(tmp_path, "migrate")
    other = sqlite3.connect(tmp_path / "chat.db", isolation_level=None)
    other.execute("BEGIN EXCLUSIVE")

    asked = nimbus(tmp_path, "ask", "Hello")
    other.close()

    assert asked.returncode == 4
    assert asked.stderr.count("\n") == 1
    assert asked.stdout == ""


def test_a_newer_database_is_one_sentence(tmp_path: Path) -> None:
    nimbus(tmp_path, "migrate")
    with sqlite3.connect(tmp_path / "chat.db") as newer:
        newer.execute("INSERT INTO schema_migrations VALUES (9999, '9999_later', 'x', 0)")
    newer.close()

    asked = nimbus(tmp_path, "ask", "Hello")

    assert asked.returncode == 4
    assert asked.stderr.count("\n") == 1
    assert "Traceback" not in asked.stderr


def test_a_folder_that_cannot_be_written_is_one_sentence(tmp_path: Path) -> None:
    asked = nimbus(tmp_path, "ask", "Hello", DATABASE_URL="sqlite:////proc/nimbus.db")

    assert asked.returncode == 4
    assert asked.stderr.count("\n") == 1
