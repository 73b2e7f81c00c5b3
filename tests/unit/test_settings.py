"""Settings: defaults, aliases, mistakes in words, and no secret anywhere."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from bot.errors import ConfigError
from bot.settings import Settings

SECRET = "sk-very-secret"
NO_MODEL = (
    "NIMBUS_MODEL must be openai:NAME or gemini:NAME, several with commas between them, or offline."
)


@pytest.fixture(autouse=True)
def _bare_environment(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    for name in os.environ:
        if name.startswith(("NIMBUS_", "OPENAI_", "GEMINI_", "SLACK_")) or name == "DATABASE_URL":
            monkeypatch.delenv(name)
    monkeypatch.chdir(tmp_path)


def problems() -> tuple[str, ...]:
    with pytest.raises(ConfigError) as caught:
        Settings.load()
    return caught.value.problems


def test_nothing_set_is_the_offline_demo_on_one_file() -> None:
    settings = Settings.load()

    assert settings.database_url == "sqlite:///nimbus.db"
    assert settings.model is None
    assert settings.tools == ("bot.tools.support",)
    assert settings.retention_days == 30
    assert (settings.context_budget, settings.recent_turns, settings.history) == (12_000, 2, True)
    assert settings.read_instructions() == ""


def test_the_usual_names_of_other_libraries_are_aliases(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("NIMBUS_NUM_HISTORY_RESPONSES", "5")
    monkeypatch.setenv("NIMBUS_ADD_HISTORY_TO_MESSAGES", "false")

    assert (Settings.load().recent_turns, Settings.load().history) == (5, False)
    for alias in ("CREATE_USER_MEMORIES", "UPDATE_USER_MEMORIES_AFTER_RUN"):
        with monkeypatch.context() as each:
            each.setenv(f"NIMBUS_{alias}", "false")
            assert not Settings.load().notes
    assert Settings.load().notes


def test_own_names_are_read(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("NIMBUS_RECENT_TURNS", "3")
    monkeypatch.setenv("NIMBUS_HISTORY", "no")
    monkeypatch.setenv("NIMBUS_DATABASE_URL", "postgres://u:p@h/n")
    monkeypatch.setenv("NIMBUS_NAME", "")

    settings = Settings.load()

    assert (settings.recent_turns, settings.history) == (3, False)
    assert settings.database_url == "postgres://u:p@h/n"
    assert settings.name == "Nimbus"


def test_tokens_of_slack_come_one_by_one_and_are_never_shown(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv("SLACK_BOT_TOKEN", "xoxb-1, xoxb-2,")
    monkeypatch.setenv("NIMBUS_SLACK_APP_TOKEN", "xapp-1,xapp-2")

    settings = Settings.load()

    assert [token.get_secret_value() for token in settings.slack_bot_token] == ["xoxb-1", "xoxb-2"]
    assert [token.get_secret_value() for token in settings.slack_app_token] == ["xapp-1", "xapp-2"]
    assert "xoxb" not in repr(settings)
    assert settings.slack_api_url == "https://slack.com/api/"


def test_the_address_of_slack_is_one(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SLACK_API_URL", "slack.com")

    assert problems() == ("SLACK_API_URL must be an address that begins with http:// or https://.",)


@pytest.mark.parametrize(
    ("given", "tools"),
    [("json.tool, email.utils,", ("json.tool", "email.utils")), ("none", ())],
)
def test_tools_are_a_list_with_commas(
    monkeypatch: pytest.MonkeyPatch, given: str, tools: tuple[str, ...]
) -> None:
    monkeypatch.setenv("NIMBUS_TOOLS", given)

    assert Settings.load().tools == tools


def test_tools_may_be_given_as_values() -> None:
    assert Settings(tools=("json.tool",)).tools == ("json.tool",)


def test_instructions_are_a_file(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    (tmp_path / "house.md").write_text("Be brief.\n")
    monkeypatch.setenv("NIMBUS_INSTRUCTIONS", "house.md")

    assert Settings.load().read_instructions() == "Be brief."


def test_every_mistake_is_named_at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    for name, value in {
        "DATABASE_URL": "mysql://root:hunter2@host/x",
        "OPENAI_BASE_URL": "localhost",
        "NIMBUS_MODEL": "gpt",
        "NIMBUS_INSTRUCTIONS": "absent.md",
        "NIMBUS_RETENTION_DAYS": "0",
        "NIMBUS_NUM_HISTORY_RESPONSES": "-1",
        "NIMBUS_DURABILITY": "none",
        "NIMBUS_OPENAI_API": "completions",
    }.items():
        monkeypatch.setenv(name, value)

    told = problems()

    assert told == (
        "DATABASE_URL must be sqlite:///FILE or postgresql://USER:PASSWORD@HOST/NAME.",
        "NIMBUS_DURABILITY must be full or normal.",
        "OPENAI_BASE_URL must be an address that begins with http:// or https://.",
        "NIMBUS_OPENAI_API must be chat or responses.",
        NO_MODEL,
        "NIMBUS_INSTRUCTIONS must be a file of plain UTF-8 text that Nimbus may read.",
        "NIMBUS_RETENTION_DAYS must be a whole number of days from 1 to 36500.",
        "NIMBUS_RECENT_TURNS must be a whole number of turns from 0 to 1000.",
    )
    assert "hunter2" not in "".join(told)


@pytest.mark.parametrize(
    "url",
    [
        *("sqlite:///", "http://", "nimbus.db", "sqlite:///:memory:", "sqlite:///a.db?mode=ro"),
        *("postgresql://host:99999/n", "postgresql://u:p@a:5432,b:none/n"),
    ],
)
def test_a_database_url_without_a_database_is_refused(
    monkeypatch: pytest.MonkeyPatch, url: str
) -> None:
    monkeypatch.setenv("DATABASE_URL", url)

    assert problems()[0].startswith("DATABASE_URL must be ")


@pytest.mark.parametrize("provider", ["openai", "gemini"])
def test_a_key_asks_for_a_model(monkeypatch: pytest.MonkeyPatch, provider: str) -> None:
    monkeypatch.setenv(f"{provider.upper()}_API_KEY", SECRET)

    assert problems() == (
        (
            f"{provider.upper()}_API_KEY is set, so NIMBUS_MODEL must name a model: "
            f"NIMBUS_MODEL={provider}:NAME, or NIMBUS_MODEL=offline to use no provider."
        ),
    )


def test_a_key_may_be_left_unused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", SECRET)
    monkeypatch.setenv("NIMBUS_MODEL", "offline")

    assert Settings.load().model is None


@pytest.mark.parametrize("title", ["OpenAI", "Gemini"])
def test_a_model_asks_for_the_key_of_its_provider(
    monkeypatch: pytest.MonkeyPatch, title: str
) -> None:
    for other in {"OpenAI", "Gemini"} - {title}:
        monkeypatch.setenv(f"{other.upper()}_API_KEY", SECRET)
    monkeypatch.setenv("NIMBUS_MODEL", f"{title.lower()}:small")

    assert problems() == (
        (
            f"NIMBUS_MODEL names a model of {title}, so {title.upper()}_API_KEY must be set "
            f"(or {title.upper()}_BASE_URL, for a server that needs no key)."
        ),
    )


def test_a_compatible_server_needs_no_key(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("NIMBUS_MODEL", "openai:local")
    monkeypatch.setenv("OPENAI_BASE_URL", "http://127.0.0.1:8080/v1")

    assert Settings.load().model == "openai:local"


def test_several_models_are_asked_in_their_order(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", SECRET)
    monkeypatch.setenv("GEMINI_API_KEY", SECRET)
    monkeypatch.setenv("NIMBUS_MODEL", "openai:ft:a:b, gemini:c")

    assert Settings.load().models == (("openai", "ft:a:b"), ("gemini", "c"))


def test_no_model_is_the_offline_one() -> None:
    assert Settings.load().models == ()


@pytest.mark.parametrize("model", ["openai:a,", "openai:a,offline", "openai:a,gemini:", ","])
def test_every_model_of_a_list_must_be_one(monkeypatch: pytest.MonkeyPatch, model: str) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", SECRET)
    monkeypatch.setenv("GEMINI_API_KEY", SECRET)
    monkeypatch.setenv("NIMBUS_MODEL", model)

    assert problems() == (NO_MODEL,)


def test_every_model_of_a_list_asks_for_its_key(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", SECRET)
    monkeypatch.setenv("NIMBUS_MODEL", "openai:a,gemini:b")

    assert problems()[0].startswith("NIMBUS_MODEL names a model of Gemini, so GEMINI_API_KEY")


def test_no_secret_is_ever_shown(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", SECRET)
    monkeypatch.setenv("NIMBUS_MODEL", "openai:small")
    monkeypatch.setenv("DATABASE_URL", f"postgresql://nimbus:{SECRET}@host/nimbus")

    shown = repr(Settings.load()) + str(Settings.load())

    assert SECRET not in shown


@pytest.mark.parametrize(
    "url",
    [
        *("http://127.0.0.1:99999/v1", "http://127.0.0.1:0/v1", "http://host:port/v1"),
        *("http://", "ftp://host", "http://[::1", "http://ho st/v1", "http://host/v\n1", "//host"),
        *("http://host:-1", "http://a..b:80:81/", "http://999.1.1.1/", "http://\u2603.:1/"),
    ],
)
@pytest.mark.parametrize("name", ["OPENAI_BASE_URL", "GEMINI_BASE_URL"])
def test_an_address_that_cannot_be_asked_is_refused(
    monkeypatch: pytest.MonkeyPatch, name: str, url: str
) -> None:
    monkeypatch.setenv(name, url)

    assert problems() == (f"{name} must be an address that begins with http:// or https://.",)


@pytest.mark.parametrize(
    "url", ["http://localhost", "https://u:p@host:8443/v1", "http://[::1]:8080/v1", "http://[::1]"]
)
def test_an_address_that_can_be_asked_is_taken(monkeypatch: pytest.MonkeyPatch, url: str) -> None:
    monkeypatch.setenv("OPENAI_BASE_URL", url)

    assert Settings.load().openai_base_url == url


@pytest.mark.parametrize("url", ["postgresql:///n", "postgresql://u:p@a:5432,[::1]:5433,c/n"])
def test_postgres_addresses_are_taken(monkeypatch: pytest.MonkeyPatch, url: str) -> None:
    monkeypatch.setenv("DATABASE_URL", url)

    assert Settings.load().database_url == url


def test_a_module_that_is_not_there_is_named_with_all_other_mistakes(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    (tmp_path / "broken_package_of_tools").mkdir()
    (tmp_path / "broken_package_of_tools" / "__init__.py").write_text("raise LookupError\n")
    monkeypatch.syspath_prepend(tmp_path)
    found = "broken_package_of_tools.tools"  # what is wrong with it is told when it is loaded
    monkeypatch.setenv("NIMBUS_TOOLS", f"json.tool,absent.tools,json.absent,..,{found}")
    monkeypatch.setenv("NIMBUS_RETENTION_DAYS", "0")

    assert problems() == (
        "NIMBUS_TOOLS: there is no module absent.tools, json.absent, ...",
        "NIMBUS_RETENTION_DAYS must be a whole number of days from 1 to 36500.",
    )


@pytest.mark.parametrize("name", ["Two\nlines", "\x1b[2J"])
def test_a_name_is_one_line(monkeypatch: pytest.MonkeyPatch, name: str) -> None:
    monkeypatch.setenv("NIMBUS_NAME", name)

    assert problems() == ("NIMBUS_NAME must be a name of 1 to 80 characters in one line.",)


def test_ids_are_given_with_commas(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("NIMBUS_ALLOW_CHANNELS", "C1, C2,")

    settings = Settings.load()

    assert settings.allow_channels == {"C1", "C2"}
    assert (settings.follow_up, settings.slack_dm, settings.observe) == ("auto", "flat", True)
