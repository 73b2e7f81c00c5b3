"""What becomes of an answer that Gemini streams."""

import pytest

from bot.calls import tidy
from bot.model import ModelRequest, Usage
from memory.messages import Text, ToolCall, decode, encode, user
from tests.servers.gemini.form import Json
from tests.servers.gemini.wire import (
    SIGN,
    SIGNED,
    Stream,
    call,
    calls,
    chunk,
    says,
    whole,
)
from tests.wire.asking import LOOK_UP, heard
from tests.wire.asking_gemini import asked, response_to

ASKED = ModelRequest("Be kind.", (user("Hello?"),), (LOOK_UP,))


async def calls_made(*wanted: Json) -> tuple[ToolCall, ...]:
    return (await response_to(calls(*wanted), request=ASKED)).message.calls


async def test_text_comes_in_pieces_and_then_whole() -> None:
    async with asked(says("Hel", "", "lo.")) as (_, model):
        pieces, response = await heard(model)

    assert pieces == ["Hel", "lo."]
    assert response.message.text == "Hello."
    assert (response.finish, response.model) == ("stop", "gemini:gemini-test-001")


async def test_thoughts_are_counted_and_cached_tokens_are_part_of_the_input() -> None:
    usage = {
        "promptTokenCount": 100,
        "cachedContentTokenCount": 80,
        "candidatesTokenCount": 18,
        "thoughtsTokenCount": 12,
        "totalTokenCount": 130,
    }
    response = await response_to(says("Hi.", usage=usage))

    assert response.usage == Usage(100, 80, 30, 12)


async def test_the_last_counts_of_a_stream_hold() -> None:
    assert (await response_to(says("Hel", "lo."))).usage == Usage(20, 0, 5, 0)


async def test_usage_that_is_left_out_is_not_missed() -> None:
    bare = (
        'data: {"candidates": [{"content": {"parts": [{"text": "Hi."}]}, "finishReason": "STOP"}]}'
    )
    response = await response_to(Stream((f"{bare}\n\n",)))

    assert (response.usage, response.model) == (Usage(), "gemini:gemini-test")
    assert response.message.text == "Hi."


async def test_a_call_comes_whole() -> None:
    made = await calls_made(call("look_up", {"id": 1}, "fc_1"))

    assert made == (ToolCall("fc_1", "look_up", '{"id": 1}'),)


async def test_text_and_calls_may_come_together() -> None:
    answer = calls(call("look_up"), text="One moment.")
    response = await response_to(answer, request=ASKED)

    assert response.message.text == "One moment."
    assert [made.arguments for made in response.message.calls] == ["{}"]


@pytest.mark.parametrize("call_id", [None, "", "fc", "x" * 41, "a.b"])
async def test_calls_that_no_id_tells_apart_get_ids_of_their_own(call_id: str | None) -> None:
    made = await calls_made(call("look_up", {}, call_id), call("look_up", {}, call_id))

    ids = [each.id for each in made]
    assert len(set(ids)) == 2
    assert all(each == "fc" or each.startswith("call_") for each in ids)


@pytest.mark.parametrize("call_id", [None, "fc", "x" * 41])
async def test_what_is_stored_keeps_the_signature(call_id: str | None) -> None:
    """Ids are made so that nothing is left to tidy; and the codec changes nothing."""
    answer = calls(call("look_up", {}, call_id), call("look_up", {"a": None}, call_id), text="So:")
    message = (await response_to(answer, request=ASKED)).message

    assert tidy(message, "t" * 32, 1, set()) == message
    assert decode("assistant", encode(message)) == message
    assert '"thought_signature"' in encode(message)


async def test_texts_in_a_row_are_stored_as_one_part_and_a_signature_apart() -> None:
    message = (await response_to(says("Hel", "lo."))).message

    own = message.provider_data["gemini"]
    assert isinstance(own, dict)
    assert isinstance(own["parts"], list)
    assert own["parts"][0] == {"text": "Hello."}
    assert [sorted(part) for part in own["parts"] if isinstance(part, dict)][1:] == [
        ["text", "thought_signature"]
    ]


async def test_text_that_is_not_signed_needs_no_rendering() -> None:
    message = (await response_to(whole({"text": "Hi"}, {"text": "!"}))).message

    assert (message.parts, message.provider_data) == ((Text("Hi!"),), {})


async def test_thoughts_are_not_shown() -> None:
    thought = {"text": "They greet me.", "thought": True, "thoughtSignature": SIGN}
    async with asked(whole(thought, {"text": "Hi."})) as (_, model):
        pieces, response = await heard(model)

    assert (pieces, response.message.text) == (["Hi."], "Hi.")


async def test_only_the_first_of_several_candidates_counts() -> None:
    answer = chunk({"text": "Hi."}, finish="STOP")
    answer["candidates"].append({"index": 1, "content": {"parts": [{"text": "No!"}]}})

    assert (await response_to(Stream((answer,)))).message.text == "Hi."


@pytest.mark.parametrize(
    "reason", ["SAFETY", "RECITATION", "BLOCKLIST", "PROHIBITED_CONTENT", "SPII"]
)
async def test_a_filtered_answer_is_a_refusal(reason: str) -> None:
    response = await response_to(whole(finish=reason))

    assert (response.finish, response.message.parts) == ("refused", ())


async def test_a_filtered_answer_keeps_its_text_and_loses_its_calls() -> None:
    signed = {"functionCall": call("look_up"), "thoughtSignature": SIGN}
    response = await response_to(whole({"text": "Well,"}, signed, {}, finish="SAFETY"))

    assert (response.finish, response.message.parts) == ("refused", (Text("Well,"),))
    assert response.message.provider_data == {}


async def test_an_answer_cut_by_its_length_says_so() -> None:
    assert (await response_to(says("Once upon", finish="MAX_TOKENS"))).finish == "length"


async def test_thinking_that_uses_up_the_limit_leaves_an_answer_without_parts() -> None:
    response = await response_to(whole(finish="MAX_TOKENS"))

    assert (response.finish, response.message.parts) == ("length", ())


async def test_an_empty_answer_is_an_answer_without_parts() -> None:
    assert (await response_to(whole(SIGNED))).message.parts == ()
    assert (await response_to(says())).message.parts == ()


async def test_a_whole_answer_counts_when_the_connection_breaks_after_it() -> None:
    response = await response_to(Stream((chunk({"text": "Hi."}, finish="STOP"),), "cut"))

    assert response.message.text == "Hi."


async def test_fields_that_the_sdk_does_not_know_are_not_missed() -> None:
    answer = chunk({"text": "Hi.", "newField": 1}, finish="STOP")

    assert (await response_to(Stream(({**answer, "newer": {}},)))).message.text == "Hi."


@pytest.mark.filterwarnings("ignore:A_NEW_ONE is not a valid FinishReason")
async def test_a_reason_to_finish_that_nobody_knows_is_an_ordinary_end() -> None:
    assert (await response_to(says("Hi.", finish="A_NEW_ONE"))).finish == "stop"
