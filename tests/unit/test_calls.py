"""Which calls are the same, and what of a model's message is kept."""

import pytest
from hypothesis import strategies as st

from bot.calls import call_key, canonical, same_call, tidy
from bot.model import ModelRequest
from memory.messages import (
    Image,
    Message,
    Text,
    ToolCall,
    ToolResult,
    assistant,
    decode,
    encode,
    tool,
    user,
)
from tests.properties import for_all
from tests.validity import problems

WILD = st.text() | st.text(st.characters(codec=None, categories=["Cs", "Cc", "L"]))
PARTS = st.one_of(
    st.builds(Text, WILD),
    st.builds(ToolCall, WILD, WILD, WILD),
    st.builds(ToolResult, WILD, WILD, WILD),
    st.builds(Image, WILD, WILD),
)


def tidied(*parts: Text | ToolCall | ToolResult, taken: str = "") -> Message:
    return tidy(Message("assistant", parts), "t", 3, {taken})


@pytest.mark.parametrize(
    "arguments",
    ['{"a":1,"b":[2]}', '{"b": [2], "a": 1}', ' {"a":1 ,\n"b":[2]} '],
)
def test_order_and_blanks_do_not_make_another_call(arguments: str) -> None:
    assert canonical(arguments) == '{"a": 1, "b": [2]}'


def test_no_arguments_are_the_same_as_an_empty_object() -> None:
    assert same_call(ToolCall("a", "look", ""), ToolCall("b", "look", "{}"))


def test_another_name_or_value_makes_another_call() -> None:
    one = ToolCall("a", "look", '{"n": 1}')

    assert not same_call(one, ToolCall("a", "act", '{"n": 1}'))
    assert not same_call(one, ToolCall("a", "look", '{"n": 2}'))


def test_broken_arguments_are_compared_as_they_came() -> None:
    assert canonical('{"a": ') == '{"a": '
    assert canonical("[" * 100_000) == "[" * 100_000


def test_a_good_message_is_kept_as_it_is() -> None:
    parts = (Text("Let me see."), ToolCall("call_1", "look", "{}"))
    message = Message("assistant", parts, {"gemini": {"signature": "s"}})

    assert tidy(message, "t", 1, set()) is message


def test_a_changed_message_loses_its_providers_rendering() -> None:
    message = Message("assistant", (Text("\0"),), {"gemini": {"signature": "s"}})

    assert tidy(message, "t", 1, set()) == assistant("\ufffd")


@pytest.mark.parametrize("bad", ["", "a b", "x" * 41, "taken"])
def test_a_bad_or_used_id_is_replaced(bad: str) -> None:
    [call] = tidied(ToolCall(bad, "look", "{}"), taken="taken").calls

    assert call == ToolCall(f"call_{call_key('t', 3, 0)}", "look", "{}")


def test_a_second_call_with_the_same_id_gets_another() -> None:
    first, second = tidied(ToolCall("a", "look", "{}"), ToolCall("a", "look", "{}")).calls

    assert (first.id, second.id) == ("a", f"call_{call_key('t', 3, 1)}")


@pytest.mark.parametrize(
    ("name", "kept"), [("", "unnamed"), ("get order", "get_order"), ("é" * 100, "_" * 64)]
)
def test_a_name_that_no_provider_takes_back_is_made_good(name: str, kept: str) -> None:
    assert tidied(ToolCall("a", name, "{}")).calls[0].name == kept


def test_blank_text_and_foreign_parts_are_dropped() -> None:
    parts = (Text(" \n"), ToolResult("a", "look", "{}"), Text("Yes."))

    assert tidied(*parts) == assistant("Yes.")


@for_all(st.lists(PARTS, max_size=5), st.sampled_from(["assistant", "user", "tool"]))
def test_whatever_a_model_says_can_be_stored_and_sent_back(parts, role) -> None:  # type: ignore[no-untyped-def]
    kept = tidy(Message(role, tuple(parts)), "t", 1, set())
    results = [tool(ToolResult(call.id, call.name, "{}")) for call in kept.calls]
    history = (user("Hello."), kept, *results, user("And?")) if kept.parts else (user("Hello."),)

    assert problems(ModelRequest("", history)) == []
    assert decode("assistant", encode(kept)) == kept
