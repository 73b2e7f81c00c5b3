"""One thing that somebody wants, as it was understood."""

from __future__ import annotations

from dataclasses import dataclass

from adapters.offline.phrases import Intent
from adapters.offline.references import NOWHERE, Reference


@dataclass(frozen=True, slots=True)
class Ask:
    """`text`: the message in which it stands."""

    intent: Intent
    clause: str = ""
    reference: Reference = NOWHERE
    text: str = ""

    @property
    def is_question(self) -> bool:
        return self.clause.endswith("?")


@dataclass(frozen=True, slots=True)
class Said:
    """A clause, the sentence it stands in, and what it asks."""

    sentence: int
    words: str
    asks: tuple[Ask, ...]
