"""How much Nimbus may do, and at once: settings of their own."""

from __future__ import annotations

from pydantic import Field
from pydantic_settings import BaseSettings

_COUNT = "a whole number from 0 up, where 0 is no limit"
_TURNS = "a whole number of turns from 1 to 1000"
_TURNS_OR_0 = "a whole number of turns from 0 to 1000"


class Budgets(BaseSettings):
    """A part of `Settings`."""

    messages_per_minute: int = Field(default=20, ge=0, description=_COUNT)
    person_tokens_per_day: int = Field(default=1_000_000, ge=0, description=_COUNT)
    total_tokens_per_day: int = Field(default=10_000_000, ge=0, description=_COUNT)
    running_turns: int = Field(default=20, ge=1, le=1_000, description=_TURNS)
    running_turns_per_model: int = Field(default=0, ge=0, le=1_000, description=_TURNS_OR_0)

    def turns_at_each_of(self, models: int) -> int:
        """How many turns run at one of so many models: of several, none may hold all places."""
        if self.running_turns_per_model:
            return self.running_turns_per_model
        return self.running_turns if models <= 1 else max(1, self.running_turns * 3 // 4)
