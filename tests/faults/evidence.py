"""All that is left after a run, put so that it can be judged."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

from bot.settings import Timing
from memory.messages import decode
from memory.usage import Allowance
from tests.faults.echo import TOKEN
from tests.faults.facts import Facts, Forgetting, Records, Row, Said
from tests.faults.venue import Venue
from tests.faults.withdrawn import Withdrawal
from tests.played_platform import Posted

OLD = Timing().give_up - 60_000  # ms; some time goes by until it is read


@dataclass
class Evidence:
    """All that is left after a run. `echoes`: the answers name what they are answers to."""

    facts: Facts
    records: Records
    venue: Venue
    contents: Callable[[], bytes]
    shop: Path
    allowance: Allowance
    left_over: Sequence[str]  # tasks of processes that have nothing to do
    echoes: bool = True

    @cached_property
    def posted(self) -> Sequence[Posted]:
        return self.venue.posted()

    @cached_property
    def questions(self) -> list[Row]:
        """Every stored message of a person, with its turn, in the order of turns."""
        return self.records.rows(
            "SELECT m.remote_id, m.conversation, m.turn, m.content, t.id, t.state, t.outcome,"
            " t.started_at, t.ended_at, c.place FROM messages m"
            " JOIN conversations c ON c.id = m.conversation"
            " LEFT JOIN turns t ON t.conversation = m.conversation AND t.number = m.turn"
            " WHERE m.role = 'user' AND m.state <> 'observed'"
            " ORDER BY c.place, t.started_at, t.id, m.sent_order"
        )

    @cached_property
    def stored(self) -> Mapping[str, Sequence[Row]]:
        """All that is stored of each message of a person, also of those that were overheard."""
        found: dict[str, list[Row]] = defaultdict(list)
        for row in self.records.rows("SELECT * FROM messages WHERE role = 'user'"):
            found[row["remote_id"]].append(row)
        return found

    @cached_property
    def said_with(self) -> Mapping[str, Said]:
        """Who said a token."""
        return {
            token: said
            for said in self.facts.said
            for text in said.texts
            for token in TOKEN.findall(text)
        }

    @cached_property
    def turns(self) -> list[Row]:
        return self.records.rows("SELECT * FROM turns ORDER BY place, started_at, id")

    def visible(self, turn: str) -> list[Posted]:
        return [one for one in self.posted if one.mark == turn and not one.removed]

    @cached_property
    def was_refused(self) -> bool:
        """Whether the platform refused something for good."""
        return any(fault == "refused" for _, fault in self.facts.struck)

    def answer(self, turn: Row) -> str:
        """What the history says that the turn answered."""
        rows = self.records.rows(
            "SELECT role, content FROM messages WHERE conversation = ? AND turn = ?"
            " AND role = 'assistant' ORDER BY position",
            *(turn["conversation"], turn["number"]),
        )
        texts = (decode(row["role"], row["content"]).text for row in rows)
        return "\n\n".join(text for text in texts if text.strip())

    def forgotten(self, said: Said) -> bool:
        return (
            said.dropped
            or any(
                said.name not in forgetting.kept | forgetting.spared
                and (
                    said.name in forgetting.present or said.inbound.said_at < forgetting.said_before
                )
                for forgetting in self.forgettings(said.place)
            )
            or any(
                str(said.inbound.person) == one.person and said.inbound.said_at < one.said_before
                for one in self.withdrawals(said.place)
            )
        )

    def may_be_unread(self, said: Said) -> bool:
        """What nobody told us is read back where we know the place, and can; what has waited too
        long is only noted, but for the newest."""
        if said.missed is None:
            return False
        is_old = said.missed.came_back - said.inbound.said_at > OLD
        if said.missed.is_told:
            return is_old
        failed = any(
            point.at >= min(self.facts.away) and not fault.startswith("crash")
            for point, fault in self.facts.struck
        )
        return (
            failed
            or not said.missed.is_known
            or is_old
            or said.place in self.facts.anew
            or any(one.deleted for one in self.facts.said if one.place == said.place)
            or bool(self.takings(said.place))
        )

    def may_be_forgotten(self, said: Said) -> bool:
        return any(
            said.name in forgetting.spared for forgetting in self.forgettings(said.place)
        ) or any(said.name in one.beside for one in self.withdrawals(said.place))

    def forgettings(self, place: str) -> list[Forgetting]:
        return [
            one
            for one in self.facts.forgettings
            if one.place == place and one.committed is not None
        ]

    def takings(self, place: str) -> Sequence[Forgetting | Withdrawal]:
        return [*self.forgettings(place), *self.withdrawals(place)]

    def withdrawals(self, place: str) -> list[Withdrawal]:
        return [
            one
            for one in self.facts.withdrawals
            if one.is_about(place) and one.committed is not None
        ]
