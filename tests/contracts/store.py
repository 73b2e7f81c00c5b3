"""The store as its suite uses it: each verb is one transaction."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass

from memory import begin, contents, conversations, holds, inbox, turns
from memory.database import Database, Row, Transaction, Value
from memory.deliveries import Part
from memory.inbox import Accepted, Arrival
from memory.keys import Digests, PersonKey, PlaceKey
from memory.messages import Message, ToolCall, ToolResult, assistant, tool, user
from memory.turns import Spent, Stop, Turn

DIGESTS = Digests(b"secret")
PLACE = PlaceKey("played", "W", "C", "1")
ANN = PersonKey("played", "W", "ann")
BOB = PersonKey("played", "W", "bob")
LEASE = 30_000
OVER = -1  # a lease that is over as soon as it is given

CALL = ToolCall("c1", "look", "{}")
RESULT = ToolResult("c1", "look", '{"found": 1}')


def said(
    number: int, author: PersonKey = ANN, *, place: PlaceKey = PLACE, name: str = "", at: int = 0
) -> Arrival:
    """The place's message with this number; people say them in that order, one each second."""
    return Arrival(
        place=place,
        surface="direct",
        author=author,
        author_name=name or author.user,
        message_id=str(number),
        sent_order=f"{number:012}",
        said_at=at or number * 1000,
        address=f'{{"to": "{number}"}}',
        message=user(f"message {number}"),
    )


@dataclass(frozen=True, slots=True)
class Store:
    database: Database

    async def accept(self, arrival: Arrival) -> Accepted | None:
        return await self.database.write(lambda tx: inbox.accept(tx, arrival, DIGESTS))

    async def say(
        self, number: int, author: PersonKey = ANN, *, place: PlaceKey = PLACE
    ) -> Accepted:
        accepted = await self.accept(said(number, author, place=place))
        assert accepted is not None
        return accepted

    async def begin(self, conversation: str, *, lease: int = LEASE) -> Turn:
        return await self.database.write(
            lambda tx: begin.begin(tx, conversation, worker="run:1", lease=lease)
        )

    async def ask(
        self,
        number: int,
        author: PersonKey = ANN,
        *,
        place: PlaceKey = PLACE,
        lease: int = LEASE,
    ) -> Turn:
        """Say it, and begin its turn."""
        accepted = await self.say(number, author, place=place)
        return await self.begin(accepted.conversation, lease=lease)

    async def answer(self, number: int, *steps: Message, place: PlaceKey = PLACE) -> Turn:
        """A whole turn, delivered."""
        turn = await self.ask(number, place=place)
        for step in steps:
            await self.record(turn, step)
        await self.finish(turn)
        await self.deliver(turn)
        return turn

    async def begin_anew(self, turn: Turn) -> Turn:
        return await self.database.write(lambda tx: begin.begin_anew(tx, turn))

    async def record(self, turn: Turn, message: Message) -> Stop | None:
        return await self.database.write(lambda tx: turns.record_step(tx, turn, message))

    async def call(self, turn: Turn, call: ToolCall = CALL) -> None:
        await self.record(turn, assistant("", call))

    async def result(self, turn: Turn, result: ToolResult = RESULT) -> Stop | None:
        return await self.record(turn, tool(result))

    async def finish(
        self,
        turn: Turn,
        message: Message | None = None,
        *,
        outcome: str = "answered",
        spent: Spent | None = None,
        sent: Sequence[Part] = (),
        heeded: Stop | None = None,
    ) -> Stop | None:
        async def work(tx: Transaction) -> Turn | Stop:
            return await turns.finish(
                tx,
                turn,
                outcome=outcome,
                message=message or assistant("The answer."),
                spent=spent or Spent(),
                sent=sent,
                heeded=heeded,
            )

        finished = await self.database.write(work)
        return None if isinstance(finished, Turn) else finished

    async def deliver(self, turn: Turn, *parts: Part) -> None:
        parts = parts or (Part("900", 11),)
        await self.database.write(lambda tx: turns.deliver(tx, turn, parts))

    async def fail(self, turn: Turn) -> None:
        await self.database.write(lambda tx: turns.fail(tx, turn))

    async def renew(self, turn: Turn, *, lease: int = LEASE) -> Stop | None:
        return await self.database.write(lambda tx: holds.renew(tx, turn, lease=lease))

    async def take_over(self, conversation: str, *, lease: int = LEASE) -> Turn | None:
        return await self.database.write(
            lambda tx: holds.take_over(tx, conversation, worker="run:2", lease=lease)
        )

    async def stop(self, place: PlaceKey = PLACE) -> str | None:
        return await self.database.write(lambda tx: holds.wish_to_stop(tx, place))

    async def clear_changed(self, turn: Turn) -> None:
        await self.database.write(lambda tx: holds.clear_changed(tx, turn))

    async def start_new(self, place: PlaceKey = PLACE) -> str:
        return await self.database.write(
            lambda tx: conversations.start_new(tx, place, surface="public", owner=ANN)
        )

    async def forget(self, conversation: str) -> None:
        await self.execute("DELETE FROM conversations WHERE id = :id", id=conversation)

    async def watermark(self, key: str, *, said_before: int) -> None:
        await self.execute(
            "INSERT INTO forgotten (key, said_before, expires_at) VALUES (:key, :at, 0)",
            key=key,
            at=said_before,
        )

    async def execute(self, sql: str, **values: Value) -> int:
        return await self.database.write(lambda tx: tx.execute(sql, **values))

    async def rows(self, sql: str, **values: Value) -> list[Row]:
        return await self.database.read(lambda tx: tx.fetch(sql, **values))

    async def column(self, sql: str, **values: Value) -> list[Value]:
        """The first column of all rows."""
        return [next(iter(row.values())) for row in await self.rows(sql, **values)]

    async def turn(self, turn: Turn) -> Row:
        [row] = await self.rows("SELECT * FROM turns WHERE id = :id", id=turn.id)
        return row

    async def taken(self, turn: Turn) -> list[Value]:
        """What of the question belongs to the turn: the platform's ids, in order."""
        return await self.column(
            "SELECT remote_id FROM messages WHERE turn = :turn AND conversation = :conversation"
            " AND role = 'user' ORDER BY sent_order",
            turn=turn.number,
            conversation=turn.conversation,
        )

    async def waiting(self) -> list[Value]:
        return await self.column(
            "SELECT remote_id FROM messages WHERE state = 'waiting' ORDER BY sent_order"
        )

    async def messages(self, turn: Turn) -> list[Message]:
        found = await self.database.read(
            lambda tx: contents.read(tx, turn.conversation, turn.number)
        )
        return list(found.talk.whole)


@dataclass(slots=True)
class Meddled:
    """A transaction in whose middle, directly before a statement, something else happens."""

    tx: Transaction
    before: str
    meddle: Callable[[Transaction], Awaitable[object]]
    times: int = 1

    async def fetch(self, sql: str, /, **values: Value) -> list[Row]:
        if self.times and self.before in " ".join(sql.split()):
            self.times -= 1
            await self.meddle(self.tx)
        return await self.tx.fetch(sql, **values)

    async def execute(self, sql: str, /, **values: Value) -> int:
        return await self.tx.execute(sql, **values)

    async def now(self) -> int:
        return await self.tx.now()
