"""How commands end: a sentence for each failure with a name, and its code."""

from __future__ import annotations

import io
import sys
from pathlib import Path

import pytest
import typer

from bot.cli import shell
from bot.cli.shell import Ending, Refusal, run, typed
from bot.errors import AlreadyRunningError, ConfigError
from bot.settings import Settings
from memory.errors import ConstraintError, DatabaseFullError, UnknownConversationError

pytestmark = pytest.mark.inline  # each command runs a loop of its own


def ended(error: BaseException | None = None, ending: Ending | None = None) -> int:
    async def command(_settings: Settings) -> Ending | None:
        if error is not None:
            raise error
        return ending

    with pytest.raises(typer.Exit) as caught:
        run(command)
    return caught.value.exit_code


@pytest.mark.parametrize(
    ("error", "code", "sentence"),
    [
        (ConfigError("A.", "B."), 3, "A.\nB.\n"),
        (DatabaseFullError("The disk is full."), 4, "The disk is full.\n"),
        (ConstraintError("It contradicts."), 4, "It contradicts.\n"),
        (AlreadyRunningError("Another one."), 5, "Another one.\n"),
        (Refusal("No."), 1, "No.\n"),
        (
            UnknownConversationError("x"),
            1,
            "There is no conversation with this id; list shows those that there are.\n",
        ),
        (PermissionError(13, "Permission denied", "a.txt"), 1, "a.txt: Permission denied.\n"),
        (OSError(), 1, "Input or output: failed.\n"),
        (KeyboardInterrupt(), 1, ""),
        (
            ExceptionGroup("outer", [ExceptionGroup("inner", [DatabaseFullError("Full.")])]),
            4,
            "Full.\n",
        ),
    ],
)
def test_a_failure_with_a_name_is_a_sentence_and_a_code(
    capsys: pytest.CaptureFixture[str], error: BaseException, code: int, sentence: str
) -> None:
    assert ended(error) == code
    assert capsys.readouterr().err == sentence


def test_a_command_that_says_nothing_is_done() -> None:
    assert ended() == 0
    assert ended(ending=Ending.FAILED) == 1


@pytest.mark.parametrize(
    "defect", [ZeroDivisionError(), ExceptionGroup("group", [ZeroDivisionError()])]
)
def test_a_defect_is_not_hidden(defect: Exception) -> None:
    async def command(_settings: Settings) -> None:
        raise defect

    with pytest.raises(type(defect)):
        run(command)


def test_a_reader_that_went_away_is_not_told(capsys: pytest.CaptureFixture[str]) -> None:
    assert ended(BrokenPipeError()) == 1
    assert capsys.readouterr().err == ""


def test_what_could_not_be_written_is_not_tried_again(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    with open("/dev/full", "w") as full:  # noqa: PTH123 - as a shell opens it
        monkeypatch.setattr(sys, "stdout", full)
        full.write("An answer.")

        assert ended() == 1
    assert capsys.readouterr().err == "Input or output: No space left on device.\n"


def test_streams_that_are_closed_are_opened(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("stdin", "stdout", "stderr"):
        monkeypatch.setattr(sys, name, None)

    shell.open_what_is_closed()

    assert sys.stdin.read() == ""
    print("A notice.", file=sys.stderr, flush=True)  # noqa: T201 - the stream is what is tested
    with pytest.raises(OSError, match="Bad file descriptor"):
        print("An answer.", flush=True)  # noqa: T201 - as above
    shell.drop_what_cannot_be_written()
    for stream in (sys.stdin, sys.stdout, sys.stderr):
        stream.close()


def test_streams_that_are_open_stay(monkeypatch: pytest.MonkeyPatch) -> None:
    opened = io.StringIO()
    for name in ("stdin", "stdout", "stderr"):
        monkeypatch.setattr(sys, name, opened)

    shell.open_what_is_closed()

    assert sys.stdin is sys.stdout is sys.stderr is opened


def test_a_terminal_that_knows_few_characters_is_no_reason_to_fail(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    poor = io.TextIOWrapper(io.BytesIO(), encoding="ascii")
    monkeypatch.setattr(sys, "stdout", poor)
    monkeypatch.setattr(sys, "stderr", io.StringIO())

    shell.replace_what_cannot_be_written()

    assert poor.errors == "replace"


@pytest.mark.parametrize(
    ("argument", "python", "expected"),
    [
        ("/usr/local/bin/nimbus", "/usr/bin/python3", "nimbus"),
        ("/bot/bot/__main__.py", "/bot/.venv/bin/python", ".venv/bin/python -m bot"),
        ("/bot/bot/__main__.py", "/usr/bin/python3", "/usr/bin/python3 -m bot"),
        ("/bot/bot/__main__.py", "/a b/python", "'/a b/python' -m bot"),
    ],
)
def test_hints_can_be_typed(argument: str, python: str, expected: str) -> None:
    assert typed(argument, python, Path("/bot")) == expected
