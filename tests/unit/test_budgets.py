"""How much Nimbus may do, as its settings say."""

from __future__ import annotations

from pathlib import Path

import pytest

from bot.errors import ConfigError
from bot.limits import limits_of
from bot.settings import Limits, Settings


def test_so_much_may_be_used_unless_somebody_says_otherwise() -> None:
    settings = Settings()

    assert settings.messages_per_minute == 20
    assert (settings.person_tokens_per_day, settings.total_tokens_per_day) == (10**6, 10**7)
    assert limits_of(settings) == Limits(running_turns=20, running_turns_per_model=20)


@pytest.mark.parametrize(
    ("in_all", "at_each", "models", "expected"),
    [(20, 0, 0, 20), (20, 0, 1, 20), (20, 0, 2, 15), (1, 0, 3, 1), (20, 4, 1, 4)],
)
def test_of_several_models_none_may_hold_all_places(
    in_all: int, at_each: int, models: int, expected: int
) -> None:
    settings = Settings(running_turns=in_all, running_turns_per_model=at_each)

    assert settings.turns_at_each_of(models) == expected


def test_limits_are_numbers(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("NIMBUS_TOTAL_TOKENS_PER_DAY", "-1")
    monkeypatch.setenv("NIMBUS_RUNNING_TURNS", "0")
    with pytest.raises(ConfigError) as caught:
        Settings.load()

    assert caught.value.problems == (
        "NIMBUS_TOTAL_TOKENS_PER_DAY must be a whole number from 0 up, where 0 is no limit.",
        "NIMBUS_RUNNING_TURNS must be a whole number of turns from 1 to 1000.",
    )
