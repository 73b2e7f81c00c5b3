"""The model that sums up: named like those that answer, and those unless it is named."""

from __future__ import annotations

from pathlib import Path

import pytest

from bot.errors import ConfigError
from bot.providers import opened_summariser
from bot.settings import Settings
from tests.fakes import ScriptedModel


@pytest.fixture(autouse=True)
def _given(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("OPENAI_API_KEY", "a-key")
    monkeypatch.setenv("NIMBUS_MODEL", "openai:large")


def loaded(monkeypatch: pytest.MonkeyPatch, model: str) -> Settings:
    monkeypatch.setenv("NIMBUS_SUMMARY_MODEL", model)
    return Settings.load()


def test_those_that_answer_sum_up() -> None:
    assert Settings.load().summary_models == (("openai", "large"),)


def test_another_one_may_sum_up(monkeypatch: pytest.MonkeyPatch) -> None:
    settings = loaded(monkeypatch, "openai:small,openai:large")

    assert settings.models == (("openai", "large"),)
    assert settings.summary_models == (("openai", "small"), ("openai", "large"))


def test_the_offline_one_may(monkeypatch: pytest.MonkeyPatch) -> None:
    assert loaded(monkeypatch, "offline").summary_models == ()


@pytest.mark.parametrize(
    ("model", "sentence"),
    [
        ("gemini:small", "NIMBUS_SUMMARY_MODEL names a model of Gemini, so GEMINI_API_KEY must"),
        ("small", "NIMBUS_SUMMARY_MODEL must be openai:NAME or gemini:NAME, several with commas"),
    ],
)
def test_it_must_be_usable(monkeypatch: pytest.MonkeyPatch, model: str, sentence: str) -> None:
    with pytest.raises(ConfigError) as raised:
        loaded(monkeypatch, model)

    [problem] = raised.value.problems
    assert problem.startswith(sentence)


async def test_one_of_its_own_is_opened_beside_those_that_answer() -> None:
    settings = Settings(model="openai:large", summary_model="offline")
    answering = ScriptedModel()

    async with opened_summariser(settings, answering, None) as model:
        assert model is not None
        assert model.name == "offline"


@pytest.mark.parametrize("model", ["openai:large", "offline"])
async def test_what_stands_in_for_those_that_answer_sums_up(model: str) -> None:
    settings = Settings(model="openai:large", summary_model=model)
    answering = ScriptedModel()

    async with opened_summariser(settings, answering, answering) as found:
        assert found is answering


async def test_without_summaries_there_is_none() -> None:
    settings = Settings(model="openai:large", summaries=False)

    async with opened_summariser(settings, ScriptedModel(), None) as model:
        assert model is None
