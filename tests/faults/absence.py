"""A time in which no process runs, and nobody keeps for us what people say."""

from __future__ import annotations

from dataclasses import dataclass, field, replace

from memory.keys import PlaceKey
from tests.faults.facts import Facts, Missed, Records
from tests.faults.virtual import VirtualLoop


@dataclass(slots=True)
class Absence:
    loop: VirtualLoop
    facts: Facts
    records: Records
    _back_at: float = field(default=0.0, init=False)

    @property
    def seconds_left(self) -> float:
        """0 when it is over, or never was."""
        return max(0.0, self._back_at - self.loop.time())

    def begin(self, seconds: float) -> None:
        self._back_at = self.loop.time() + seconds
        self.facts.away.append(self.loop.milliseconds())
        for said in self.facts.said:
            if said.untold:
                said.missed = replace(self.missed(said.inbound.place), is_told=True)

    def missed(self, place: PlaceKey) -> Missed:
        """Of what is said there now."""
        is_known = self.records.rows(
            "SELECT 1 FROM conversations c WHERE c.place = :place AND c.is_current = 1"
            " AND (EXISTS (SELECT 1 FROM turns t WHERE t.place = c.place)"
            " OR EXISTS (SELECT 1 FROM messages m WHERE m.conversation = c.id"
            " AND m.state = 'waiting'))",
            place=str(place),
        )
        back_in = round(self.seconds_left * 1000)
        return Missed(bool(is_known), self.loop.milliseconds() + back_in)
