"""A context: what is sent, in order, and how it is shown to a person."""

from collections.abc import Sequence
from dataclasses import replace
from zoneinfo import ZoneInfo

import pytest

from bot.context import Context, ContextBuilder
from bot.model import ToolSpec
from bot.shown import render
from bot.wording import ending
from memory.database import Row, Value
from memory.excerpts import Recalled
from memory.messages import Image, Message, Text, assistant, encode, user
from memory.window import StoredTurn
from tests.histories import called, stored
from tests.validity import problems

NOW = 1_796_047_500_000  # Monday 30 November 2026, 14:05 UTC
NOTE = Text("[Now: Monday 30 November 2026, 14:05 UTC]")
SPEC = ToolSpec("get_order", "Look an order up.", {"type": "object"})
BUILDER = ContextBuilder("You are Nimbus.", (SPEC,))
FIRST = stored(1, user("Refund for 1042?"), *called(), assistant("Yes."))
TURNS = [FIRST, replace(FIRST, number=2, id="2" * 32), replace(FIRST, number=3, id="3" * 32)]


SHOWN = """\
== system prompt · 15 characters, about 5 tokens

== tools: 1 · 47 characters, about 22 tokens

== window: 10 messages · 168 characters, about 128 tokens

== turn 1 · compact: older · 20 characters, about 14 tokens
user: Refund for 1042?
assistant: Yes.

== turn 2 · full: among the newest 2 · 74 characters, about 57 tokens
user: Refund for 1042?
assistant: → get_order({"order_id": 1042})
tool: ← get_order: {"order_id": 1042}
assistant: Yes.

== turn 3 · full: among the newest 2 · 74 characters, about 57 tokens
user: Refund for 1042?
assistant: → get_order({"order_id": 1042})
tool: ← get_order: {"order_id": 1042}
assistant: Yes.

== question · 52 characters, about 31 tokens
user: [Now: Monday 30 November 2026, 14:05 UTC]
user: [image F1]
user: And this?

== all · 282 characters, about 186 tokens"""


def composed(
    *question: Message, turns: Sequence[StoredTurn] = (), builder: ContextBuilder = BUILDER
) -> Context:
    return builder.compose(turns, question, NOW)


def test_system_prompt_tools_window_and_question_stand_in_this_order() -> None:
    context = composed(user("And 1043?"), turns=TURNS[:1])

    assert context.request.system == "You are Nimbus."
    assert context.request.tools == (SPEC,)
    assert context.request.messages == (
        *FIRST.messages,
        Message("user", (NOTE, Text("And 1043?"))),
    )
    assert context.earlier_messages == 4
    assert context.characters == FIRST.full_size
    assert problems(context.request) == []


def test_the_persons_words_are_the_last_part_and_the_date_stands_once() -> None:
    context = composed(user("Hi."), user("And 1043?"))

    assert context.question == (Message("user", (NOTE, Text("Hi."))), user("And 1043?"))


def test_without_a_question_only_the_date_is_there() -> None:
    assert composed().request.messages == (Message("user", (NOTE,)),)


@pytest.mark.parametrize(
    ("zone", "shown"),
    [
        ("Europe/Berlin", "[Now: Monday 30 November 2026, 15:05 CET]"),
        ("Pacific/Auckland", "[Now: Tuesday 1 December 2026, 03:05 NZDT]"),
    ],
)
def test_the_date_is_that_of_the_time_zone(zone: str, shown: str) -> None:
    context = composed(builder=replace(BUILDER, time_zone=ZoneInfo(zone)))

    assert context.question[0].text == shown


def test_a_turn_without_an_answer_has_the_sentence_of_its_outcome() -> None:
    expired = replace(FIRST, messages=FIRST.messages[:1], outcome="expired")

    context = composed(turns=[expired])

    assert context.request.messages[1] == assistant(ending("expired", FIRST.id))


def test_an_outcome_that_nobody_knows_reads_as_interrupted() -> None:
    unknown = replace(FIRST, messages=FIRST.messages[:1], outcome="bored")

    context = composed(turns=[unknown])

    assert context.request.messages[1] == assistant(ending("interrupted", FIRST.id))


class Window:
    """A transaction that knows the rows of one window and nothing else."""

    def __init__(self, turn: StoredTurn, contents: Sequence[str]) -> None:
        self.turn = {name: getattr(turn, name) for name in TURN_COLUMNS}
        roles = [message.role for message in turn.messages]
        self.messages = [
            {
                "number": turn.number,
                "role": role,
                "state": "taken",
                "author_name": "ann",
                "surface": "direct",
                "content": content,
            }
            for role, content in zip(roles, contents, strict=True)
        ]

    async def fetch(self, sql: str, /, **values: Value) -> list[Row]:
        if "FROM recall" in sql:
            return []
        if "SELECT summary" in sql:
            return [{"summary": None}]
        assert values == {"conversation": "c" * 32, "before": 7}
        return list(self.messages) if "JOIN messages" in sql else [self.turn]

    async def execute(self, sql: str, /, **_values: Value) -> int:
        raise AssertionError(sql)

    async def now(self) -> int:
        return NOW


TURN_COLUMNS = ("id", "number", "state", "outcome", "asked_at", "full_size", "compact_size")


async def test_the_window_is_read_and_the_rest_is_the_same() -> None:
    window = Window(FIRST, [encode(message) for message in FIRST.messages])

    context = await BUILDER.build(window, "c" * 32, [user("And 1043?")], 7, NOW)

    assert context == composed(user("And 1043?"), turns=[FIRST])


async def test_a_row_that_cannot_be_read_is_missing_and_its_turn_repaired() -> None:
    contents = [encode(message) for message in FIRST.messages]
    window = Window(FIRST, [*contents[:2], "{", contents[3]])

    context = await BUILDER.build(window, "c" * 32, [], 7, NOW)

    assert [form.reason for form in context.forms] == ["full: among the newest 2; repaired"]
    assert problems(context.request) == []


def test_no_recent_turns_means_that_all_are_compact() -> None:
    context = composed(turns=TURNS, builder=replace(BUILDER, recent_turns=0))

    assert {form.form for form in context.forms} == {"compact"}
    assert len(context.request.messages) > 1
    assert not any(message.calls for message in context.request.messages)


def test_without_history_only_the_question_is_sent() -> None:
    context = composed(turns=TURNS, builder=replace(BUILDER, history=False))

    assert len(context.request.messages) == 1
    assert [form.form for form in context.forms] == ["out"] * 3


def test_the_context_of_the_example_is_shown_with_sizes_and_reasons() -> None:
    picture = Message("user", (Image("F1", "image/png"), Text("And this?")))

    shown = render(composed(picture, turns=TURNS[:3]))

    assert shown == SHOWN


def test_in_full_the_system_prompt_and_the_tools_are_shown() -> None:
    shown = render(composed(), full=True)

    assert "tokens\nYou are Nimbus.\n\n" in shown
    assert 'tokens\nget_order: Look an order up.\n{"type": "object"}\n\n' in shown


def test_in_full_without_system_prompt_and_tools_only_their_sizes_are_shown() -> None:
    shown = render(composed(builder=ContextBuilder("")), full=True)

    assert "== system prompt · 0 characters, about 0 tokens\n\n== tools: 0 · 0" in shown


def test_a_turn_that_is_left_out_is_shown_with_its_reason() -> None:
    shown = render(composed(turns=[replace(FIRST, state="running", outcome=None)]))

    assert "== turn 1 · left out: not finished · 0 characters, about 0 tokens\n\n" in shown


def test_the_summary_stands_first_and_takes_its_room_from_the_window() -> None:
    turns = [stored(n, user("a" * 400), assistant("b")) for n in (1, 2)]
    builder = ContextBuilder("", budget=1_200)
    context = builder.compose(turns, [user("And now?")], NOW, summed_up="Ann. " * 60)

    [first, *_] = context.request.messages
    assert first.parts[0] == Text(f"[Earlier in this conversation: {'Ann. ' * 60}]")
    assert [form.form for form in context.forms] == ["out", "full"]
    assert "== summary" in render(context)


def test_without_a_window_the_summary_stands_before_the_question() -> None:
    context = ContextBuilder("").compose([], [user("And now?")], NOW, summed_up="Ann.")

    [question] = context.request.messages
    assert question.parts[0] == Text("[Earlier in this conversation: Ann.]")
    assert question.parts[-1] == Text("And now?")


def test_recalled_turns_are_shown_with_why() -> None:
    said = StoredTurn(
        "t", 2, "done", "answered", NOW, 0, 0, (user("The hall lamp?"), assistant("AB-1."))
    )
    recalled = [
        Recalled(said, frozenset({"lamp"})),
        Recalled(replace(FIRST, number=3), frozenset({"1042"}), is_in_window=True),
    ]
    context = BUILDER.compose(TURNS[:1], [user("Which lamp?")], NOW, recalled=recalled)

    shown = render(context)
    assert "\nturn 2 · before it; has words of the question\n" in shown
    assert "\nturn 3 · compact in the window: what its tool had found; has words" in shown
    assert "> 30 November 2026, asked: The hall lamp?\n> answered: AB-1." in shown
