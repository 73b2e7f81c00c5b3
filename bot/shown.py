"""A context as a person reads it: all that is sent, with sizes and the reason of every form."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from math import ceil
from typing import Self, assert_never

from bot import note_words
from bot.context import Context
from bot.model import ModelRequest, ToolSpec
from memory import excerpts, knowledge
from memory.excerpts import Recalled
from memory.knowledge import Note
from memory.messages import Image, Message, Part, Text, ToolCall, ToolResult
from memory.reports import Sent
from memory.text import estimate_tokens
from memory.window import TurnForm, full_size


@dataclass(frozen=True, slots=True)
class Reported:
    """What providers have counted: of the newest turns, and for one token that is estimated."""

    sent: Sent
    factor: float | None = None

    @classmethod
    def of(cls, sent: Sent, counted: int, estimated: int) -> Self:
        """`counted` for a request of which so much is `estimated`, if they can be of the same."""
        factor = counted / estimated if estimated else 0
        return cls(sent, factor if 1 / _FAR_OFF <= factor <= _FAR_OFF else None)


_FAR_OFF = 2  # that is not the estimate's fault: the window has moved since, or another model came


def render(context: Context, *, full: bool = False, reported: Reported | None = None) -> str:
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
            _heading("all", size, _all(request)) + _corrected(reported, estimate(context)),
            *([_sent(reported.sent)] if reported and reported.sent.input_tokens else []),
        ]
    )


def estimate(context: Context) -> int:
    """Tokens, by nothing but the texts."""
    return sum(map(estimate_tokens, _all(context.request)))


def _all(request: ModelRequest) -> list[str]:
    return [request.system, "\n".join(map(_tool, request.tools)), *_lines(request.messages)]


def _corrected(reported: Reported | None, estimated: int) -> str:
    if reported is None or reported.factor is None:
        return ""
    return f"; as the provider counts, about {ceil(estimated * reported.factor):,}"


def _sent(sent: Sent) -> str:
    share = f"{sent.cached_percent} % from the provider's cache"
    return f"== the newest turns have sent · {sent.input_tokens:,} tokens, {share}"


def _title(form: TurnForm) -> str:
    return f"turn {form.number} · {form.reason}"


def _known(shown: Sequence[Note]) -> str:
    """Why each note is shown here: by where it was said."""
    text = knowledge.render(shown)
    lines = [f"note {note.number} · {note_words.said_in(note.surface)}" for note in shown]
    return "\n".join([_heading(f"notes: {len(shown)}", len(text), [text]), *lines])


def _recalled(context: Context) -> str:
    """Which turns the question means; what of them is sent."""
    text = "".join(filter(excerpts.is_recalled, _texts(context.question)))
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
