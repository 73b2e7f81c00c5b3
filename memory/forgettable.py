"""What might be forgotten: by somebody who asks for it, or because its place is gone."""

from __future__ import annotations

from dataclasses import dataclass

from memory.database import Row, Transaction
from memory.keys import PersonKey, PlaceKey

BEGAN_BEFORE = """(
          EXISTS (SELECT 1 FROM messages m
            WHERE m.conversation = c.id AND m.role = 'user' AND m.said_at < :said_before)
          OR NOT EXISTS (SELECT 1 FROM messages m
            WHERE m.conversation = c.id AND m.role = 'user'))"""


ASKED = """(
          t.asker = :person AND NOT EXISTS (SELECT 1 FROM messages q
            WHERE q.conversation = t.conversation AND q.turn = t.number
              AND q.role = 'user' AND q.state = 'taken' AND q.said_at >= :said_before))"""
"""Of the turns `t`, those that the person asked before the command."""

THEIRS = f"""(
          m.author = :person AND m.said_at < :said_before
          OR EXISTS (SELECT 1 FROM turns t
            WHERE t.conversation = m.conversation AND t.number = m.turn AND {ASKED}))"""  # noqa: S608 - a text of ours
"""Of the messages `m`, what the person said before the command, and the turns that they asked."""

_IN_CHANNEL = """c.platform = :platform AND c.workspace = :workspace
          AND (c.channel = :channel OR c.parent = :channel)"""


@dataclass(frozen=True, slots=True)
class Forgettable:
    """A conversation, or somebody's part in it, that might be forgotten, in numbers."""

    id: str
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
        SELECT c.id, c.place, c.owner, {_WHOLE} FROM conversations c
        WHERE {_IN_CHANNEL if in_channel else "c.place = :place"}
          AND {BEGAN_BEFORE} ORDER BY c.created_at
        """,  # noqa: S608 - a text of ours
        platform=place.platform,
        workspace=place.workspace,
        channel=place.channel,
        place=str(place),
        said_before=said_before,
    )
    return [_forgettable(row) for row in rows]


async def find_own(tx: Transaction, person: PersonKey, *, said_before: int) -> list[Forgettable]:
    """What the person began before the command, anywhere."""
    rows = await tx.fetch(
        f"""
        SELECT c.id, c.place, c.owner, {_WHOLE} FROM conversations c
        WHERE c.owner = :person AND {BEGAN_BEFORE} ORDER BY c.created_at
        """,  # noqa: S608 - a text of ours
        person=str(person),
        said_before=said_before,
    )
    return [_forgettable(row) for row in rows]


async def find_parts(
    tx: Transaction,
    person: PersonKey,
    place: PlaceKey | None = None,
    *,
    in_channel: bool = False,
    said_before: int,
) -> list[Forgettable]:
    """What others began and the person took part in before the command: in a place, in its whole
    channel with all that hangs from it, or anywhere. Also where nothing is left of their part but
    that they were there."""
    where = {True: _IN_CHANNEL, False: "c.place = :place"}[in_channel] if place else "TRUE"
    named = {"platform": "", "workspace": "", "channel": ""}
    if place:
        named = {name: getattr(place, name) for name in named} | {"place": str(place)}
    rows = await tx.fetch(
        f"""
        SELECT c.id, c.place, c.owner,
          (SELECT count(*) FROM turns t WHERE t.conversation = c.id AND {ASKED}) AS turns,
          (SELECT count(*) FROM messages m WHERE m.conversation = c.id AND {THEIRS}) AS messages
        FROM participants p JOIN conversations c ON c.id = p.conversation
        WHERE p.person = :person AND c.owner <> :person AND {where} ORDER BY c.created_at
        """,  # noqa: S608 - a text of ours
        person=str(person),
        said_before=said_before,
        **named,
    )
    return [_forgettable(row) for row in rows]


def _forgettable(row: Row) -> Forgettable:
    return Forgettable(
        row["id"],
        PlaceKey.parse(row["place"]),
        PersonKey.parse(row["owner"]),
        row["turns"],
        row["messages"],
    )


_WHOLE = """(SELECT count(*) FROM turns WHERE conversation = c.id) AS turns,
          (SELECT count(*) FROM messages WHERE conversation = c.id) AS messages"""


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
