"""PRIVACY.md names every table, and says of each when its rows go."""

from __future__ import annotations

import re
from functools import cache
from pathlib import Path

import pytest

from bot.commands import WORDS
from bot.settings import Settings
from memory.erase_rules import RULES
from memory.keys import SEEN_KEPT
from memory.workspaces import DAY

ROOT = Path(__file__).resolve().parents[2]
_ROW = re.compile(r"^\| ((?:`\w+`(?:, )?)+) \| (?P<what>.+) \| (?P<goes>.+) \|$", re.MULTILINE)
_SAYS = {
    "with its conversation": "with its|forget",
    "with its person": "forget me",
    "after its time": "after|in seconds",
    "never": "never; no person in it",
}


@cache
def document() -> str:
    return (ROOT / "PRIVACY.md").read_text("utf-8")


def _told() -> dict[str, str]:
    """When each table goes, in the document's words."""
    return {
        table: row["goes"]
        for row in _ROW.finditer(document())
        for table in re.findall(r"`(\w+)`", row[1])
    }


def test_every_table_is_named_and_no_other() -> None:
    assert set(_told()) == set(RULES)


@pytest.mark.parametrize("table", RULES)
def test_of_each_table_it_says_when_it_goes(table: str) -> None:
    assert re.search(_SAYS[RULES[table].goes], _told()[table])


def test_every_setting_and_command_that_it_names_exists() -> None:
    named = set(re.findall(r"`NIMBUS_(\w+?)(?:=\w+)?`", document()))
    commands = set(re.findall(r"`(forget|forget me|memory|export|help|status)`", document()))

    assert {name.lower() for name in named} <= set(Settings.model_fields)
    assert commands <= WORDS


def test_its_figures_are_those_of_the_code() -> None:
    assert f"after {SEEN_KEPT // DAY} days" in _told()["seen"]
    assert "400 days" in _told()["forgotten"]


def test_the_readme_links_it() -> None:
    assert "(PRIVACY.md)" in (ROOT / "README.md").read_text("utf-8")
