"""What Nimbus remembers beyond one conversation: settings of their own."""

from __future__ import annotations

from pydantic import AliasChoices, Field
from pydantic_settings import BaseSettings


class Memories(BaseSettings):
    """A part of `Settings`."""

    notes: bool = Field(
        default=True,
        validation_alias=AliasChoices(
            "NIMBUS_NOTES",
            "NIMBUS_CREATE_USER_MEMORIES",
            "NIMBUS_UPDATE_USER_MEMORIES_AFTER_RUN",
        ),
        description="true or false",
    )
    summaries: bool = Field(
        default=True,
        validation_alias=AliasChoices(
            "NIMBUS_SUMMARIES",
            "NIMBUS_CREATE_SESSION_SUMMARY",
            "NIMBUS_UPDATE_SESSION_SUMMARY_AFTER_RUN",
        ),
        description="true or false",
    )
