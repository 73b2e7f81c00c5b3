"""Settings from the environment, read once, checked all at once, secrets never shown."""

from __future__ import annotations

import os
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Literal, Self

from pydantic import (
    AliasChoices,
    Field,
    SecretStr,
    ValidationError,
    ValidationInfo,
    field_validator,
)
from pydantic_core import ErrorDetails
from pydantic_settings import NoDecode, SettingsConfigDict

from bot.addresses import check_database_address, check_web_address
from bot.audience import Audience
from bot.budgets import Budgets
from bot.environment import is_module, read_names, strangers
from bot.errors import ConfigError
from bot.memories import Memories
from bot.model_names import MODELS, OFFLINE, check_models, check_not_wanted, split

DEMO_DESK = "bot.tools.support"
_FILE = ".env"
_PREFIX = "NIMBUS_"
_TOKENS = "a token of the platform, or several with commas between them"


@dataclass(frozen=True, slots=True)
class Timing:
    """Every length of time in one turn's life, in milliseconds."""

    lease: int = 30_000
    renew: int = 10_000
    retry: int = 1_000  # between two tries while another program holds the database
    margin: int = 5_000  # nothing is sent in the last part of a lease
    accept: int = 2_500  # writing a message down; then the platform sends it again
    send: int = 4_000  # one send; under the margin, so that no send outlives its lease
    look: int = 10_000  # names and what was said before; then the turn does without
    pause: int = 1_000  # after a send that failed; twice as long after the next one
    turn: int = 180_000  # the time limit of an answer
    tool: int = 20_000
    give_up: int = 15 * 60_000  # an undelivered answer has failed; an old question has expired
    sweep: int = 5_000
    opening: int = 5_000  # until those platforms begin that are there
    apart: int = 5_000  # two looks of a `forget me`; longer than `accept`
    patience: int = 12_000  # who said `forget me` waits so long to hear that it is done
    settle: int = 2_000  # after a connection; then what was missed is read
    grace: int = 25_000  # what running turns get at shutdown
    summary: int = 60_000  # a model that sums up; then code does
    rest: int = 3_000  # what the after-work gets at shutdown, once the turns are over


@dataclass(frozen=True, slots=True)
class Limits:
    """What bounds one turn."""

    steps: int = 8  # model calls
    repeats: int = 2  # the same call with the same arguments is run so often
    result_bytes: int = 16_000
    question_characters: int = 20_000
    attempts: int = 3  # a turn is begun so often
    running_turns: int = 20
    running_turns_per_model: int = 20


def _named(usual: str) -> AliasChoices:
    return AliasChoices(usual, _PREFIX + usual)


class Settings(Audience, Budgets, Memories):
    """What whoever runs Nimbus decides. A description completes "NAME must be …"."""

    model_config = SettingsConfigDict(
        env_prefix=_PREFIX,
        env_file=_FILE,
        env_ignore_empty=True,
        extra="ignore",
        frozen=True,
        hide_input_in_errors=True,
        populate_by_name=True,
        validate_default=True,
    )

    database_url: str = Field(
        default="sqlite:///nimbus.db",
        validation_alias=_named("DATABASE_URL"),
        repr=False,  # it may hold a password
        description="sqlite:///FILE or postgresql://USER:PASSWORD@HOST/NAME",
    )
    durability: Literal["full", "normal"] = Field(default="full", description="full or normal")
    openai_api_key: SecretStr | None = Field(
        default=None, validation_alias=_named("OPENAI_API_KEY"), description="a key of the provider"
    )
    openai_base_url: str | None = Field(
        default=None,
        validation_alias=_named("OPENAI_BASE_URL"),
        description="an address that begins with http:// or https://",
    )
    openai_api: Literal["chat", "responses"] = Field(
        default="chat", description="chat or responses"
    )
    gemini_api_key: SecretStr | None = Field(
        default=None, validation_alias=_named("GEMINI_API_KEY"), description="a key of the provider"
    )
    gemini_base_url: str | None = Field(
        default=None,
        validation_alias=_named("GEMINI_BASE_URL"),
        description="an address that begins with http:// or https://",
    )
    slack_bot_token: Annotated[tuple[SecretStr, ...], NoDecode] = Field(
        default=(), validation_alias=_named("SLACK_BOT_TOKEN"), description=_TOKENS
    )
    slack_app_token: Annotated[tuple[SecretStr, ...], NoDecode] = Field(
        default=(), validation_alias=_named("SLACK_APP_TOKEN"), description=_TOKENS
    )
    slack_api_url: str = Field(
        default="https://slack.com/api/",
        validation_alias=_named("SLACK_API_URL"),
        description="an address that begins with http:// or https://",
    )
    model: str | None = Field(default=None, description=MODELS)
    summary_model: str | None = Field(default=None, description=MODELS)
    name: str = Field(
        default="Nimbus",
        min_length=1,
        max_length=80,
        description="a name of 1 to 80 characters in one line",
    )
    instructions: Path | None = Field(
        default=None, description="a file of plain UTF-8 text that Nimbus may read"
    )
    tools: Annotated[tuple[str, ...], NoDecode] = Field(
        default=(DEMO_DESK,), description="names of Python modules, separated by commas, or none"
    )
    retention_days: int = Field(
        default=30, ge=1, le=36_500, description="a whole number of days from 1 to 36500"
    )
    context_budget: int = Field(
        default=12_000,
        ge=1_000,
        le=10_000_000,
        description="a whole number of characters from 1000 up",
    )
    recent_turns: int = Field(
        default=2,
        ge=0,
        le=1_000,
        validation_alias=AliasChoices("NIMBUS_RECENT_TURNS", "NIMBUS_NUM_HISTORY_RESPONSES"),
        description="a whole number of turns from 0 to 1000",
    )
    history: bool = Field(
        default=True,
        validation_alias=AliasChoices("NIMBUS_HISTORY", "NIMBUS_ADD_HISTORY_TO_MESSAGES"),
        description="true or false",
    )

    @classmethod
    def load(cls) -> Self:
        """Read the environment and `.env`; raise ConfigError with a sentence for each mistake."""
        given = (*os.environ, *read_names(Path(_FILE)))
        known = (name for field in cls.model_fields for name in _names(field))
        slips = list(strangers(given, known, _PREFIX))
        try:
            settings = cls()
        except ValidationError as error:
            raise ConfigError(*slips, *map(_sentence, error.errors())) from error
        if slips:
            raise ConfigError(*slips)
        return settings

    @property
    def models(self) -> tuple[tuple[str, str], ...]:
        """Provider and name of each model, in the order in which they are asked; none: offline."""
        return split(self.model) if self.model else ()

    @property
    def summary_models(self) -> tuple[tuple[str, str], ...]:
        """The same of those that sum up: their own, or those that answer."""
        if self.summary_model is None:
            return self.models
        return () if self.summary_model == OFFLINE else split(self.summary_model)

    def read_instructions(self) -> str:
        """The operator's own instructions; empty without."""
        return "" if self.instructions is None else self.instructions.read_text("utf-8").strip()

    @field_validator("database_url")
    @classmethod
    def _is_known_engine(cls, url: str) -> str:
        check_database_address(url)
        return url

    @field_validator("openai_base_url", "gemini_base_url", "slack_api_url")
    @classmethod
    def _is_web_address(cls, url: str | None) -> str | None:
        if url is not None:
            check_web_address(url)
        return url

    @field_validator("name")
    @classmethod
    def _is_one_line(cls, name: str) -> str:
        if not name.isprintable():
            raise ValueError
        return name

    @field_validator("model")
    @classmethod
    def _is_usable_model(cls, model: str | None, info: ValidationInfo) -> str | None:
        if model is None:
            check_not_wanted(info.data)
        if model is None or model == OFFLINE:
            return None
        check_models(model, "NIMBUS_MODEL", info.data)
        return model

    @field_validator("summary_model")
    @classmethod
    def _is_usable_for_summaries(cls, model: str | None, info: ValidationInfo) -> str | None:
        if model not in {None, OFFLINE}:
            check_models(model or "", "NIMBUS_SUMMARY_MODEL", info.data)
        return model

    @field_validator("instructions")
    @classmethod
    def _is_readable(cls, file: Path | None) -> Path | None:
        if file is not None:
            try:
                file.read_text("utf-8")
            except (OSError, UnicodeError) as error:
                raise ValueError from error
        return file

    @field_validator("tools", mode="before")
    @classmethod
    def _names_of_tools(cls, tools: object) -> object:
        if not isinstance(tools, str):
            return tools
        names = _at_commas(tools)
        return () if names == ("none",) else names

    @field_validator("tools")
    @classmethod
    def _are_there(cls, tools: tuple[str, ...]) -> tuple[str, ...]:
        absent = [name for name in tools if not is_module(name)]
        if absent:
            names = ", ".join(name if name.isprintable() else repr(name) for name in absent)
            raise ValueError(f"NIMBUS_TOOLS: there is no module {names}.")
        return tools

    @field_validator("slack_bot_token", "slack_app_token", mode="before")
    @classmethod
    def _tokens(cls, tokens: object) -> object:
        return _at_commas(tokens) if isinstance(tokens, str) else tokens


def _at_commas(text: str) -> tuple[str, ...]:
    return tuple(part.strip() for part in text.split(",") if part.strip())


def _sentence(problem: ErrorDetails) -> str:
    """One mistake in words, with what to do; never what was given, which may be a secret."""
    own = str(problem.get("ctx", {}).get("error", ""))
    given = str(problem["loc"][0])
    names = {field: _names(field) for field in Settings.model_fields}
    field = next(field for field, known in names.items() if given in known)
    fallback = f"{names[field][0]} must be {Settings.model_fields[field].description}."
    return own if own.endswith(".") else fallback


def _names(field: str) -> list[str]:
    """The variables that set a field, the one to show first; then the field's own name."""
    alias = Settings.model_fields[field].validation_alias
    aliases = [str(name) for name in alias.choices] if isinstance(alias, AliasChoices) else []
    return [*aliases, _PREFIX + field.upper(), field]
