"""Every road on which somebody's words come into the memory, each with a word of its own."""

from __future__ import annotations

import json
from collections.abc import AsyncIterator
from dataclasses import dataclass, field
from typing import Any

from bot.errors import ModelError, ToolError
from bot.model import ModelRequest, ModelResponse
from bot.tools import Tool
from memory import history, recall
from memory.database import Transaction
from memory.keys import PersonKey
from memory.messages import Message, Text, ToolCall
from tests.conversation.erased.dwelling import ANN, BOB, PLACE, Dwelling
from tests.fakes import Step, asks, says
from tests.planted import found_in, planted

ROADS = (
    *("question", "name", "argument", "result", "answer", "between", "rendering", "error"),
    *("overheard", "aside", "calledin", "broken", "note", "subject", "summary"),
)
STAYS = planted("annssaid")
"""What Ann said, which nobody forgets but with the whole conversation."""


def tools() -> list[Tool]:
    return [Tool.of(look_up, risk="read"), Tool.of(fail, risk="read")]


async def look_up(what: str) -> str:
    """Look something up."""
    del what
    return planted("result")


async def fail() -> str:
    """Cannot be done."""
    raise ToolError(planted("error"))


_NOTE = {"topic": "fact", "text": planted("note"), "subject": planted("subject")}
_CALLS = asks(
    ToolCall("c1", "look_up", json.dumps({"what": planted("argument")})),
    ToolCall("c2", "fail", "{}"),
    ToolCall("c3", "remember", json.dumps(_NOTE)),
    text=planted("between"),
)
_ANSWER = Step(
    message=Message(
        "assistant",
        (Text(planted("answer")),),
        {"gemini": {"text": planted("rendering")}},
    )
)


@dataclass
class Echo:
    """Goes all roads when it hears of them, breaks off when it hears so, and else `repeats` every
    word of Bob's that it was told, also when it sums up."""

    repeats: bool = True
    requests: list[ModelRequest] = field(default_factory=list)
    name = "echo"

    async def stream(self, request: ModelRequest) -> AsyncIterator[str | ModelResponse]:
        self.requests.append(request)
        step = self._step(request)
        for piece in step.pieces:
            yield piece
        if step.error is not None:
            raise step.error
        yield step.response

    def _step(self, request: ModelRequest) -> Step:
        last = request.messages[-1]
        words = found_in(repr(request.messages)) - {STAYS} if self.repeats else set()
        heard = " ".join(sorted(words))
        if not request.tools:
            return says(json.dumps({"summary": heard, "notes": []}))
        if last.role == "tool":
            return _ANSWER
        if planted("question") in last.text:
            return _CALLS
        if "break off" in last.text:
            return Step((planted("broken"),), error=ModelError("it broke off", retryable=False))
        return says(f"I heard: {heard}")

    async def close(self) -> None: ...


async def go_all(house: Dwelling, began: PersonKey) -> None:
    """Bob's words come on all roads, in a conversation that somebody began."""
    name: dict[str, Any] = {"name": planted("name")}
    house.platform.say(PLACE, BOB, planted("calledin"), **name)
    if began == ANN:
        await house.say(f"Hello. {STAYS}", ANN)
    await house.say("Hello.", BOB, **name)
    await house.say(planted("overheard"), BOB, mentions_us=False, mentions_others=True, **name)
    await house.say(planted("question"), BOB, **name)
    await house.say("Please break off.", BOB, **name)
    if began == ANN:
        await house.say("What did Bob say?", ANN)
    await house.say(planted("aside"), BOB, mentions_us=False, mentions_others=True, **name)
    await house.parts.database.write(_work_up)


async def _work_up(tx: Transaction) -> None:
    """What the after-work leaves of turns that left the window."""
    [row] = await tx.fetch("SELECT id, next_turn FROM conversations")
    turns = await history.read_turns(tx, row["id"], range(1, row["next_turn"]))
    await recall.write_terms(tx, row["id"], turns)
    await tx.execute(
        "UPDATE conversations SET summary = :summary, window_from = next_turn",
        summary=planted("summary"),
    )
