"""Queries by which notes go: their person deletes them, wants none, or does not use them."""

from __future__ import annotations

from collections.abc import Collection, Iterable

from memory.database import Row, Transaction
from memory.keys import PersonKey, channel_surface
from memory.knowledge import Note
from memory.notes import note_of


async def delete(
    tx: Transaction, person: str, number: int, surfaces: Collection[str] = ()
) -> Note | None:
    """Delete one of the person's notes, of these surfaces or wherever it is from; what it said.
    None: there is none. Nothing is drawn again from where it was said."""
    rows = await tx.fetch(
        "SELECT * FROM notes WHERE person = :person AND number = :number",
        person=person,
        number=number,
    )
    if not rows or (surfaces and rows[0]["surface"] not in surfaces):
        return None
    await _empty(tx, rows)
    return note_of(rows[0])


async def delete_all(tx: Transaction, person: str) -> int:
    """The same of all notes of the person; how many there were."""
    rows = await tx.fetch(
        "SELECT * FROM notes WHERE person = :person AND text <> ''", person=person
    )
    await _empty(tx, rows)
    return len(rows)


async def is_on(tx: Transaction, person: str) -> bool:
    """Whether the person lets us keep notes about them: as long as they do not say otherwise."""
    rows = await tx.fetch("SELECT keep_notes FROM people WHERE person = :person", person=person)
    return not rows or bool(rows[0]["keep_notes"])


async def switch(tx: Transaction, person: PersonKey, *, on: bool) -> None:
    """What was said while notes were off is not noted later."""
    await tx.execute(
        """
        INSERT INTO people (person, keep_notes, notes_from) VALUES (:person, :on, :now)
        ON CONFLICT (person) DO UPDATE SET keep_notes = excluded.keep_notes,
          notes_from = CASE WHEN people.keep_notes = 0 AND excluded.keep_notes = 1
            THEN excluded.notes_from ELSE people.notes_from END
        """,
        person=str(person),
        on=int(on),
        now=await tx.now(),
    )


async def forget_person(tx: Transaction, person: str) -> int:
    """All notes of the person, and what told that one was deleted."""
    return await tx.execute("DELETE FROM notes WHERE person = :person", person=person)


async def forget_turn(tx: Transaction, conversation: str, turn: int) -> None:
    """What was said in the turn has changed: what was noted of it goes."""
    await tx.execute(
        "DELETE FROM notes WHERE conversation = :conversation AND turn = :turn",
        conversation=conversation,
        turn=turn,
    )


async def outlive(tx: Transaction, conversation: str) -> None:
    """The conversation is past its retention, and is about to go: what is known from it stays."""
    await tx.execute(
        """
        UPDATE notes SET conversation = NULL, turn = NULL
        WHERE conversation = :conversation AND text <> ''
        """,
        conversation=conversation,
    )


async def forget_removed(
    tx: Transaction, platform: str, workspace: str, *, channel: str = ""
) -> None:
    """The workspace, or a channel of it, is gone: what was noted there goes, too."""
    await tx.execute(
        """
        DELETE FROM notes WHERE platform = :platform AND workspace = :workspace
          AND :surface IN ('', surface)
        """,
        platform=platform,
        workspace=workspace,
        surface=channel_surface(workspace, channel) if channel else "",
    )


async def _empty(tx: Transaction, rows: Iterable[Row]) -> None:
    """Of what is not to be drawn again from where it was said, that remains."""
    for row in rows:
        if row["conversation"] is None:
            await tx.execute("DELETE FROM notes WHERE id = :id", id=row["id"])
        else:
            await tx.execute(
                "UPDATE notes SET text = '', subject = '' WHERE id = :id", id=row["id"]
            )
