"""What is known about a person: which notes say the same, and which go for a newer one. Pure."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from hashlib import sha256
from typing import Literal, get_args

Topic = Literal["name", "role", "place", "preference", "plan", "fact"]
TOPICS: tuple[Topic, ...] = get_args(Topic)
LONGEST = 200
"""Characters of a note; more is no note."""

_OF_ONE = {"name", "role", "place"}  # who names no subject of theirs means the only one
# So much of their words two notes share that say the same, or the contrary. Of facts there may be
# several that sound alike: a dog named Rex, and one named Bo.
_ALIKE, _ALIKE_FACTS = 0.5, 0.6
_LITTLE = frozenset(
    re.findall(
        r"\w+",
        """
a am an and are as at be been by for from had has have he her his i in instead is it its just me
mine my now of on or our really s she that the their these they this those to us user very was we
were with you your
""",
    )
)


@dataclass(frozen=True, slots=True)
class Told:
    """What is to be noted. `subject` is what it is about, in a word or two; empty: its words tell.
    `id` is the same when it is told again."""

    id: str
    topic: Topic
    text: str
    subject: str = ""

    @classmethod
    def of(cls, note_id: str, topic: Topic, text: str, subject: str = "") -> Told:
        """Each text on one line, and no longer than a note is."""
        about = one_line(subject).lower() or (topic if topic in _OF_ONE else "")
        return cls(note_id, topic, one_line(text), about)


@dataclass(frozen=True, slots=True)
class Drawn:
    """What a model drew from a turn, when it summed up what had left the window."""

    turn: int
    topic: str
    text: str

    def told(self, conversation: str) -> Told | None:
        """None: it is no note. Its id is the same however often it is drawn."""
        topic = next((each for each in TOPICS if each == self.topic.strip().lower()), None)
        if topic is None or not self.text.strip():
            return None
        said = f"{conversation}\0{self.turn}\0{topic}\0{one_line(self.text)}"
        return Told.of(sha256(said.encode()).hexdigest()[:32], topic, self.text)


@dataclass(frozen=True, slots=True)
class Note:
    """A note; its times in UTC milliseconds. Without text it is deleted, and only tells that."""

    id: str
    number: int
    surface: str
    topic: Topic
    subject: str
    text: str
    said_at: int
    used_at: int
    uses: int


def one_line(text: str) -> str:
    return " ".join(text.split())[:LONGEST].strip()


def displaced(notes: Sequence[Note], told: Told, said_at: int) -> list[Note] | None:
    """The notes in whose place a new one comes; None when it is not news: it was noted already,
    something newer is known, or its person deleted what they had said."""
    if not told.text or any(note.id == told.id for note in notes):
        return None
    rivals = [note for note in notes if note.text and _is_about_the_same(note, told)]
    deleted = [note for note in notes if not note.text and note.topic == told.topic]
    if any(note.said_at > said_at for note in rivals):
        return None
    return None if any(note.said_at >= said_at for note in deleted) else rivals


def newest(notes: Iterable[Note]) -> list[Note]:
    """Without those that a newer one contradicts, which was said elsewhere; the oldest first."""
    kept: list[Note] = []
    for note in sorted(notes, key=lambda note: (note.said_at, note.number)):
        kept = [each for each in kept if not _is_about_the_same(each, note)]
        kept.append(note)
    return kept


def _is_about_the_same(note: Note, other: Note | Told) -> bool:
    if _words(note.text) == _words(other.text):
        return True
    if note.topic != other.topic:
        return False
    if note.subject and other.subject:
        return note.subject == other.subject
    share = _ALIKE_FACTS if note.topic == "fact" else _ALIKE
    some, others = _words(note.text), _words(other.text)
    return len(some & others) >= share * len(some | others)


def _words(text: str) -> frozenset[str]:
    """Without the little ones, and without a plural's end."""
    words = re.findall(r"[^\W_]+", text.lower())
    return frozenset(word.removesuffix("s") for word in words if word not in _LITTLE)


_HEADING = "[Notes about the person who asks, with their numbers, from what they once said:]"
_ROOM = 2_000
_FIRST: dict[str, int] = {"name": 0, "role": 1, "place": 1, "preference": 2, "fact": 3, "plan": 3}


def chosen(notes: Iterable[Note], room: int = _ROOM) -> list[Note]:
    """As many as there is room for: names first, then the newest; in the order of their numbers."""
    room -= len(_HEADING)
    kept: list[Note] = []
    for note in sorted(newest(notes), key=lambda note: (_FIRST[note.topic], -note.said_at)):
        room -= len(line(note)) + 1
        if room < 0:
            break
        kept.append(note)
    return sorted(kept, key=lambda note: note.number)


def render(notes: Sequence[Note]) -> str:
    """What a model reads of them; empty without any. No line can pass for anything else."""
    return "\n".join([_HEADING, *map(line, notes)]) if notes else ""


def line(note: Note) -> str:
    said = datetime.fromtimestamp(note.said_at / 1000, UTC)
    return f"- {note.number}. {note.topic}: {note.text} (said {said.day} {said:%B %Y})"
