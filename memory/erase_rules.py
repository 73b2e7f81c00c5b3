"""When the rows of each table go; a test fails for a table or a TEXT column that is not here."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal


@dataclass(frozen=True, slots=True)
class Rule:
    """When a table's rows go, and its TEXT columns: `words` hold what people say or are called,
    `keys` tell who, where or which, `plain` ones neither. `person` is the key of whom a row tells:
    it goes with their `forget me`, wherever it came from, unless it was `said` after that."""

    goes: Literal["with its conversation", "with its person", "after its time", "never"]
    words: tuple[str, ...] = ()
    keys: tuple[str, ...] = ()
    plain: tuple[str, ...] = ()
    person: str = ""
    said: str = ""


RULES = {
    "conversations": Rule(
        "with its conversation",
        words=("summary",),
        keys=("id", "place", "workspace", "channel", "parent", "thread", "owner", "read_to"),
        plain=("platform", "surface"),
    ),
    "turns": Rule(
        "with its conversation",
        keys=("conversation", "place", "id", "asker", "address", "worker"),
        plain=("cause", "state", "outcome", "stop", "model"),
    ),
    "messages": Rule(
        "with its conversation",
        words=("author_name", "content"),
        keys=("conversation", "remote_id", "sent_order", "author", "address"),
        plain=("role", "state"),
    ),
    "participants": Rule("with its conversation", words=("name",), keys=("conversation", "person")),
    "recall": Rule("with its conversation", words=("term",), keys=("conversation",)),
    "deliveries": Rule(
        "with its conversation", keys=("conversation", "remote_id"), plain=("state",)
    ),
    "notes": Rule(
        "with its conversation",  # once that is past its retention: when they are not used any more
        words=("subject", "text"),
        keys=("id", "person", "workspace", "surface", "conversation"),
        plain=("platform", "topic"),
        person="person",
        said="said_at",
    ),
    "people": Rule("with its person", keys=("person", "customer"), person="person"),
    "seen": Rule("after its time", plain=("key",)),  # a keyed digest
    "forgotten": Rule("after its time", plain=("key",)),  # a keyed digest
    "usage": Rule("after its time", plain=("subject",)),  # a keyed digest
    "erasures": Rule("after its time", keys=("id", "person")),
    "leases": Rule("never", plain=("name", "holder")),
    "workspaces": Rule("never", keys=("workspace",), plain=("platform",)),
    "installation": Rule("never", plain=("name", "value")),
    "schema_migrations": Rule("never", plain=("name", "checksum")),
}
