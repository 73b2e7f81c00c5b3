"""The codec of messages: what is stored comes back, and what cannot be read is named."""

import json
from collections.abc import Iterator
from typing import Any

import pytest
from hypothesis import strategies as st

from memory.errors import DamagedMessageError, UnknownPartError
from memory.messages import (
    Image,
    Message,
    Part,
    Role,
    Text,
    ToolCall,
    ToolResult,
    assistant,
    decode,
    encode,
    tool,
    user,
)
from memory.text import replace_surrogates
from tests.properties import for_all

ANY_TEXT = st.text(st.characters(exclude_categories=()), max_size=20)
SOUND_TEXT = st.text(max_size=20)
ROLES: st.SearchStrategy[Role] = st.sampled_from(["user", "assistant", "tool"])


def messages(text: st.SearchStrategy[str]) -> st.SearchStrategy[Message]:
    part = (
        st.builds(Text, text)
        | st.builds(Image, text, text)
        | st.builds(ToolCall, text, text, text)
        | st.builds(ToolResult, text, text, text, st.booleans())
    )
    number = st.integers() | st.floats(allow_nan=False, allow_infinity=False)
    rendering = st.recursive(
        st.none() | st.booleans() | number | text,
        lambda inner: st.lists(inner, max_size=3) | st.dictionaries(text, inner, max_size=3),
        max_leaves=8,
    )
    parts = st.lists(part, max_size=4).map(tuple)
    return st.builds(Message, ROLES, parts, st.dictionaries(text, rendering, max_size=2))


@for_all(messages(SOUND_TEXT))
def test_a_message_comes_back_as_it_was(message: Message) -> None:
    assert decode(message.role, encode(message)) == message


@for_all(messages(ANY_TEXT))
def test_of_any_message_only_lone_surrogates_are_replaced(message: Message) -> None:
    stored = encode(message)

    back = decode(message.role, stored)
    assert stored.encode().decode() == stored
    assert [*texts(back)] == [replace_surrogates(text) for text in texts(message)]
    assert decode(message.role, encode(back)) == back


def texts(message: Message) -> Iterator[str]:
    for part in message.parts:
        yield from texts_of_part(part)


def texts_of_part(part: Part) -> tuple[str, ...]:
    match part:
        case Text():
            return (part.text,)
        case Image():
            return (part.reference, part.media_type)
        case ToolCall():
            return (part.id, part.name, part.arguments)
        case ToolResult():
            return (part.call_id, part.name, part.text)


def test_a_message_is_stored_as_its_parts_and_renderings() -> None:
    message = Message("assistant", (Text("Hm"), ToolCall("c1", "f", "{")), {"gemini": {"x": [1]}})

    assert json.loads(encode(message)) == {
        "parts": [
            {"kind": "text", "text": "Hm"},
            {"kind": "tool_call", "id": "c1", "name": "f", "arguments": "{"},
        ],
        "provider_data": {"gemini": {"x": [1]}},
    }


@pytest.mark.parametrize("text", ["a\0b", "a\0b\ud800"])
def test_a_zero_byte_stays_with_and_without_a_surrogate_beside_it(text: str) -> None:
    assert decode("user", encode(user(text))).text.startswith("a\0b")


@pytest.mark.parametrize("text", ["sound", "\ud800"])
def test_a_number_that_json_does_not_know_becomes_null(text: str) -> None:
    message = Message("assistant", (), {"gemini": {text: float("nan")}})

    assert list(json.loads(encode(message))["provider_data"]["gemini"].values()) == [None]


@pytest.mark.parametrize(
    "stored",
    [
        "",
        "null",
        "[]",
        "{",
        "{}",
        "\ud800",
        "[" * 100_000,
        '{"parts": 1}',
        '{"parts": [{"text": "no kind"}]}',
        '{"parts": [{"kind": "text"}]}',
        '{"parts": [{"kind": "text", "text": 1}]}',
        '{"parts": [{"kind": "text", "text": "\\ud800"}]}',
        '{"parts": [{"kind": "image", "reference": "F1"}]}',
        '{"parts": [], "provider_data": []}',
    ],
)
def test_what_is_no_message_is_refused_as_damaged(stored: str) -> None:
    with pytest.raises(DamagedMessageError) as refused:
        decode("user", stored)

    assert type(refused.value) is DamagedMessageError
    assert str(refused.value) == "A stored message is damaged."


def test_a_part_of_a_newer_writer_is_refused_in_words() -> None:
    with pytest.raises(UnknownPartError, match="A newer Nimbus stored something here"):
        decode("user", '{"parts": [{"kind": "text", "text": "a"}, {"kind": "video", "url": "b"}]}')


def test_a_field_of_a_newer_writer_is_left_aside() -> None:
    stored = '{"parts": [{"kind": "text", "text": "a", "mood": "good"}], "priority": 1}'

    assert decode("user", stored) == user("a")


@for_all(messages(SOUND_TEXT), st.integers(0, 10_000), st.characters())
def test_damage_is_named_or_leaves_a_message(message: Message, place: int, other: str) -> None:
    stored = encode(message)
    place %= len(stored)

    try:
        read = decode(message.role, stored[:place] + other + stored[place + 1 :])
    except DamagedMessageError:
        return
    assert decode(read.role, encode(read)) == read


@for_all(messages(SOUND_TEXT), st.integers(0, 10_000))
def test_lost_bytes_are_named(message: Message, place: int) -> None:
    stored = encode(message)

    with pytest.raises(DamagedMessageError):
        decode(message.role, stored[: place % len(stored)])


def test_the_text_of_a_message_is_all_its_text_parts() -> None:
    message = Message("assistant", (Text("a"), ToolCall("c1", "f", "{}"), Text("b")))

    assert message.text == "a\n\nb"
    assert message.calls == (ToolCall("c1", "f", "{}"),)
    assert message.results == ()


def test_messages_are_made_of_what_was_said_called_and_returned() -> None:
    call, result = ToolCall("c1", "f", "{}"), ToolResult("c1", "f", "{}")

    assert user("a") == Message("user", (Text("a"),))
    assert assistant("a", call) == Message("assistant", (Text("a"), call))
    assert assistant("", call) == Message("assistant", (call,))
    assert tool(result).results == (result,)


def test_a_role_that_there_is_not_is_damage_too() -> None:
    role: Any = "us\x05r"
    with pytest.raises(DamagedMessageError):
        decode(role, encode(user("Hello")))
