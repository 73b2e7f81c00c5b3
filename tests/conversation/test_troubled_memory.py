"""A long conversation in which everything happens that can make a history invalid: tools, two
people, another provider every ten turns, edits, deletes, erases, blocks that leave."""

from collections.abc import AsyncIterator
from contextlib import AsyncExitStack
from pathlib import Path

import pytest
from pydantic import JsonValue

from bot.main import Parts, Replaced, assemble
from bot.model import ModelRequest, ModelResponse, Usage
from bot.platform import Deleted, Edited, Inbound
from bot.settings import Limits, Settings, Timing
from bot.tools import Tool, Toolbox
from memory.database import wall_clock
from memory.keys import PersonKey, PlaceKey
from memory.messages import Message, Text, ToolCall
from memory.migrate import migrate
from memory.sqlite import SQLite
from tests.benchmarks.house import SilentOutlet, look_up
from tests.validity import problems

PLACE = PlaceKey("bench", "here", "channel", "thread")
ANN, BOB = (PersonKey("bench", "here", name) for name in ("ann", "bob"))
TURNS = 120
BUDGET = 3_000  # so that blocks leave often


class RestlessModel:
    """Another provider's answers every ten turns, each with its own rendering; every third turn
    looks something up. It keeps what a provider would refuse."""

    name = "restless"

    def __init__(self) -> None:
        self.turn = 0
        self.invalid: list[str] = []
        self.sent: list[str] = []

    async def stream(self, request: ModelRequest) -> AsyncIterator[str | ModelResponse]:
        self.invalid += [f"turn {self.turn}: {each}" for each in problems(request)]
        if not request.tools:  # the after-work asks
            yield ModelResponse(self._says('{"summary": "They talked.", "notes": []}'), "stop")
            return
        self.sent.append(repr(request.messages))
        asks = self.turn % 3 == 0 and request.messages[-1].role == "user"
        call = ToolCall(f"call_{self.turn}", "look_up", f'{{"order_id": {self.turn}}}')
        message = self._says("", call) if asks else self._says(f"Answer {self.turn}. " * 8)
        yield ModelResponse(message, "stop", Usage(1, 1, 1))

    def _says(self, text: str, *calls: ToolCall) -> Message:
        provider = ("openai", "gemini")[self.turn // 10 % 2]
        rendering: dict[str, JsonValue] = {provider: {"role": "model", "parts": [{"text": text}]}}
        spoken = (Text(text),) if text else ()
        return Message("assistant", (*spoken, *calls), rendering)

    async def close(self) -> None: ...


def said(number: int, text: str) -> Inbound:
    person = BOB if number % 4 == 0 else ANN
    return Inbound(
        *(PLACE, "public", person, person.user),
        message_id=f"m{number}",
        sent_order=f"{number:012}",
        said_at=wall_clock(),
        text=text,
        address={},
        mentions_us=True,
    )


async def turn(parts: Parts, number: int) -> None:
    accepted = await parts.intake.accept(said(number, f"Question word{number}. {'please ' * 20}"))
    assert accepted.conversation is not None
    await parts.turns.answer(accepted.conversation)
    if number % 7 == 0:
        changed = said(number - 5, f"Question other{number - 5}.")
        await parts.intake.accept(Edited(changed, wall_clock()))
    if number % 11 == 0:
        await parts.intake.accept(Deleted(PLACE, f"m{number - 9}"))
    if number % 37 == 0:
        await parts.after.settled()
        await parts.erasure.forget_part(
            PLACE, BOB, [accepted.conversation], said_before=wall_clock()
        )
    if number % 2 == 0:  # else the next turn begins beside it
        await parts.after.settled()


@pytest.mark.slow
async def test_whatever_happens_in_a_conversation_no_provider_is_sent_what_it_refuses(
    tmp_path: Path,
) -> None:
    model = RestlessModel()
    async with AsyncExitStack() as stack:
        database = await SQLite.open(tmp_path / "nimbus.db", durability="normal")
        stack.push_async_callback(database.close)
        await migrate(database)
        toolbox = Toolbox([Tool.of(look_up, risk="read")], Timing(), Limits())
        settings = Settings(context_budget=BUDGET, messages_per_minute=0)
        replaced = Replaced(model=model, toolbox=toolbox)
        outlets = [SilentOutlet()]
        parts = await stack.enter_async_context(
            assemble(settings, database, worker="test", outlets=outlets, replaced=replaced)
        )
        for number in range(1, TURNS + 1):
            model.turn = number
            await turn(parts, number)
        await parts.after.settled()
        [row] = await database.read(
            lambda tx: tx.fetch("SELECT window_from, summary FROM conversations")
        )

    assert row["window_from"] > TURNS // 2
    assert "They talked." in row["summary"]
    assert model.invalid == []
    assert len(model.sent) == TURNS + TURNS // 3
    assert not any(f"word{number}." in model.sent[-1] for number in (2, 13, 24, 4, 8, 12))
