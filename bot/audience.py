"""Whom Nimbus answers, and what it listens to: settings of their own."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import AliasChoices, Field, SecretStr, field_validator
from pydantic_settings import BaseSettings, NoDecode

from bot.addresses import check_web_address

_YES_OR_NO = "true or false"
_IDS = "ids as the platform shows them, separated by commas"

Ids = Annotated[frozenset[str], NoDecode]


def _named(usual: str) -> AliasChoices:
    return AliasChoices(usual, f"NIMBUS_{usual}")


class Audience(BaseSettings):
    """A part of `Settings`."""

    follow_up: Literal["auto", "mention", "always"] = Field(
        default="auto", description="auto, mention or always"
    )
    observe: bool = Field(default=True, description=_YES_OR_NO)
    allow_external: bool = Field(default=False, description=_YES_OR_NO)
    allow_bots: bool = Field(default=False, description=_YES_OR_NO)
    allow_channels: Ids = Field(default=frozenset(), description=_IDS)
    deny_channels: Ids = Field(default=frozenset(), description=_IDS)
    allow_people: Ids = Field(default=frozenset(), description=_IDS)
    deny_people: Ids = Field(default=frozenset(), description=_IDS)
    operators: Ids = Field(default=frozenset(), description=_IDS)
    slack_dm: Literal["flat", "threads"] = Field(default="flat", description="flat or threads")
    discord_threads: Literal["auto", "never"] = Field(default="auto", description="auto or never")

    discord_token: SecretStr | None = Field(
        default=None, validation_alias=_named("DISCORD_TOKEN"), description="the token of a bot"
    )
    discord_api_url: str = Field(
        default="https://discord.com/api/v10",
        validation_alias=_named("DISCORD_API_URL"),
        description="an address that begins with http:// or https://",
    )

    @field_validator("discord_api_url")
    @classmethod
    def _is_address(cls, url: str) -> str:
        check_web_address(url)
        return url

    @field_validator(
        "allow_channels", "deny_channels", "allow_people", "deny_people", "operators", mode="before"
    )
    @classmethod
    def _split_ids(cls, ids: object) -> object:
        if not isinstance(ids, str):
            return ids
        return frozenset(each.strip() for each in ids.split(",") if each.strip())
