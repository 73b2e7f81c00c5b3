"""Queries on people: who took part in a conversation, and which customer somebody is."""

from __future__ import annotations

from memory.database import Transaction
from memory.keys import PersonKey


async def take_part(
    tx: Transaction, conversation: str, *, person: PersonKey, name: str, now: int
) -> None:
    await tx.execute(
        """
        INSERT INTO participants (conversation, person, name, first_at, last_at)
        VALUES (:conversation, :person, :name, :now, :now)
        ON CONFLICT (conversation, person) DO UPDATE
        SET name = CASE WHEN excluded.name = '' THEN participants.name ELSE excluded.name END,
          last_at = CASE WHEN excluded.last_at > participants.last_at THEN excluded.last_at
            ELSE participants.last_at END
        """,
        conversation=conversation,
        person=str(person),
        name=name,
        now=now,
    )


async def find_customer(tx: Transaction, person: str) -> str | None:
    """The shop's customer whom the operator linked to this person."""
    rows = await tx.fetch("SELECT customer FROM people WHERE person = :person", person=person)
    return rows[0]["customer"] if rows else None


async def link(tx: Transaction, person: PersonKey, customer: str) -> None:
    await tx.execute(
        """
        INSERT INTO people (person, customer, linked_at) VALUES (:person, :customer, :now)
        ON CONFLICT (person) DO UPDATE
        SET customer = excluded.customer, linked_at = excluded.linked_at
        """,
        person=str(person),
        customer=customer,
        now=await tx.now(),
    )
