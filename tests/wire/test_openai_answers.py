"""What becomes of an answer that OpenAI streams."""

import pytest

from bot.model import ModelRequest, Usage
from memory.messages import ToolCall, user
from tests.servers.openai.rules import Json
from tests.servers.openai.wire import (
    MODEL,
    Stream,
    call,
    chunk,
    more,
    says,
    whole,
)
from tests.wire.asking import LOOK_UP, asked, heard, response_to

pytestmark = pytest.mark.slow

ASKED = ModelRequest("Be kind.", (user("Hello?"),), (LOOK_UP,))


async def calls_made(*deltas: Json) -> tuple[ToolCall, ...]:
    response = await response_to(whole(*deltas, finish="tool_calls"), request=ASKED)
    return response.message.calls


async def test_text_comes_in_pieces_and_then_whole() -> None:
    async with asked(says("Hel", "", "lo.")) as (_, model):
        pieces, response = await heard(model)

    assert pieces == ["Hel", "lo."]
    assert response.message.text == "Hello."
    assert (response.finish, response.model) == ("stop", f"openai:{MODEL}")


async def test_usage_comes_with_a_last_chunk_without_choices() -> None:
    usage = {
        "prompt_tokens": 100,
        "completion_tokens": 30,
        "prompt_tokens_details": {"cached_tokens": 80},
        "completion_tokens_details": {"reasoning_tokens": 12},
    }
    response = await response_to(says("Hi.", usage=usage))

    assert response.usage == Usage(100, 80, 30, 12)


async def test_usage_without_details_is_counted() -> None:
    response = await response_to(says("Hi.", usage={"prompt_tokens": 3, "completion_tokens": 2}))

    assert response.usage == Usage(3, 0, 2, 0)


async def test_a_call_is_put_together_from_its_pieces() -> None:
    made = await calls_made(call(0, "call_1", "look_up"), more(0, '{"id"'), more(0, ": 1}"))

    assert made == (ToolCall("call_1", "look_up", '{"id": 1}'),)


async def test_text_and_calls_may_come_together() -> None:
    answer = whole({"content": "One moment."}, call(0, "call_1", "look_up"), finish="tool_calls")
    response = await response_to(answer, request=ASKED)

    assert response.message.text == "One moment."
    assert response.message.calls == (ToolCall("call_1", "look_up", ""),)


async def test_calls_side_by_side_may_come_interleaved() -> None:
    made = await calls_made(
        call(0, "call_a", "look_up", '{"id"'),
        call(1, "call_b", "look_up"),
        more(1, '{"id": 2'),
        more(0, ": 1}"),
        more(1, "}"),
    )

    assert made == (
        ToolCall("call_a", "look_up", '{"id": 1}'),
        ToolCall("call_b", "look_up", '{"id": 2}'),
    )


async def test_calls_that_all_say_index_0_are_told_apart_by_their_ids() -> None:
    made = await calls_made(
        call(0, "call_a", "look_up", '{"id": 1}'), call(0, "call_b", "look_up", '{"id": 2}')
    )

    assert [made_call.arguments for made_call in made] == ['{"id": 1}', '{"id": 2}']


async def test_a_server_may_repeat_id_and_name_in_every_piece() -> None:
    made = await calls_made(
        call(0, "call_a", "look_up", '{"id"'), call(0, "call_a", "look_up", ": 1}")
    )

    assert made == (ToolCall("call_a", "look_up", '{"id": 1}'),)


async def test_calls_without_index_and_id_get_ids_of_their_own() -> None:
    bare = {"function": {"name": "look_up", "arguments": "{}"}}
    made = await calls_made({"tool_calls": [bare]}, {"tool_calls": [bare]})

    assert [(made_call.name, made_call.arguments) for made_call in made] == [("look_up", "{}")] * 2
    assert len({made_call.id for made_call in made}) == 2
    assert all(made_call.id for made_call in made)


async def test_arguments_stay_as_they_came_also_when_they_are_no_json() -> None:
    made = await calls_made(call(0, "call_1", "look_up", '{"id": 10'))

    assert made == (ToolCall("call_1", "look_up", '{"id": 10'),)


async def test_a_refusal_is_the_models_own_words() -> None:
    async with asked(whole({"refusal": "I won't "}, {"refusal": "do that."}, finish="stop")) as (
        _,
        model,
    ):
        pieces, response = await heard(model)

    assert pieces == ["I won't ", "do that."]
    assert (response.finish, response.message.text) == ("refused", "I won't do that.")


async def test_a_filtered_answer_keeps_its_text_and_loses_its_calls() -> None:
    answer = whole({"content": "Well,"}, call(0, "call_1", "look_up"), finish="content_filter")
    response = await response_to(answer, request=ASKED)

    assert (response.finish, response.message.text) == ("refused", "Well,")
    assert response.message.calls == ()


async def test_an_answer_cut_by_its_length_says_so() -> None:
    assert (await response_to(says("Once upon", finish="length"))).finish == "length"


@pytest.mark.parametrize("finish", ["stop", "tool_calls", "function_call", "eos"])
async def test_every_other_reason_to_finish_is_an_ordinary_end(finish: str) -> None:
    assert (await response_to(says("Hi.", finish=finish))).finish == "stop"


async def test_a_whole_answer_counts_when_the_connection_breaks_after_it() -> None:
    last = chunk({}, "stop")
    response = await response_to(Stream((chunk({"content": "Hi."}), last), "cut"))

    assert response.message.text == "Hi."


async def test_what_a_compatible_server_leaves_out_is_not_missed() -> None:
    bare = (
        'data: {"choices": null, "usage": null}\n\n',
        'data: {"choices": [{"delta": {"content": "Hi.", "tool_calls": null}}]}\n\n',
        ": keep alive\n\n",
        'data: {"choices": [{"delta": null, "finish_reason": "stop"}]}\n\n',
    )
    response = await response_to(Stream(bare, "eof"))

    assert response.message.text == "Hi."
    assert (response.usage, response.model) == (Usage(), "openai:gpt-test")


async def test_an_empty_answer_is_an_answer_without_parts() -> None:
    assert (await response_to(says())).message.parts == ()
