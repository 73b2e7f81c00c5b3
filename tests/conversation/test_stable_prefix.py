"""What a provider caches: from one question to the next the beginning stays, byte for byte."""

from __future__ import annotations

import json
from collections.abc import AsyncIterator, Sequence
from dataclasses import dataclass, field, replace
from itertools import pairwise

from bot.main import Parts, Replaced, assemble
from bot.model import ModelRequest, ModelResponse, Usage
from bot.settings import Limits, Settings, Timing
from bot.tools import Tool, Toolbox
from bot.tools.notes import note_tools
from memory.database import Database, Transaction, wall_clock
from memory.excerpts import HEADING
from memory.keys import PersonKey, PlaceKey
from memory.messages import ToolCall, assistant
from memory.migrate import migrate
from memory.window import RECENT_TURNS
from tests.benchmarks.memory.figures import written
from tests.played_platform import PlayedPlatform
from tests.validity import problems

PLACE = PlaceKey("played", "W", "C", "1")
PEOPLE = PersonKey("played", "W", "ann"), PersonKey("played", "W", "bob")
TURNS = 30
ITEMS = "the blue kettle", "the oak table", "the tin box", "the wool rug", "the old lamp"
LOOK_UP = 3  # every third question needs a tool
EVERYTHING = (
    "[From ann]",
    "[From bob]",
    "[Earlier in this conversation: ",
    "[Notes about the person who asks",
    HEADING,
    '"order": 1042',
    "with the carrier",
)


@dataclass
class Brain:
    """Looks up what is an order, answers at length, and sums up."""

    name: str = "brain"
    system: str = ""
    asked: list[ModelRequest] = field(default_factory=list)  # the first request of each turn

    async def stream(self, request: ModelRequest) -> AsyncIterator[str | ModelResponse]:
        if request.system != self.system:
            turn = int(request.messages[0].text.partition("Turn ")[2].partition("\n")[0])
            note = {"turn": turn, "topic": "place", "text": "lives in Bergen"}
            summary = {"summary": f"They talked {'on and ' * 20}on.", "notes": [note]}
            yield response(json.dumps(summary))
            return
        if request.messages[-1].role == "user":
            self.asked.append(request)
            if len(self.asked) % LOOK_UP == 0:
                call = ToolCall(f"call_{len(self.asked)}", "look_up", '{"order": 1042}')
                yield response("", call)
                return
        yield response(f"Answer {len(self.asked)}: {'so ' * 30}it is.")

    async def look_up(self, order: int) -> str:
        """Look an order up."""
        return f"Order {order} is with {'the carrier, and ' * 10}on its way."

    async def close(self) -> None: ...


def response(text: str, *calls: ToolCall) -> ModelResponse:
    return ModelResponse(assistant(text, *calls), "stop", Usage(1, 1, 1))


@dataclass
class Talk:
    """A shared place in which two people ask in turn."""

    parts: Parts
    platform: PlayedPlatform

    async def ask(self, number: int) -> int:
        """Where the window begins for this question."""
        text = f"Question {number}: what of {ITEMS[number % len(ITEMS)]}?"
        said = self.platform.say(PLACE, PEOPLE[number % 2], text)
        accepted = await self.parts.intake.accept(said)
        conversation = accepted.conversation or ""

        async def read(tx: Transaction) -> int:
            [row] = await tx.fetch("SELECT window_from FROM conversations")
            return int(row["window_from"])

        cut = await self.parts.database.read(read)
        await self.parts.turns.answer(conversation)
        await self.parts.after.settled()
        return cut


async def test_two_questions_in_a_row_share_all_before_the_oldest_full_turn(
    file: Database,
) -> None:
    brain, platform = Brain(), PlayedPlatform(wall_clock)
    await migrate(file)
    tools = [Tool.of(brain.look_up, risk="read"), *note_tools(file)]
    async with assemble(
        Settings(context_budget=4_000, messages_per_minute=0),
        file,
        worker="run:test",
        outlets=[platform],
        replaced=Replaced(model=brain, toolbox=Toolbox(tools, Timing(), Limits())),
    ) as parts:
        brain.system = parts.contexts.system
        talk = Talk(parts, platform)
        cuts = [await talk.ask(number) for number in range(TURNS)]

    stays = [earlier == later for earlier, later in pairwise(cuts)]
    for (earlier, later), is_same in zip(pairwise(brain.asked), stays, strict=True):
        assert not is_same or written(later).startswith(beginning(earlier))
    assert 2 <= stays.count(False) <= TURNS // 4
    assert problems(brain.asked[-1]) == []
    assert what_is_there(brain.asked) == set(EVERYTHING)


def beginning(request: ModelRequest) -> str:
    """All before the oldest turn that is sent in full."""
    questions = [at for at, each in enumerate(request.messages) if each.role == "user"]
    oldest = questions[-1 - RECENT_TURNS] if len(questions) > RECENT_TURNS else 0
    return written(replace(request, messages=request.messages[:oldest]))


def what_is_there(requests: Sequence[ModelRequest]) -> set[str]:
    """In any request, so that nothing is the same only because it is not there."""
    text = "\n".join(map(written, requests))
    return {each for each in EVERYTHING if json.dumps(each, ensure_ascii=False)[1:-1] in text}
