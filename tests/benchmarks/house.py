"""The whole house around one conversation, without a provider and without a platform's network."""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path
from types import TracebackType

from bot.main import Parts, Replaced, assemble
from bot.model import ModelRequest, ModelResponse, Usage
from bot.platform import Address, Delivery, Inbound, OwnMessage, Reply, Said, SentPart
from bot.settings import Limits, Settings, Timing
from bot.tools import Tool, Toolbox
from memory.database import Database, Durability, wall_clock
from memory.keys import PersonKey, PlaceKey
from memory.messages import ToolCall, assistant
from memory.migrate import migrate
from memory.sqlite import SQLite
from tests.benchmarks.filling import ANSWER, PERSON, PLACE, QUESTION
from tests.benchmarks.recording import Recorded, RecordedDatabase


class InstantModel:
    """Answers at once; first it looks something up, if it is to use a tool."""

    name = "instant"

    def __init__(self, *, uses_tool: bool) -> None:
        self._uses_tool = uses_tool
        self.answered = 0

    async def stream(self, request: ModelRequest) -> AsyncIterator[str | ModelResponse]:
        number = len(request.messages)
        if self._uses_tool and request.messages[-1].role == "user":
            call = ToolCall(f"call_{number}", "look_up", f'{{"order_id": {number}}}')
            yield ModelResponse(assistant("", call), "stop", Usage(100, 80, 10))
            return
        answer = ANSWER.format(number)
        yield answer
        self.answered += 1
        yield ModelResponse(assistant(answer), "stop", Usage(100, 80, 50))

    async def close(self) -> None: ...


async def look_up(order_id: int) -> dict[str, object]:
    """Look up an order."""
    return {"order_id": order_id, "status": "shipped"}


class SilentOutlet:
    """A platform that takes every answer at once."""

    platform = PLACE.platform

    def reply(self, delivery: Delivery) -> Reply:
        return SilentReply(delivery)

    async def own_messages(self, _address: Address, _since: int) -> Sequence[OwnMessage]:
        return ()

    async def remove(self, address: Address, remote_id: str) -> None: ...

    async def earlier(self, _address: Address, _after: int, _limit: int) -> Sequence[Inbound]:
        return ()

    async def later(
        self, _place: PlaceKey, _address: Address, _after: int, _limit: int
    ) -> Sequence[Inbound]:
        return ()

    async def complete(self, _address: Address, said: Sequence[Said]) -> Sequence[Said]:
        return said

    async def is_administrator(self, _address: Address, _person: PersonKey) -> bool:
        return False


class SilentReply(Reply):
    def __init__(self, delivery: Delivery) -> None:
        self._turn = delivery.turn
        self._sent: tuple[SentPart, ...] = tuple(delivery.sent)

    async def show(self, text: str) -> None: ...

    async def finish(self, answer: str) -> Sequence[SentPart]:
        self._sent = (SentPart(self._turn, len(answer)),)
        return self._sent

    async def recorded(self) -> None: ...

    async def close(self, notice: str) -> None: ...

    @property
    def sent(self) -> Sequence[SentPart]:
        return self._sent

    async def __aexit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None: ...


@dataclass(slots=True)
class Talk:
    """One conversation. `said` counts the messages that its person has said."""

    parts: Parts
    file: SQLite
    database: RecordedDatabase
    model: InstantModel
    said: int

    async def turn(self) -> list[Recorded]:
        """Say something, have it answered, work it up; the transactions that this took."""
        self.said += 1
        accepted = await self.parts.intake.accept(self._inbound())
        assert accepted.conversation is not None
        answered = self.model.answered
        await self.parts.turns.answer(accepted.conversation)
        assert self.model.answered == answered + 1
        await self.parts.after.settled()
        return self.database.take()

    def _inbound(self) -> Inbound:
        return Inbound(
            *(PLACE, "direct", PERSON, PERSON.user),
            message_id=f"m{self.said}",
            sent_order=f"{self.said:012}",
            said_at=wall_clock(),
            text=QUESTION.format(self.said),
            address={},
        )


@asynccontextmanager
async def talking(
    file: Path,
    *,
    said: int = 0,
    durability: Durability = "full",
    uses_tool: bool = False,
    around: Callable[[SQLite], Database] = lambda opened: opened,
) -> AsyncIterator[Talk]:
    """Go on with the conversation in this file, after `said` turns; `around` is what all use."""
    opened = await SQLite.open(file, durability=durability)
    database = RecordedDatabase(around(opened))
    try:
        await migrate(database)
        toolbox = Toolbox([Tool.of(look_up, risk="read")], Timing(), Limits())
        model = InstantModel(uses_tool=uses_tool)
        replaced = Replaced(model=model, toolbox=toolbox)
        settings = Settings(
            database_url=f"sqlite:///{file}",
            tools=(),
            messages_per_minute=0,
            person_tokens_per_day=0,
            total_tokens_per_day=0,
            summaries=False,  # each call of the model is an answer here
        )
        async with assemble(
            settings, database, worker="bench", outlets=[SilentOutlet()], replaced=replaced
        ) as parts:
            database.take()
            yield Talk(parts, opened, database, model, said)
    finally:
        await database.close()
