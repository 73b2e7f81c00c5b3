"""The command line in this process: what it prints, and with which code it ends."""

from __future__ import annotations

import asyncio
import json
import os
import re
import sqlite3
import sys
import tomllib
from collections.abc import Sequence
from pathlib import Path

import pytest

from bot.__main__ import main
from bot.cli.place import this_person
from memory.database import wall_clock
from memory.engines import open_database
from tests.benchmarks.startup import ROOT
from tests.commands import asked, nimbus
from tests.fakes import FakeClock
from tests.seat import left_waiting

pytestmark = pytest.mark.inline  # each command runs a loop of its own, and prints


@pytest.fixture(autouse=True)
def _own_folder(monkeypatch: pytest.MonkeyPatch, tmp_path: Path, sqlite_url: str) -> None:
    for name in os.environ:
        if name.startswith(("NIMBUS_", "OPENAI_")):
            monkeypatch.delenv(name)
    monkeypatch.setenv("DATABASE_URL", sqlite_url)
    monkeypatch.chdir(tmp_path)


def test_ask_puts_the_answer_on_stdout_and_the_id_on_stderr() -> None:
    result = nimbus("ask", "Can I get a refund for order #1043?")

    assert result.exit_code == 0
    assert result.stdout.startswith("No, order 1043 (coffee grinder) is not eligible")
    assert re.fullmatch(r"conversation \w{32}\n", result.stderr)


def test_ask_wants_a_question() -> None:
    assert nimbus("ask", " ").exit_code == 2


def test_ask_ends_with_a_code_when_there_is_no_answer(tmp_path: Path) -> None:
    (tmp_path / ".env").write_text(
        "NIMBUS_MODEL=openai:none\nOPENAI_BASE_URL=http://127.0.0.1:9/v1\nOPENAI_API_KEY=x\n"
    )

    result = nimbus("ask", "Hello")

    assert result.exit_code == 1
    assert result.stdout.startswith("The language model failed, so I have no answer.")


def test_ask_goes_on_with_a_conversation() -> None:
    conversation = asked("Can I get a refund for order #1042?")

    result = nimbus("ask", "Yes please.", "--conversation", conversation)

    assert "T-0001" in result.stdout
    assert conversation in result.stderr


def test_ask_puts_what_was_asked_before_beside_its_answer(sqlite_url: str) -> None:
    async def die() -> str:
        file = await open_database(sqlite_url)
        conversation = await left_waiting(file, "Can I get a refund for order #1043?", person)
        await file.close()
        return conversation

    asked("Hello")
    person = this_person()
    conversation = asyncio.run(die())

    result = nimbus("ask", "Can I get a refund for order #1042?", "--conversation", conversation)

    assert "No, order 1043" in result.stderr
    assert result.stdout.startswith("Yes, order 1042")


def test_ask_tells_the_steps_when_it_is_to() -> None:
    result = nimbus("ask", "Can I get a refund for order #1043?", "-v")

    assert "[step 0] memory: 0 earlier messages, 0 characters\n" in result.stderr
    assert '[step 1] model → check_refund_eligibility({"order_id": 1043}) (' in result.stderr
    assert "step" not in result.stdout


def test_list_shows_what_was_said_in() -> None:
    conversation = asked("Can I get a refund for order #1043?")

    lines = nimbus("list").stdout.splitlines()
    listed = json.loads(nimbus("list", "--json").stdout)

    assert lines[0].startswith(f"{conversation}  ")
    assert "  1 turn  terminal:" in lines[0]
    assert [each["id"] for each in listed] == [conversation]


def test_list_says_that_there_is_nothing() -> None:
    result = nimbus("list")

    assert (result.exit_code, result.stdout) == (0, "")
    assert result.stderr == "Nothing was said yet.\n"


def test_show_prints_questions_and_answers() -> None:
    conversation = asked("Can I get a refund for order #1043?")

    shown = nimbus("show", conversation).stdout

    assert shown.startswith(f"{conversation} · terminal · begun ")
    assert ": Can I get a refund for order #1043?\nNimbus: No, order 1043" in shown


def test_show_prints_every_step() -> None:
    conversation = asked("Can I get a refund for order #1043?")

    shown = nimbus("show", conversation, "--trace").stdout

    assert "turn 1 · answered · offline · model " in shown
    assert '  model → check_refund_eligibility({"order_id": 1043})\n' in shown
    assert '  check_refund_eligibility → {"order_id":1043' in shown


def test_show_and_export_print_json() -> None:
    conversation = asked("Can I get a refund for order #1043?")

    shown = json.loads(nimbus("show", conversation, "--json").stdout)
    exported = json.loads(nimbus("export", conversation).stdout)

    assert shown == exported
    assert shown["conversation"]["id"] == conversation
    assert shown["conversation"]["place"].startswith("terminal:local:chat:")
    assert [turn["outcome"] for turn in shown["turns"]] == ["answered"]


def test_show_prints_what_the_next_question_would_send() -> None:
    conversation = asked("Can I get a refund for order #1043?")

    context = nimbus("show", conversation, "--context").stdout
    full = nimbus("show", conversation, "--context", "--full", "--question", "And 1042?").stdout
    as_json = json.loads(nimbus("show", conversation, "--context", "--json").stdout)

    assert "== turn 1 · full" in context
    assert "You are" not in context
    assert "And 1042?" in full
    assert "list_orders: " in full
    assert as_json["request"]["messages"][0]["role"] == "user"


@pytest.mark.parametrize(
    "arguments", [["--full"], ["--question", "x"], ["--context", "--trace"], ["--nonsense"]]
)
def test_options_that_do_not_go_together_are_a_matter_of_usage(arguments: Sequence[str]) -> None:
    assert nimbus("show", "f" * 32, *arguments).exit_code == 2


@pytest.mark.parametrize("unknown", ["f" * 32, "zz", "a b", "\x1b[2J"])
@pytest.mark.parametrize(
    "command",
    [["show"], ["show", "--context"], ["export"], ["forget"], ["ask", "x", "--conversation"],
     ["chat", "--resume"]],
)  # fmt: skip
def test_an_unknown_id_is_one_sentence(command: Sequence[str], unknown: str) -> None:
    result = nimbus(*command, unknown)

    assert result.exit_code == 1
    assert result.stderr == (
        "There is no conversation with this id; list shows those that there are.\n"
    )


def test_forget_leaves_no_byte(tmp_path: Path) -> None:
    conversation = asked("My cat is called Xylophone")
    files = b"".join(file.read_bytes() for file in tmp_path.iterdir())

    result = nimbus("forget", conversation)

    assert re.match(r"Forgotten: 1 conversation, 1 turn, \d messages\. ", result.stdout)
    assert b"Xylophone" in files
    assert b"Xylophone" not in b"".join(file.read_bytes() for file in tmp_path.iterdir())


def test_forget_says_when_the_log_could_not_be_emptied(tmp_path: Path) -> None:
    conversation = asked("My cat is called Xylophone")
    reader = sqlite3.connect(tmp_path / "nimbus.db")
    reader.execute("BEGIN")
    reader.execute("SELECT count(*) FROM messages").fetchall()

    result = nimbus("forget", conversation)
    reader.close()

    assert result.exit_code == 1
    assert result.stdout.startswith("Forgotten: 1 conversation")
    assert result.stderr.startswith("Another program is reading the database. Until purge")
    assert nimbus("purge").stderr == ""
    assert b"Xylophone" not in b"".join(file.read_bytes() for file in tmp_path.iterdir())


def test_purge_tells_how_much_went() -> None:
    assert nimbus("purge").stdout == "Deleted: 0 conversations without activity for 30 days.\n"


@pytest.mark.parametrize(("days_ago", "shown"), [(31, ""), (1, "(waiting)\n")])
def test_purge_ends_what_waits_in_a_dead_chat_past_the_window_only(
    sqlite_url: str, days_ago: int, shown: str
) -> None:
    async def die() -> str:
        past = FakeClock(wall_clock() - days_ago * 24 * 3_600_000)
        file = await open_database(sqlite_url, clock=past)
        conversation = await left_waiting(file, "xylophone", clock=past)
        await file.close()
        return conversation

    conversation = asyncio.run(die())

    assert nimbus("purge").stdout.startswith(f"Deleted: {0 if shown else 1} conversation")
    assert nimbus("show", conversation).stdout.endswith(shown)
    assert ("xylophone" in nimbus("list").stdout) is bool(shown)


def test_tools_are_named(monkeypatch: pytest.MonkeyPatch) -> None:
    shown = nimbus("tools").stdout
    monkeypatch.setenv("NIMBUS_TOOLS", "none")

    assert "get_order (reads)\n    Look up one order" in shown
    assert "create_support_ticket (changes something)\n" in shown
    assert nimbus("tools").stderr.startswith("There are no others")


def test_settings_that_are_wrong_are_all_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("NIMBUS_DURABILITY", "some")
    monkeypatch.setenv("NIMBUS_RETENTION_DAYS", "many")

    result = nimbus("ask", "Hello")

    assert result.exit_code == 3
    assert result.stderr == (
        "NIMBUS_DURABILITY must be full or normal.\n"
        "NIMBUS_RETENTION_DAYS must be a whole number of days from 1 to 36500.\n"
    )


@pytest.mark.parametrize("command", [[], ["ask"], ["show"]])
def test_help_is_given_for_the_short_option_too(command: Sequence[str]) -> None:
    short, long = nimbus(*command, "-h"), nimbus(*command, "--help")

    assert (short.exit_code, short.stdout) == (0, long.stdout)
    assert "Usage:" in short.stdout


def test_the_version_is_the_packages() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]

    result = nimbus("--version")

    assert (result.exit_code, result.stdout) == (0, f"nimbus {project['version']}\n")


def test_a_backup_to_stdout_is_a_matter_of_usage(tmp_path: Path) -> None:
    assert nimbus("backup", "-").exit_code == 2
    assert not (tmp_path / "-").exists()


def test_run_without_a_platform_is_a_configuration_error() -> None:
    result = nimbus("run")

    assert result.exit_code == 3
    assert result.stderr.startswith("There is no chat platform to listen on")


def test_nothing_at_all_shows_what_there_is() -> None:
    result = nimbus()

    assert result.exit_code == 2
    assert "chat" in result.output


def test_the_installed_command_is_the_same(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(sys, "argv", ["nimbus", "tools"])

    with pytest.raises(SystemExit) as caught:
        main()

    assert caught.value.code == 0
    assert "get_order" in capsys.readouterr().out
