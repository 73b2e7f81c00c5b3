"""A `forget me` on its way: from the command until two looks, some seconds apart, find nothing."""

from __future__ import annotations

from dataclasses import dataclass

from memory.database import Transaction
from memory.erase_rules import RULES
from memory.keys import Digests, PersonKey
from memory.marks import set_watermark


@dataclass(frozen=True, slots=True)
class Erasure:
    """Of all that the person said before the command (the platform's time, UTC ms)."""

    id: str
    person: PersonKey
    said_before: int


async def begin(
    tx: Transaction, person: PersonKey, *, digests: Digests, said_before: int, kept: int
) -> Erasure:
    """Accept nothing more that they said before; from now on it is carried out, whoever dies."""
    key = digests.person(person)
    said_before = await set_watermark(
        tx, key, said_before=said_before, expires_at=await tx.now() + kept
    )
    await tx.execute(
        """
        INSERT INTO erasures (id, person, said_before) VALUES (:id, :person, :said_before)
        ON CONFLICT (id) DO UPDATE
        SET said_before = excluded.said_before, found_nothing_at = NULL
        """,
        id=key,
        person=str(person),
        said_before=said_before,
    )
    return Erasure(key, person, said_before)


async def find(tx: Transaction) -> list[Erasure]:
    rows = await tx.fetch("SELECT id, person, said_before FROM erasures ORDER BY id")
    return [Erasure(row["id"], PersonKey.parse(row["person"]), row["said_before"]) for row in rows]


async def delete_about(tx: Transaction, erasure: Erasure) -> None:
    """What is kept of a person by itself."""
    for table, rule in RULES.items():
        if not rule.person:
            continue
        said = rule.said or ":said_before - 1"
        await tx.execute(
            f"""
            DELETE FROM {table} WHERE {rule.person} = :person AND {said} < :said_before
            """,  # noqa: S608 - names of ours
            person=str(erasure.person),
            said_before=erasure.said_before,
        )


async def note_look(
    tx: Transaction, erasure: Erasure, *, began: int, found: bool, apart: int
) -> bool:
    """Whether it is done: two looks, which began at least `apart` ms after each other, found
    nothing. What is being written down when the command comes is there by the second one."""
    rows = await tx.fetch(
        "SELECT found_nothing_at FROM erasures WHERE id = :id AND said_before = :said_before",
        id=erasure.id,
        said_before=erasure.said_before,
    )
    if not rows:  # another process has done it, or a later command begins it anew
        return not await _is_on_its_way(tx, erasure)
    first = rows[0]["found_nothing_at"]
    if not found and first is not None and began - first >= apart:
        await tx.execute("DELETE FROM erasures WHERE id = :id", id=erasure.id)
        return True
    await tx.execute(
        "UPDATE erasures SET found_nothing_at = :at WHERE id = :id",
        id=erasure.id,
        at=None if found else min(began, began if first is None else first),  # a clock may be set
    )
    return False


async def _is_on_its_way(tx: Transaction, erasure: Erasure) -> bool:
    return bool(await tx.fetch("SELECT 1 FROM erasures WHERE id = :id", id=erasure.id))
