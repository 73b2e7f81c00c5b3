"""The same conversation with Nimbus: intake, turns, after-work, a real SQLite file."""

from __future__ import annotations

import json
from collections.abc import AsyncIterator, Sequence
from contextlib import AsyncExitStack
from pathlib import Path

from pydantic import JsonValue

from bot.main import Parts, Replaced, assemble
from bot.model import ModelRequest, ModelResponse, Usage
from bot.platform import Inbound
from bot.settings import Limits, Settings, Timing
from bot.tools import Tool, Toolbox
from memory.database import wall_clock
from memory.messages import ToolCall, assistant
from memory.migrate import migrate
from memory.sqlite import SQLite
from tests.benchmarks.filling import PERSON, PLACE
from tests.benchmarks.house import SilentOutlet
from tests.benchmarks.memory.figures import Figures
from tests.benchmarks.memory.script import Exchange
from tests.benchmarks.recording import RecordedDatabase, statements

SUMMARY = json.dumps({"summary": "They talked about this and that.", "notes": []})


class ToldModel:
    """Says what the script has it say. Its summaries name little: what is remembered is not its
    doing."""

    name = "told"

    def __init__(self, figures: Figures) -> None:
        self.figures = figures
        self.system = ""
        self._exchange = Exchange("", "")

    def hear(self, exchange: Exchange) -> None:
        self._exchange = exchange
        self.figures.begin()

    async def stream(self, request: ModelRequest) -> AsyncIterator[str | ModelResponse]:
        if request.system != self.system:
            self.figures.note(request, "after")
            yield _response(SUMMARY)
            return
        exchange, text = self._exchange, self.figures.note(request)
        if request.messages[-1].role == "user":
            self.figures.judge(exchange, request, text)
            if exchange.result:
                arguments = json.dumps({"what": exchange.tool_name})
                call = ToolCall(f"call_{len(self.figures.sent)}", "look_up", arguments)
                yield ModelResponse(assistant("", call), "stop", Usage(1, 1, 1))
                return
        yield exchange.answer
        yield _response(exchange.answer)

    async def look_up(self, what: str) -> dict[str, JsonValue]:  # noqa: ARG002 - the script knows
        """Look something up."""
        found: dict[str, JsonValue] = json.loads(self._exchange.result)
        return found

    async def close(self) -> None: ...


def _response(text: str) -> ModelResponse:
    return ModelResponse(assistant(text), "stop", Usage(1, 1, 1))


async def play(folder: Path, script: Sequence[Exchange], *, settings: Settings) -> Figures:
    """Say it all, each turn worked up before the next one is said."""
    file, figures = folder / "nimbus.db", Figures()
    model = ToldModel(figures)
    async with AsyncExitStack() as stack:
        database = RecordedDatabase(await SQLite.open(file, durability="normal"))
        stack.push_async_callback(database.close)
        await migrate(database)
        toolbox = Toolbox([Tool.of(model.look_up, risk="read")], Timing(), Limits())
        parts = await stack.enter_async_context(
            assemble(
                settings,
                database,
                worker="bench",
                outlets=[SilentOutlet()],
                replaced=Replaced(model=model, toolbox=toolbox),
            )
        )
        model.system = figures.system = parts.contexts.system
        figures.tools = parts.contexts.tools
        database.take()
        for number, exchange in enumerate(script, 1):
            model.hear(exchange)
            await _say(parts, exchange.said, number)
            figures.statements.append(len(statements(database.take())))
    figures.megabytes = file.stat().st_size / 1e6
    return figures


def defaults(folder: Path) -> Settings:
    """Those of whoever sets nothing, without limits on one who talks for hours in a minute."""
    return Settings(
        database_url=f"sqlite:///{folder / 'nimbus.db'}",
        tools=(),
        messages_per_minute=0,
        person_tokens_per_day=0,
        total_tokens_per_day=0,
    )


async def _say(parts: Parts, text: str, number: int) -> None:
    said = Inbound(
        *(PLACE, "direct", PERSON, PERSON.user),
        message_id=f"m{number}",
        sent_order=f"{number:012}",
        said_at=wall_clock(),
        text=text,
        address={},
    )
    accepted = await parts.intake.accept(said)
    assert accepted.conversation is not None
    await parts.turns.answer(accepted.conversation)
    await parts.after.settled()
