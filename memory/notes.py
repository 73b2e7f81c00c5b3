"""Queries on notes: what is known about a person, and where it may be shown."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import asdict, dataclass

from memory import conversations
from memory.database import Row, Transaction
from memory.keys import PlaceKey, Surface, shown_on, surface_of
from memory.knowledge import Drawn, Note, Told, displaced

MOST = 50
"""Notes of one person."""

_MOST_DRAWN = 20  # of one block of turns
_DAY = 24 * 3_600_000  # ms


@dataclass(frozen=True, slots=True)
class Asker:
    """Who asks, from which surfaces what is known of them may be shown here, and whether they let
    us keep it."""

    person: str
    surfaces: tuple[str, str]
    keeps_notes: bool


async def find_asker(tx: Transaction, conversation: str, number: int) -> Asker | None:
    """Whose turn it is, or whose was the last one before it; None: nobody has asked."""
    rows = await tx.fetch(
        """
        SELECT t.asker, c.surface, c.place, COALESCE(p.keep_notes, 1) AS keep_notes
        FROM turns t JOIN conversations c ON c.id = t.conversation
        LEFT JOIN people p ON p.person = t.asker
        WHERE t.conversation = :conversation AND t.number <= :number
        ORDER BY t.number DESC LIMIT 1
        """,
        conversation=conversation,
        number=number,
    )
    if not rows:
        return None
    surface: Surface = rows[0]["surface"]
    place = PlaceKey.parse(rows[0]["place"])
    return Asker(rows[0]["asker"], shown_on(surface, place), bool(rows[0]["keep_notes"]))


async def find_asker_of(tx: Transaction, turn: str) -> Asker | None:
    """The same of the turn with this id."""
    found = await _find_turn(tx, turn)
    return await find_asker(tx, found["conversation"], found["number"]) if found else None


async def read(tx: Transaction, person: str, surfaces: tuple[str, str]) -> list[Note]:
    """What may be shown there of what is known about the person."""
    rows = await tx.fetch(
        """
        SELECT * FROM notes WHERE person = :person AND surface IN (:own, :workspace)
          AND text <> '' ORDER BY number
        """,
        person=person,
        own=surfaces[0],
        workspace=surfaces[1],
    )
    return list(map(note_of, rows))


async def read_all(tx: Transaction, person: str) -> list[Note]:
    """All that is known about the person, wherever they said it: for their own eyes only."""
    rows = await tx.fetch(
        "SELECT * FROM notes WHERE person = :person AND text <> '' ORDER BY number", person=person
    )
    return list(map(note_of, rows))


async def use(tx: Transaction, notes: Iterable[Note]) -> None:
    """They were shown to a model. What is used lives on; one use a day counts."""
    now = await tx.now()
    for note in notes:
        await tx.execute(
            "UPDATE notes SET used_at = :now, uses = uses + 1 WHERE id = :id AND used_at <= :day",
            id=note.id,
            now=now,
            day=now - _DAY,
        )


def stale(notes: Iterable[Note], now: int) -> list[Note]:
    """Those whose use would count."""
    return [note for note in notes if note.used_at <= now - _DAY]


async def add_to(tx: Transaction, turn: str, told: Told) -> Note | None:
    """`add`, to the turn with this id, while it is answered."""
    found = await _find_turn(tx, turn)
    if found is None or await conversations.lock(tx, found["conversation"]) is None:
        return None
    return await add(tx, found["conversation"], found["number"], told)


async def add_drawn(tx: Transaction, conversation: str, drawn: Iterable[Drawn]) -> int:
    """`add` what was drawn from turns of the conversation, the oldest first; how many are new.

    The conversation's row is locked by the caller, who made sure that nothing changed since it was
    read. What is wrong in it is left out.
    """
    noted = 0
    for each in sorted(drawn, key=lambda each: each.turn)[:_MOST_DRAWN]:
        told = each.told(conversation)
        noted += told is not None and await add(tx, conversation, each.turn, told) is not None
    return noted


async def add(tx: Transaction, conversation: str, turn: int, told: Told) -> Note | None:
    """Note what the turn's asker said in it, where it may be shown. None: it is nothing new, the
    asker wants no notes, or the turn is gone.

    The conversation's row is locked by the caller.
    """
    source = await _find_source(tx, conversation, turn)
    if source is None:
        return None
    numbered = await _number(tx, source["asker"])
    if not numbered["keep_notes"] or source["asked_at"] < numbered["notes_from"]:
        return None
    surface = surface_of(source["surface"], PlaceKey.parse(source["place"]))
    known = await _read_with_deleted(tx, source["asker"], surface)
    gone = displaced(known, told, source["asked_at"])
    if gone is None:
        return next((note for note in known if note.id == told.id and note.text), None)
    now = await tx.now()
    note = Note(
        id=told.id,
        number=numbered["number"],
        surface=surface,
        topic=told.topic,
        subject=told.subject,
        text=told.text,
        said_at=source["asked_at"],
        used_at=now,
        uses=max((each.uses for each in gone), default=0),
    )
    await _drop(tx, [each.id for each in gone])
    await _insert(tx, source, turn, note)
    await _make_room(tx, source["asker"], note)
    return note


async def _find_turn(tx: Transaction, turn: str) -> Row | None:
    rows = await tx.fetch("SELECT conversation, number FROM turns WHERE id = :turn", turn=turn)
    return rows[0] if rows else None


async def _find_source(tx: Transaction, conversation: str, turn: int) -> Row | None:
    rows = await tx.fetch(
        """
        SELECT t.conversation, t.asker, t.asked_at, c.platform, c.workspace, c.surface, c.place
        FROM turns t JOIN conversations c ON c.id = t.conversation
        WHERE t.conversation = :conversation AND t.number = :turn
        """,
        conversation=conversation,
        turn=turn,
    )
    return rows[0] if rows else None


async def _number(tx: Transaction, person: str) -> Row:
    """The next number, and the person's wish. Their row is locked: two turns of one person may
    note things at once."""
    rows = await tx.fetch(
        """
        INSERT INTO people (person, next_note) VALUES (:person, 2)
        ON CONFLICT (person) DO UPDATE SET next_note = people.next_note + 1
        RETURNING next_note - 1 AS number, keep_notes, notes_from
        """,
        person=person,
    )
    return rows[0]


async def _read_with_deleted(tx: Transaction, person: str, surface: str) -> list[Note]:
    rows = await tx.fetch(
        "SELECT * FROM notes WHERE person = :person AND surface = :surface ORDER BY number",
        person=person,
        surface=surface,
    )
    return list(map(note_of, rows))


async def _insert(tx: Transaction, source: Row, turn: int, note: Note) -> None:
    await tx.execute(
        """
        INSERT INTO notes (id, person, number, platform, workspace, surface, topic, subject, text,
          conversation, turn, said_at, used_at, uses)
        VALUES (:id, :asker, :number, :platform, :workspace, :surface, :topic, :subject, :text,
          :conversation, :turn, :said_at, :used_at, :uses)
        """,
        **{name: source[name] for name in ("asker", "platform", "workspace", "conversation")},
        **asdict(note),
        turn=turn,
    )


async def _make_room(tx: Transaction, person: str, new: Note) -> None:
    """The least used go, of those the ones that nobody has used for longest."""
    await tx.execute(
        """
        DELETE FROM notes WHERE id IN (SELECT id FROM notes
          WHERE person = :person AND text <> '' AND id <> :new
          ORDER BY uses DESC, used_at DESC, number DESC LIMIT :most OFFSET :rest)
        """,
        person=person,
        new=new.id,
        most=MOST,
        rest=MOST - 1,
    )


async def _drop(tx: Transaction, ids: Iterable[str]) -> None:
    for each in ids:
        await tx.execute("DELETE FROM notes WHERE id = :id", id=each)


def note_of(row: Row) -> Note:
    return Note(
        id=row["id"],
        number=row["number"],
        surface=row["surface"],
        topic=row["topic"],
        subject=row["subject"],
        text=row["text"],
        said_at=row["said_at"],
        used_at=row["used_at"],
        uses=row["uses"],
    )
