"""What a turn does not know yet and the platform is asked for: names, and what was said earlier.
Each is written down by the turn that asked, and once."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from memory import contents, observed, people
from memory.database import Row, Transaction
from memory.inbox import Arrival
from memory.keys import Digests
from memory.messages import Message, encode
from memory.turns import Turn, lock, superseded
from memory.voices import Unnamed


@dataclass(frozen=True, slots=True)
class Named:
    """The same with names."""

    unnamed: Unnamed
    name: str
    message: Message


async def name_people(tx: Transaction, turn: Turn, named: Sequence[Named]) -> None:
    """Write names down; a message that was changed since it was read keeps its new words."""
    await _hold(tx, turn, positions=1)
    for each in named:
        await tx.execute(
            """
            UPDATE messages SET author_name = :name, content = :content
            WHERE conversation = :conversation AND position = :position AND content = :read
            """,
            name=each.name,
            content=encode(each.message),
            conversation=turn.conversation,
            position=each.unnamed.position,
            read=each.unnamed.content,
        )
    for number in {each.unnamed.turn for each in named} - {turn.number}:
        await contents.measure(tx, turn.conversation, number)
    for author, name in {each.unnamed.author: each.name for each in named}.items():
        await tx.execute(
            """
            UPDATE participants SET name = :name
            WHERE conversation = :conversation AND person = :person
            """,
            name=name,
            conversation=turn.conversation,
            person=str(author),
        )


async def call_in(
    tx: Transaction, turn: Turn, earlier: Sequence[Arrival], digests: Digests
) -> None:
    """Keep what was said before the turn's question, oldest first, as observed; once."""
    position = await _hold(tx, turn, positions=len(earlier) + 1)
    await tx.execute("UPDATE conversations SET called_in = 1 WHERE id = :id", id=turn.conversation)
    kept = observed.count_kept([len(each.message.text) for each in reversed(earlier)])
    for offset, arrival in enumerate(earlier[len(earlier) - kept :]):
        if await _keep(tx, turn, arrival, position + offset, digests):
            await people.take_part(
                tx,
                turn.conversation,
                person=arrival.author,
                name=arrival.author_name,
                now=turn.started_at,  # nobody of them has said anything since
            )


async def _keep(
    tx: Transaction, turn: Turn, arrival: Arrival, position: int, digests: Digests
) -> list[Row]:
    """Nothing that we were told of, and nothing that was said before a forget."""
    return await tx.fetch(
        """
        INSERT INTO messages (conversation, position, turn, role, state, remote_id, sent_order,
          author, author_name, said_at, content)
        SELECT q.conversation, :position, :number, 'user', 'observed', :remote_id, :sent_order,
          :author, :author_name, :said_at, :content
        FROM messages q
        WHERE q.conversation = :conversation AND q.turn = :number AND q.state = 'taken'
          AND q.role = 'user' AND q.sent_order > :sent_order
          AND NOT EXISTS (SELECT 1 FROM seen WHERE key = :said)
          AND NOT EXISTS (SELECT 1 FROM forgotten
            WHERE key IN (:place, :person, :person_in_place) AND said_before > :said_at)
        ORDER BY q.position LIMIT 1
        ON CONFLICT (remote_id, conversation) WHERE remote_id IS NOT NULL DO NOTHING
        RETURNING position
        """,
        conversation=turn.conversation,
        position=position,
        number=turn.number,
        remote_id=arrival.message_id,
        sent_order=arrival.sent_order,
        author=str(arrival.author),
        author_name=arrival.author_name,
        said_at=arrival.said_at,
        content=encode(observed.shorten(arrival.message)),
        said=digests.said(arrival.place, arrival.message_id),
        place=digests.place(arrival.place),
        person=digests.person(arrival.author),
        person_in_place=digests.person_in_place(arrival.author, arrival.place),
    )


async def _hold(tx: Transaction, turn: Turn, *, positions: int) -> int:
    """The first of so many positions, if the turn is still ours."""
    position = await lock(tx, turn, positions=positions)
    ours = await tx.execute(
        "UPDATE turns SET steps = steps WHERE id = :id AND fence = :fence AND state = 'running'",
        id=turn.id,
        fence=turn.fence,
    )
    if not ours:
        raise await superseded(tx, turn)
    return position
