"""RELIABILITY.md names tests that exist, and the statements that a turn really executes."""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import cache
from pathlib import Path

import pytest

from tests.benchmarks.house import talking
from tests.benchmarks.recording import Recorded
from tests.faults.plants import PLANTS

ROOT = Path(__file__).resolve().parents[2]
_TEST = re.compile(r"^(?:async )?def (test_\w+)", re.MULTILINE)
_ROW = re.compile(r"^\| (\w[\w ]*) \| (tool|) ?\| (read|write) \| (.+) \|$", re.MULTILINE)
_INNER = re.compile(r"\([^()]*\)")
_TABLE = re.compile(
    r"^(INSERT) INTO (\w+)|^(UPDATE) (\w+)|^(DELETE) FROM (\w+)|^(SELECT)\b.*?\bFROM (\w+)"
)


@cache
def document() -> str:
    return (ROOT / "RELIABILITY.md").read_text()


def test_every_test_that_is_named_exists() -> None:
    named = set(re.findall(r"`(test_\w+)`", document()))
    found = {
        name
        for file in (ROOT / "tests").rglob("test_*.py")
        for name in _TEST.findall(file.read_text())
    }

    assert len(named) > 50
    assert named - found == set()


def test_every_plant_that_is_named_exists() -> None:
    named = set(re.findall(r"\| `([^`|]+)` \|$", document(), re.MULTILINE)) - set(
        re.findall(r"`(test_\w+)`", document())
    )

    assert len(named) > 15
    assert named - {each.name for each in PLANTS} == set()


def test_every_plant_follows_the_code() -> None:
    """It replaces a text that stands there once."""
    edits = [(each.name, edit) for each in PLANTS for edit in each.edits]

    assert [
        (name, edit.file)
        for name, edit in edits
        if (ROOT / edit.file).read_text().count(edit.old) != 1
    ] == []


@pytest.mark.parametrize("uses_tool", [False, True])
async def test_the_statements_of_a_turn_are_those_in_the_list(
    tmp_path: Path, *, uses_tool: bool
) -> None:
    listed = [
        (kind, statements.split(" · "))
        for _what, tool, kind, statements in _ROW.findall(document())
        if uses_tool or not tool
    ]

    async with talking(tmp_path / "nimbus.db", uses_tool=uses_tool) as talk:
        await talk.turn()
        done = await talk.turn()

    assert [(each.kind, told(each)) for each in done] == listed
    commits = sum(each.kind == "write" for each in done)
    statements = sum(len(each.statements) for each in done)
    assert f"**{commits} commits and {statements} statements**" in " ".join(document().split())


def told(transaction: Recorded) -> Sequence[str]:
    return [summary(each.sql) for each in transaction.statements]


def summary(sql: str) -> str:
    """What is done, and to which table."""
    text = " ".join(sql.split())
    while (shorter := _INNER.sub("", text)) != text:
        text = shorter
    found = _TABLE.match(text)
    assert found, text
    return " ".join(group for group in found.groups() if group)
