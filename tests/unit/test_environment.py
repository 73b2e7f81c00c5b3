"""The file `.env`, and names that no setting has."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from bot.errors import ConfigError
from bot.settings import Settings

SECRET = "sk-very-secret"


@pytest.fixture(autouse=True)
def _bare_environment(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    for name in os.environ:
        if name.startswith(("NIMBUS_", "OPENAI_", "GEMINI_")) or name == "DATABASE_URL":
            monkeypatch.delenv(name)
    monkeypatch.chdir(tmp_path)


def problems() -> tuple[str, ...]:
    with pytest.raises(ConfigError) as caught:
        Settings.load()
    return caught.value.problems


def test_the_file_env_is_read_and_the_environment_wins(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    (tmp_path / ".env").write_text("NIMBUS_NAME=Filed\nNIMBUS_RETENTION_DAYS=7\nOTHER=1\n")
    monkeypatch.setenv("NIMBUS_NAME", "Set")

    assert (Settings.load().name, Settings.load().retention_days) == ("Set", 7)


def test_a_file_env_that_is_no_text_is_one_sentence(tmp_path: Path) -> None:
    (tmp_path / ".env").write_bytes(b"NIMBUS_NAME=\xff\xfe\n")

    assert problems() == ("The file .env cannot be read as UTF-8 text.",)


def test_a_slip_of_the_pen_is_told_with_what_may_be_meant(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    (tmp_path / ".env").write_text("NIMBUS_RETENTION_DAY=7\nOTHER=1\n")
    monkeypatch.setenv("NIMBUS_DURABLE", "full")

    slips = (
        "NIMBUS_DURABLE is no setting of Nimbus. Is NIMBUS_DURABILITY meant?",
        "NIMBUS_RETENTION_DAY is no setting of Nimbus. Is NIMBUS_RETENTION_DAYS meant?",
    )
    assert problems() == slips
    monkeypatch.setenv("NIMBUS_HISTORY", "perhaps")
    assert problems() == (*slips, "NIMBUS_HISTORY must be true or false.")


def test_a_line_of_env_that_makes_no_sense_is_named(tmp_path: Path) -> None:
    (tmp_path / ".env").write_text(
        f"# fine\n\nNIMBUS_NAME=x\n\nOPENAI_API_KEY='{SECRET}\nNIMBUS_MODEL\n"
    )

    assert problems() == (
        "Line 5 of .env cannot be understood; it must be NAME=value.",
        "Line 6 of .env cannot be understood; it must be NAME=value.",
    )


def test_a_folder_is_no_env(tmp_path: Path) -> None:
    (tmp_path / ".env").mkdir()

    assert problems() == (".env is a folder; it must be a file of lines NAME=value.",)


def test_an_env_that_cannot_be_read_is_named(tmp_path: Path) -> None:
    (tmp_path / ".env").symlink_to(tmp_path / ".env")  # round and round

    assert problems() == ("The file .env cannot be read: Too many levels of symbolic links.",)
