"""What might be forgotten: by somebody who asks for it, or because its place is gone."""

from __future__ import annotations

from dataclasses import dataclass

from memory.database import Transaction
from memory.keys import PersonKey, PlaceKey

BEGAN_BEFORE = """(
          EXISTS (SELECT 1 FROM messages m
            WHERE m.conversation = c.id AND m.role = 'user' AND m.said_at < :said_before)
          OR NOT EXISTS (SELECT 1 FROM messages m
            WHERE m.conversation = c.id AND m.role = 'user'))"""


_IN_CHANNEL = """c.platform = :platform AND c.workspace = :workspace
          AND (c.channel = :channel OR c.parent = :channel)"""


@dataclass(frozen=True, slots=True)
class Forgettable:
    """A conversation that somebody might forget, in numbers."""

    place: PlaceKey
    owner: PersonKey
    turns: int
    messages: int


async def find_forgettable(
    tx: Transaction, place: PlaceKey, *, in_channel: bool, said_before: int
) -> list[Forgettable]:
    """The conversations of a place, or of its whole channel with all that
    hangs from it, that began before the command."""
    rows = await tx.fetch(
        f"""
        SELECT c.place, c.owner,
          (SELECT count(*) FROM turns WHERE conversation = c.id) AS turns,
          (SELECT count(*) FROM messages WHERE conversation = c.id) AS messages
        FROM conversations c
        WHERE {_IN_CHANNEL if in_channel else "c.place = :place"}
          AND {BEGAN_BEFORE} ORDER BY c.created_at
        """,  # noqa: S608 - a text of ours
        platform=place.platform,
        workspace=place.workspace,
        channel=place.channel,
        place=str(place),
        said_before=said_before,
    )
    return [
        Forgettable(
            PlaceKey.parse(row["place"]),
            PersonKey.parse(row["owner"]),
            row["turns"],
            row["messages"],
        )
        for row in rows
    ]


async def find_places(
    tx: Transaction, platform: str, workspace: str, *, channel: str, thread: str
) -> list[PlaceKey]:
    """The places with a conversation in a workspace: in all of it, in a channel and what hangs from
    it, or in a thread."""
    rows = await tx.fetch(
        """
        SELECT DISTINCT place FROM conversations
        WHERE platform = :platform AND workspace = :workspace
          AND (:channel = '' OR channel = :channel OR parent = :channel)
          AND (:thread = '' OR thread = :thread) ORDER BY place
        """,
        platform=platform,
        workspace=workspace,
        channel=channel,
        thread=thread,
    )
    return [PlaceKey.parse(row["place"]) for row in rows]
