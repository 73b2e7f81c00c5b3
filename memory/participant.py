"""One person's part in a conversation goes, and what others repeat there of their words."""

from __future__ import annotations

from collections.abc import AsyncIterator, Iterable, Mapping
from dataclasses import dataclass

from memory import contents, conversations, recall, usage
from memory.database import Row, Transaction, Value
from memory.errors import DamagedMessageError, UnknownConversationError
from memory.forgettable import ASKED, THEIRS
from memory.keys import Digests, PersonKey, PlaceKey
from memory.marks import OpenTurn, read_open_turn, set_watermark
from memory.messages import decode, encode
from memory.remains import Gathering, Remains, removed_from_message
from memory.voices import NOBODY

_PAGE = 500  # messages of others that are read at a time


@dataclass(frozen=True, slots=True)
class Part:
    """What went of a person's part. `open_turn` was theirs; `is_rung`: somebody else's open turn is
    to begin anew. `is_gone`: nothing was left, and the conversation went whole."""

    place: PlaceKey
    turns: int = 0
    messages: int = 0
    open_turn: OpenTurn | None = None
    is_rung: bool = False
    is_gone: bool = False


async def mark(
    tx: Transaction,
    person: PersonKey,
    place: PlaceKey,
    *,
    digests: Digests,
    said_before: int,
    kept: int,
) -> int:
    """Accept nothing more that the person said in the place before the command, for `kept` ms; the
    time of the latest such command."""
    key = digests.person_in_place(person, place)
    expires_at = await tx.now() + kept
    return await set_watermark(tx, key, said_before=said_before, expires_at=expires_at)


async def erase(
    tx: Transaction,
    conversation: str,
    person: PersonKey,
    *,
    digests: Digests,
    said_before: int,
    kept: int,
) -> Part:
    """Delete what the person said there before the command and the turns that they asked, and what
    of it stands in the words of others; nothing said earlier is accepted again from them in this
    place, for `kept` ms. Whoever has loaded some of it begins anew.

    Raise UnknownConversationError.
    """
    if await conversations.lock(tx, conversation) is None:
        raise UnknownConversationError(conversation)
    place, now = (await conversations.get(tx, conversation)).place, await tx.now()
    said_before = await mark(tx, person, place, digests=digests, said_before=said_before, kept=kept)
    mine: dict[str, Value] = {
        "conversation": conversation,
        "person": str(person),
        "said_before": said_before,
    }
    remains, theirs = await _gather(tx, person, mine)
    open_turn = await read_open_turn(tx, conversation, now)
    gone = await _delete(tx, mine)
    if open_turn is not None and open_turn.number not in gone:
        open_turn = None
    if open_turn is not None and open_turn.tokens:
        await usage.add(tx, digests.payer(person), open_turn.tokens)
    if not theirs:
        return Part(place)
    touched = {int(row["turn"]) for row in theirs if row["turn"] is not None}
    touched |= await _clean(tx, conversation, remains)
    await _clean_notes(tx, conversation, remains)
    is_rung = await _settle(tx, conversation, touched - gone, has_loaded=bool(touched))
    is_gone = await conversations.drop_if_empty(tx, conversation)
    return Part(place, len(gone), len(theirs), open_turn, is_rung, is_gone)


async def _gather(
    tx: Transaction, person: PersonKey, mine: Mapping[str, Value]
) -> tuple[Remains, list[Row]]:
    """What is to be looked for in the words of others, and the rows that go."""
    rows = await tx.fetch(
        f"""
        SELECT m.turn, m.role, m.author, m.author_name, m.content FROM messages m
        WHERE m.conversation = :conversation AND {THEIRS}
        """,  # noqa: S608 - a text of ours
        **mine,
    )
    known = await tx.fetch(
        "SELECT name FROM participants WHERE conversation = :conversation AND person = :person",
        conversation=mine["conversation"],
        person=mine["person"],
    )
    gathering = Gathering()
    gathering.identify(person.user)
    names = {row["author_name"] for row in rows if row["author"] == str(person)}
    for name in (names | {row["name"] for row in known}) - {None, "", NOBODY}:
        gathering.call(name)
    for row in rows:
        _take(gathering, row, person)
    return gathering.remains, rows


def _take(gathering: Gathering, row: Row, person: PersonKey) -> None:
    """What somebody else said before their question goes along, and was not theirs."""
    try:
        message = decode(row["role"], row["content"])
    except DamagedMessageError:
        return
    if row["role"] != "user":
        gathering.answer(message)
    elif row["author"] == str(person):
        gathering.say(message)


async def _delete(tx: Transaction, mine: Mapping[str, Value]) -> set[int]:
    """The turns that went."""
    turns = await tx.fetch(
        f"""
        DELETE FROM turns AS t WHERE t.conversation = :conversation AND {ASKED} RETURNING number
        """,  # noqa: S608 - a text of ours
        **mine,
    )
    await tx.execute(
        """
        DELETE FROM messages WHERE conversation = :conversation
          AND author = :person AND said_at < :said_before
        """,
        **mine,
    )
    await tx.execute(
        """
        DELETE FROM participants WHERE conversation = :conversation AND person = :person
          AND NOT EXISTS (SELECT 1 FROM messages
            WHERE conversation = :conversation AND author = :person)
        """,
        conversation=mine["conversation"],
        person=mine["person"],
    )
    return {row["number"] for row in turns}


async def _clean(tx: Transaction, conversation: str, remains: Remains) -> set[int]:
    """Take the remains out of what others said and were told, also of the open turn's steps; the
    turns that were changed by it."""
    touched: set[int] = set()
    async for row in _read(tx, conversation):
        cleaned = _cleaned(row, remains)
        if cleaned == row["content"]:
            continue
        touched |= {row["turn"]} - {None}
        await tx.execute(
            """
            UPDATE messages SET content = :content
            WHERE conversation = :conversation AND position = :position
            """,
            content=cleaned,
            conversation=conversation,
            position=row["position"],
        )
    return touched


async def _clean_notes(tx: Transaction, conversation: str, remains: Remains) -> None:
    """Also what is known about others, since it was said here."""
    for row in await tx.fetch(
        "SELECT id, subject, text FROM notes WHERE conversation = :conversation",
        conversation=conversation,
    ):
        cleaned = {name: remains.removed_from(row[name]) for name in ("subject", "text")}
        if cleaned != {name: row[name] for name in cleaned}:
            await tx.execute(
                "UPDATE notes SET subject = :subject, text = :text WHERE id = :id",
                id=row["id"],
                **cleaned,
            )


async def _read(tx: Transaction, conversation: str) -> AsyncIterator[Row]:
    last = -1
    while True:
        rows = await tx.fetch(
            """
            SELECT position, turn, role, content FROM messages
            WHERE conversation = :conversation AND position > :last
            ORDER BY position LIMIT :most
            """,
            conversation=conversation,
            last=last,
            most=_PAGE,
        )
        for row in rows:
            yield row
        if len(rows) < _PAGE:
            return
        last = rows[-1]["position"]


def _cleaned(row: Row, remains: Remains) -> str:
    stored: str = row["content"]
    try:
        message = decode(row["role"], stored)
    except DamagedMessageError:  # nobody reads it, and it may still hold words
        return remains.removed_from(stored)
    cleaned = removed_from_message(message, remains)
    return stored if cleaned is message else encode(cleaned)


async def _settle(
    tx: Transaction, conversation: str, touched: Iterable[int], *, has_loaded: bool
) -> bool:
    """What was made of the old words is made anew: sizes and recall terms of changed turns, the
    summary, and the answer that somebody is working on; whether there is such a one."""
    for number in sorted(touched):
        await contents.measure(tx, conversation, number)
        await recall.rewrite_terms(tx, conversation, number)
    await tx.execute(
        "UPDATE conversations SET summary = NULL, revision = revision + 1 WHERE id = :id",
        id=conversation,
    )
    rung = has_loaded and await tx.execute(
        """
        UPDATE turns SET erased = 1
        WHERE conversation = :conversation AND state = 'running' AND erased = 0
        """,
        conversation=conversation,
    )
    return bool(rung)
