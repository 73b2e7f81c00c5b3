"""Whom Nimbus answers, and what it listens to: settings of their own."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import Field, field_validator
from pydantic_settings import BaseSettings, NoDecode

_YES_OR_NO = "true or false"
_IDS = "ids as the platform shows them, separated by commas"

Ids = Annotated[frozenset[str], NoDecode]


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

    @field_validator(
        "allow_channels", "deny_channels", "allow_people", "deny_people", "operators", mode="before"
    )
    @classmethod
    def _split_ids(cls, ids: object) -> object:
        if not isinstance(ids, str):
            return ids
        return frozenset(each.strip() for each in ids.split(",") if each.strip())
