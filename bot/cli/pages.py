"""Conversations as text and as JSON; without effect."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from dataclasses import asdict
from datetime import UTC, datetime
from typing import assert_never

from bot.wording import count
from memory.messages import Image, Text, ToolCall, ToolResult
from memory.reports import Listed, Report, ReportedMessage, ReportedTurn

_RAW_CONTROL = re.compile(r"[\x7f-\x9f]")  # JSON allows them, a terminal obeys them


def line(listed: Listed) -> str:
    turns = count(listed.turns, "turn")
    first = " ".join(listed.first.split())
    return f"{listed.id}  {_moment(listed.active_at)}  {turns:>9}  {listed.owner}  {first}"


def transcript(report: Report, name: str) -> Iterator[str]:
    """Questions and answers, as they were said."""
    yield _title(report)
    for turn in report.turns:
        yield ""
        yield from _said(turn.messages, name)
        if turn.outcome is None:
            yield "(not answered yet)"
        elif turn.outcome != "answered" and not _tells_that_it_was_stopped(turn):
            yield f"({turn.outcome})"
    for message in report.waiting:
        yield ""
        yield from _said((message,), name)
        yield f"({message.state})"


def trace(report: Report) -> Iterator[str]:
    """Every step, and what each turn cost."""
    yield _title(report)
    for turn in report.turns:
        yield ""
        yield _cost(turn)
        for message in turn.messages:
            yield from _steps(message)


def plain(report: Report) -> dict[str, object]:
    """A report as JSON has it."""
    found = report.conversation
    keys = {"place": str(found.place), "owner": str(found.owner)}
    return {**asdict(report), "conversation": {**asdict(found), **keys}}


def as_json(value: object) -> str:
    """Readable in every script, and harmless to a terminal."""
    text = json.dumps(value, indent=2, ensure_ascii=False)
    return _RAW_CONTROL.sub(lambda match: f"\\u{ord(match[0]):04x}", text)


def _title(report: Report) -> str:
    found = report.conversation
    turns = count(len(report.turns), "turn")
    return f"{found.id} · {found.place.platform} · begun {_moment(found.created_at)} · {turns}"


def _said(messages: tuple[ReportedMessage, ...], name: str) -> Iterator[str]:
    for each in messages:
        if each.message is None:
            yield "(A message here is damaged.)"
        elif each.role != "tool" and each.message.text:
            yield f"{each.author_name or name}: {each.message.text}"


def _tells_that_it_was_stopped(turn: ReportedTurn) -> bool:
    return turn.outcome == "stopped" and turn.messages[-1].message is not None


def _cost(turn: ReportedTurn) -> str:
    first = "no text" if turn.first_text_ms is None else f"first text after {turn.first_text_ms} ms"
    return (
        f"turn {turn.number} · {turn.outcome or turn.state} · {turn.model or 'no model'}"
        f" · model {turn.model_ms} ms, tools {turn.tool_ms} ms, {first}"
        f" · {turn.input_tokens} tokens in ({turn.cached_tokens} cached), {turn.output_tokens} out"
        f" · {turn.full_size} characters, {turn.compact_size} compact"
        f" · begun {_times(turn.attempts)} · reference {turn.id[:6]}"
    )


def _times(attempts: int) -> str:
    return "once" if attempts == 1 else f"{attempts} times"


def _steps(each: ReportedMessage) -> Iterator[str]:
    if each.message is None:
        yield "  (damaged)"
        return
    for part in each.message.parts:
        match part:
            case Text():
                yield f"  {each.author_name or each.role}: {part.text}"
            case ToolCall():
                yield f"  model → {part.name}({part.arguments})"
            case ToolResult():
                yield f"  {part.name} → {part.text}"
            case Image():
                yield f"  {each.author_name or each.role}: [image {part.reference}]"
            case _:
                assert_never(part)


def _moment(milliseconds: int) -> str:
    return f"{datetime.fromtimestamp(milliseconds / 1000, UTC):%Y-%m-%d %H:%M} UTC"
