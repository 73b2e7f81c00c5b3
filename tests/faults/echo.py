"""A model that says which messages it answers and which it has seen before.

Every question of a schedule has a token, such as k000017x, so that each answer proves what it was
an answer to, and what the model was shown.
"""

from __future__ import annotations

import json
import re
from collections.abc import AsyncIterator, Sequence

from bot.model import Finish, ModelRequest, ModelResponse, Usage
from memory.messages import Message, Text, ToolCall, assistant

TOKEN = re.compile(r"\bk\d{6}x\b")  # long enough that no file has it by chance


class EchoModel:
    name = "echo"

    def __init__(self, filler: str = "and so on " * 30) -> None:
        self._filler = filler  # of a long answer

    async def stream(self, request: ModelRequest) -> AsyncIterator[str | ModelResponse]:
        before, now = split(request.messages)
        wanted = wishes(before, now)
        called = {call.name for message in now for call in message.calls}
        calls = [call for call in wanted if call.name not in called]
        if calls and request.tool_choice == "auto":
            yield "Let me see."
            yield answered(assistant("Let me see.", *calls))
            return
        text = spoken(before, now, self._filler)
        middle = len(text) // 2
        yield text[:middle]
        yield text[middle:]
        yield answered(assistant(text))

    async def close(self) -> None: ...


def answered(message: Message, finish: Finish = "stop") -> ModelResponse:
    return ModelResponse(message, finish, Usage(input_tokens=10, output_tokens=5), "echo")


def split(messages: Sequence[Message]) -> tuple[Sequence[Message], Sequence[Message]]:
    """The turns before, and the one that is asked: it begins after the last answer."""
    for index in range(len(messages) - 1, -1, -1):
        if messages[index].role == "assistant" and not messages[index].calls:
            return messages[: index + 1], messages[index + 1 :]
    return (), messages


def question(message: Message) -> str:
    """What the person said: the last text part."""
    texts = [part.text for part in message.parts if isinstance(part, Text)]
    return texts[-1] if texts else ""


def asides(messages: Sequence[Message]) -> list[str]:
    """What stands beside the questions: what was overheard."""
    texts = [
        [part.text for part in message.parts if isinstance(part, Text)]
        for message in messages
        if message.role == "user"
    ]
    return [text for each in texts for text in each[:-1]]


def questions(messages: Sequence[Message]) -> list[str]:
    return [question(message) for message in messages if message.role == "user"]


def wishes(before: Sequence[Message], now: Sequence[Message]) -> list[ToolCall]:
    """The tools that the question names, each once. A letter tells what was seen, too."""
    said = " ".join(questions(now))
    ticket = {"category": "damage", "summary": said[:200], "order_id": 1042}
    letter = {"text": f"{said[:200]} {_seen(before)}"}
    arguments = {"look": {"order_id": 1042}, "ticket": ticket, "letter": letter}
    names = {"look": "get_order", "ticket": "create_support_ticket", "letter": "send_letter"}
    return [
        ToolCall(f"call-{word}", names[word], json.dumps(arguments[word]))
        for word in names
        if word in said.split()
    ]


def _seen(before: Sequence[Message]) -> str:
    return " ".join(token for text in questions(before) for token in TOKEN.findall(text))


def spoken(before: Sequence[Message], now: Sequence[Message], filler: str) -> str:
    asked = " ".join(questions(now))
    seen = _seen(before)
    answer = f"Answer to {' '.join(TOKEN.findall(asked))}."
    if seen:
        answer += f" Seen: {seen}."
    heard = " ".join(TOKEN.findall(" ".join(asides(now))))
    if heard:
        answer += f" Heard: {heard}."
    return f"{answer} {filler}" if "long" in asked.split() else answer
