"""Who changes what was said tells the after-work, by the conversation's revision."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from tests.faults.facts import Facts, Records


@dataclass(frozen=True, slots=True)
class Known:
    """A conversation's revision, and what its turns were asked: words by the platform's id."""

    revision: int
    words: Mapping[str, str]

    def has_lost(self, earlier: Known) -> bool:
        """Whether something that stood there has gone or changed, and nobody could tell."""
        return self.revision == earlier.revision and any(
            self.words.get(name) != words for name, words in earlier.words.items()
        )


@dataclass(slots=True)
class Revisions:
    facts: Facts
    records: Records
    _before: Mapping[str, Known] = field(default_factory=dict)

    def note(self) -> None:
        """Before an edit or a delete."""
        self._before = self._read()

    def judge(self) -> None:
        """After it. A conversation that is gone has no after-work."""
        now = self._read()
        for conversation, before in self._before.items():
            if conversation in now and now[conversation].has_lost(before):
                self.facts.object_to("what was said has changed, and the after-work is not told")

    def _read(self) -> Mapping[str, Known]:
        words: dict[str, dict[str, str]] = {}
        for row in self.records.rows(
            "SELECT conversation, remote_id, content FROM messages"
            " WHERE role = 'user' AND turn IS NOT NULL"
        ):
            words.setdefault(row["conversation"], {})[row["remote_id"]] = row["content"]
        return {
            row["id"]: Known(row["revision"], words.get(row["id"], {}))
            for row in self.records.rows("SELECT id, revision FROM conversations")
        }
