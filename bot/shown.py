"""A context as a person reads it: all that is sent, with sizes and the reason of every form."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Sequence
from typing import assert_never

from bot import note_words
from bot.context import Context
from bot.model import ToolSpec
from memory import excerpts, knowledge
from memory.excerpts import Recalled
from memory.knowledge import Note
from memory.messages import Image, Message, Part, Text, ToolCall, ToolResult
from memory.text import estimate_tokens
from memory.window import TurnForm, full_size


def render(context: Context, *, full: bool = False) -> str:
    """The context for a person: all that is sent, with sizes and the reason of every form.

    `full` shows the system prompt and the tools, too, and not only their sizes.
    """
    request = context.request
    tools = "\n".join(map(_tool, request.tools))
    earlier = request.messages[: context.earlier_messages]
    size = len(request.system) + len(tools) + full_size(request.messages)
    return "\n\n".join(
        [
            _plain("system prompt", request.system, show=full),
            _plain(f"tools: {len(request.tools)}", tools, show=full),
            *([_plain("summary", context.summary, show=True)] if context.summary else []),
            _heading(f"window: {len(earlier)} messages", context.characters, _lines(earlier)),
            *(_messages(_title(form), form.messages) for form in context.forms),
            *([_known(context.notes)] if context.notes else []),
            *([_recalled(context)] if context.recalled else []),
            _messages("question", context.question),
            _heading("all", size, [request.system, tools, *_lines(request.messages)]),
        ]
    )


def _title(form: TurnForm) -> str:
    return f"turn {form.number} · {form.reason}"


def _known(shown: Sequence[Note]) -> str:
    """Why each note is shown here: by where it was said."""
    text = knowledge.render(shown)
    lines = [f"note {note.number} · {note_words.said_in(note.surface)}" for note in shown]
    return "\n".join([_heading(f"notes: {len(shown)}", len(text), [text]), *lines])


def _recalled(context: Context) -> str:
    """Which turns the question means; what of them is sent."""
    text = next(filter(excerpts.is_recalled, _texts(context.question)), "")
    lines = [f"turn {one.turn.number} · {_why(one)}" for one in context.recalled]
    return "\n".join([_heading(f"recalled: {len(lines)}", len(text), [text]), *lines])


def _why(one: Recalled) -> str:
    where = "compact in the window: what its tool had found" if one.is_in_window else "before it"
    return f"{where}; has words of the question"


def _texts(messages: Iterable[Message]) -> Iterator[str]:
    for message in messages:
        yield from (part.text for part in message.parts if isinstance(part, Text))


def _messages(title: str, messages: Sequence[Message]) -> str:
    lines = list(_lines(messages))
    return "\n".join([_heading(title, full_size(messages), lines), *lines])


def _plain(title: str, text: str, *, show: bool) -> str:
    heading = _heading(title, len(text), [text])
    return f"{heading}\n{text}" if show and text else heading


def _heading(title: str, size: int, lines: Iterable[str]) -> str:
    tokens = sum(map(estimate_tokens, lines))
    return f"== {title} · {size:,} characters, about {tokens:,} tokens"


def _lines(messages: Iterable[Message]) -> Iterator[str]:
    for message in messages:
        for part in message.parts:
            yield f"{message.role}: {_shown(part)}"


def _shown(part: Part) -> str:
    match part:
        case Text():
            return part.text
        case Image():
            return f"[image {part.reference}]"
        case ToolCall():
            return f"→ {part.name}({part.arguments})"
        case ToolResult():
            return f"← {part.name}: {part.text}"
        case _:
            assert_never(part)


def _tool(spec: ToolSpec) -> str:
    schema = json.dumps(spec.parameters, ensure_ascii=False)
    return f"{spec.name}: {spec.description}\n{schema}"
