"""Conversations as text and as JSON."""

from __future__ import annotations

import json
from dataclasses import replace

from bot.cli import pages
from memory.conversations import Conversation
from memory.keys import PersonKey, PlaceKey
from memory.messages import Image, Message, Text, ToolCall, ToolResult, assistant, tool, user
from memory.reports import Listed, Report, ReportedMessage, ReportedTurn

FOUND = Conversation(
    id="c0ffee",
    place=PlaceKey("terminal", "local", "chat", "1"),
    is_current=True,
    surface="terminal",
    owner=PersonKey("terminal", "", "robin"),
    parent="",
    created_at=0,
    active_at=60_000,
    window_from=1,
    revision=1,
)


def reported(message: Message | None, state: str = "taken") -> ReportedMessage:
    if message is None or message.role != "user":
        return ReportedMessage(message.role if message else "user", state, None, None, 0, message)
    return ReportedMessage("user", state, "terminal:robin", "robin", 0, message)


def turn(*messages: Message | None, outcome: str | None = "answered") -> ReportedTurn:
    return ReportedTurn(
        number=1, id="abcdef0123", state="running", outcome=outcome, asker="terminal:robin",
        asked_at=0, started_at=0, ended_at=None, attempts=2, steps=1, model=None,
        input_tokens=5, cached_tokens=4, output_tokens=3, reasoning_tokens=2, model_ms=7,
        tool_ms=8, first_text_ms=None, full_size=9, compact_size=6,
        messages=tuple(map(reported, messages)),
    )  # fmt: skip


def test_a_line_names_the_conversation_and_how_it_began() -> None:
    listed = Listed(
        "c0ffee", "terminal:1", "terminal", "terminal:robin", 2, 0, 60_000, "What\nis it?"
    )

    assert pages.line(listed) == (
        "c0ffee  1970-01-01 00:01 UTC    2 turns  terminal:robin  What is it?"
    )


def test_a_transcript_tells_what_was_said_and_how_it_ended() -> None:
    report = Report(
        FOUND,
        (
            turn(user("Hello"), assistant("", ToolCall("1", "look", "{}")), assistant("Hi.")),
            turn(user("Well?"), None, outcome="stopped"),
            turn(user("Long?"), assistant("It (stopped)"), outcome="stopped"),
            turn(user("Now?"), assistant("It failed."), outcome="api_error"),
            turn(user("And?"), outcome=None),
        ),
        (reported(user("Later"), "waiting"),),
    )

    assert list(pages.transcript(report, "Nimbus")) == [
        "c0ffee · terminal · begun 1970-01-01 00:00 UTC · 5 turns",
        *("", "robin: Hello", "Nimbus: Hi."),
        *("", "robin: Well?", "(A message here is damaged.)", "(stopped)"),
        *("", "robin: Long?", "Nimbus: It (stopped)"),
        *("", "robin: Now?", "Nimbus: It failed.", "(api_error)"),
        *("", "robin: And?", "(not answered yet)"),
        *("", "robin: Later", "(waiting)"),
    ]


def test_a_trace_tells_every_step_and_its_cost() -> None:
    steps = turn(
        Message("user", (Image("F1", "image/png"), Text("Hello"))),
        assistant("Let me look.", ToolCall("1", "look", '{"a": 1}')),
        tool(ToolResult("1", "look", '{"b": 2}')),
        None,
    )
    shown = replace(steps, attempts=1, model="offline", first_text_ms=10)

    title, _, cost, *lines = pages.trace(Report(FOUND, (shown,), ()))

    assert title.endswith("· 1 turn")
    assert cost == (
        "turn 1 · answered · offline · model 7 ms, tools 8 ms, first text after 10 ms"
        " · 5 tokens in (4 cached), 3 out · 9 characters, 6 compact · begun once · reference abcdef"
    )
    assert lines == [
        "  robin: [image F1]",
        "  robin: Hello",
        "  assistant: Let me look.",
        '  model → look({"a": 1})',
        '  look → {"b": 2}',
        "  (damaged)",
    ]


def test_a_trace_of_a_turn_that_runs_again() -> None:
    cost = list(pages.trace(Report(FOUND, (turn(outcome=None),), ())))[2]

    assert cost.startswith("turn 1 · running · no model · model 7 ms, tools 8 ms, no text · ")
    assert " · begun 2 times · " in cost


def test_json_holds_everything_and_steers_no_terminal() -> None:
    report = Report(FOUND, (turn(user("ä \x1b[2J \x9b2J שלום")),), ())

    text = pages.as_json(pages.plain(report))

    assert not any(ord(letter) < 0x20 and letter != "\n" for letter in text)
    assert "\x9b" not in text
    assert "שלום" in text
    read = json.loads(text)
    assert read["conversation"]["owner"] == "terminal:robin"
    assert read["turns"][0]["messages"][0]["message"]["parts"][0]["text"] == "ä \x1b[2J \x9b2J שלום"
