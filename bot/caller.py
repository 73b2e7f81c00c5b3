"""Who gives a command."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Self

from bot.platform import Address, Inbound
from memory.keys import PersonKey, PlaceKey, Surface


@dataclass(frozen=True, slots=True)
class Caller:
    """Who said a command, where, and when by the platform's clock (UTC ms). The place of a command
    that was said in a channel and in none of its threads has no thread."""

    person: PersonKey
    place: PlaceKey
    surface: Surface
    said_at: int
    address: Address = field(default_factory=dict)

    @classmethod
    def of(cls, inbound: Inbound) -> Self:
        return cls(inbound.person, inbound.place, inbound.surface, inbound.said_at, inbound.address)
