"""What is really sent to OpenAI's Responses, and what becomes of its answers."""

from __future__ import annotations

import pytest
from pydantic import JsonValue

from adapters.openai.responses import OpenAIResponses
from bot.errors import ModelError
from bot.model import ModelRequest, ModelResponse, ReadImage
from memory.messages import Image, Message, Text, ToolCall, ToolResult, assistant, tool, user
from tests.servers.openai import events
from tests.servers.openai.events import call, message, reasoning, refusal, says, whole
from tests.servers.openai.rules import Json
from tests.servers.openai.server import serving
from tests.servers.openai.wire import Answer, Failure, Script, Stream
from tests.wire.asking import HELLO, LOOK_UP, asked, heard, model_at

pytestmark = pytest.mark.slow

ASKED = ModelRequest("Be kind.", (user("Hello?"),), (LOOK_UP,))


async def answer_to(*answers: Answer, request: ModelRequest = ASKED) -> ModelResponse:
    async with asked(*answers, api=OpenAIResponses) as (_, model):
        _, response = await heard(model, request)
    return response


async def error_of(answer: Answer) -> ModelError:
    async with asked(answer, api=OpenAIResponses) as (_, model):
        with pytest.raises(ModelError) as failed:
            await heard(model)
    return failed.value


async def sent(
    *messages: Message, tools: bool = False, read_image: ReadImage | None = None
) -> Json:
    """The body of the one request that was sent."""
    request = ModelRequest("Be kind.", messages, (LOOK_UP,) if tools else ())
    async with (
        serving(Script(says("Hi."))) as server,
        model_at(server.base_url, api=OpenAIResponses, read_image=read_image) as model,
    ):
        await heard(model, request)
    assert server.refused == []
    return server.requests[0]


def kept(*items: Json, model: str = "gpt-test") -> dict[str, JsonValue]:
    return {"openai": {"api": "responses", "model": model, "output": list(items)}}


async def test_a_question_is_sent_whole_and_nothing_is_stored() -> None:
    assert await sent(user("Hello?")) == {
        "model": "gpt-test",
        "instructions": "Be kind.",
        "input": [{"role": "user", "content": "Hello?"}],
        "store": False,
        "stream": True,
    }


async def test_tools_are_flat() -> None:
    body = await sent(user("Hello?"), tools=True)

    schema = {"type": "object", "properties": {}}
    described = {"name": "look_up", "description": "Look something up.", "parameters": schema}
    assert body["tools"] == [{"type": "function", "strict": False, **described}]
    assert "tool_choice" not in body


async def test_at_the_last_step_the_tools_stay_and_the_choice_is_none() -> None:
    async with asked(says("Hi."), api=OpenAIResponses) as (server, model):
        await heard(model, ModelRequest("", ASKED.messages, ASKED.tools, "none"))

    assert server.requests[0]["tool_choice"] == "none"
    assert "instructions" not in server.requests[0]


async def test_what_another_said_is_rebuilt_from_its_parts() -> None:
    body = await sent(
        user("And 1042?"),
        assistant("One moment.", ToolCall("call_1", "look_up", "{broken")),
        tool(ToolResult("call_1", "look_up", '{"error": "no JSON"}')),
    )

    assert body["input"][1:] == [
        {"role": "assistant", "content": "One moment."},
        {"type": "function_call", "call_id": "call_1", "name": "look_up", "arguments": "{}"},
        {"type": "function_call_output", "call_id": "call_1", "output": '{"error": "no JSON"}'},
    ]


async def test_steps_of_another_provider_are_told_below_the_question() -> None:
    step = Message("assistant", (ToolCall("c1", "look_up", "{}"),), {"gemini": {"signed": "x"}})
    body = await sent(user("And 1042?"), step, tool(ToolResult("c1", "look_up", '"paid"')))

    [question] = body["input"]
    assert question["content"].startswith("And 1042?\n\n[Done so far")
    assert question["content"].endswith('look_up({}) → "paid"')


async def test_images_that_can_be_had_are_sent_and_others_told() -> None:
    async def read(image: Image) -> bytes | None:
        return b"\x89PNG" if image.reference == "F1" else None

    images = Image("F1", "image/png"), Image("F2", "image/png")
    body = await sent(Message("user", (Text("See:"), *images)), read_image=read)

    assert body["input"][0]["content"] == [
        {"type": "input_text", "text": "See:"},
        {"type": "input_image", "image_url": "data:image/png;base64,iVBORw==", "detail": "auto"},
        {"type": "input_text", "text": "[an image that cannot be shown here]"},
    ]


async def test_text_comes_in_pieces_and_then_whole() -> None:
    async with asked(says("Hel", "", "lo."), api=OpenAIResponses) as (_, model):
        pieces, response = await heard(model)

    assert pieces == ["Hel", "lo."]
    assert response.message == assistant("Hello.")
    assert (response.finish, response.model) == ("stop", "openai:gpt-test-2026-11-30")


async def test_messages_of_one_answer_are_separated_also_while_they_come() -> None:
    answer = whole(message("I look.", phase="commentary"), message("Paid.", phase="final_answer"))
    async with asked(answer, api=OpenAIResponses) as (_, model):
        pieces, response = await heard(model)

    assert "".join(pieces) == response.message.text == "I look.\n\nPaid."


async def test_reasoning_and_phases_are_kept_as_they_were_done() -> None:
    items = reasoning(), message("I look.", phase="commentary"), call("call_1", "look_up")
    response = await answer_to(whole(*items))

    assert response.message.parts == (Text("I look."), ToolCall("call_1", "look_up", "{}"))
    assert response.message.provider_data == kept(*items)


async def test_kept_items_go_back_as_they_were_in_the_same_turn_and_later() -> None:
    items = reasoning(), call("call_1", "look_up")
    final = reasoning(), message("Paid.", phase="final_answer")
    async with asked(whole(*items), whole(*final), says("Hi."), api=OpenAIResponses) as (
        server,
        model,
    ):
        history = [user("Hello?")]
        history.append((await heard(model, ASKED))[1].message)
        history.append(tool(ToolResult("call_1", "look_up", "{}")))
        for following in (None, user("Sure?")):
            history += [following] if following else []
            request = ModelRequest("Be kind.", tuple(history), (LOOK_UP,))
            history.append((await heard(model, request))[1].message)

    assert server.requests[1]["input"][1:3] == list(items)
    assert server.requests[2]["input"][1:3] == list(items)
    assert server.requests[2]["input"][4:6] == list(final)


@pytest.mark.parametrize(
    "items",
    [
        (message("Paid."),),
        (message("Paid."), call("call_1", "look_up")),
        ({**reasoning(), "encrypted_content": None}, message("Paid.")),
        (reasoning(), message("Paid."), call("", "look_up")),
    ],
)
async def test_what_says_no_more_than_the_parts_or_is_not_taken_back_is_not_kept(
    items: tuple[Json, ...],
) -> None:
    assert (await answer_to(whole(*items))).message.provider_data == {}


async def test_what_another_model_reasoned_is_not_sent() -> None:
    step = assistant("Paid.")
    step = Message("assistant", step.parts, kept(reasoning(), model="gpt-other"))
    body = await sent(user("Hello?"), step, user("Sure?"))

    assert body["input"][1] == {"role": "assistant", "content": "Paid."}


async def test_reasoning_that_nobody_can_read_any_more_is_left_out() -> None:
    step = Message("assistant", (Text("Paid."),), kept(reasoning(), message("Paid.")))
    request = ModelRequest("", (user("Hello?"), step, user("Sure?")))
    async with (
        serving(Script(says("Yes."))) as server,
        model_at(server.base_url, api=OpenAIResponses) as model,
    ):
        pieces, _ = await heard(model, request)

    assert pieces == ["Yes."]
    assert len(server.refused) == 1
    assert server.requests[1]["input"][1] == {"role": "assistant", "content": "Paid."}


async def test_a_refusal_is_the_models_own_words_and_loses_its_calls() -> None:
    async with asked(whole(refusal("No."), call("call_1", "look_up")), api=OpenAIResponses) as (
        _,
        model,
    ):
        pieces, response = await heard(model, ASKED)

    assert pieces == ["No."]
    assert (response.finish, response.message) == ("refused", assistant("No."))


@pytest.mark.parametrize(
    ("reason", "finish"),
    [("content_filter", "refused"), ("max_output_tokens", "length"), ("max_messages", "length")],
)
async def test_an_incomplete_answer_says_why(reason: str, finish: str) -> None:
    response = await answer_to(whole(reasoning(), message("Well,"), reason=reason))

    assert (response.finish, response.message) == (finish, assistant("Well,"))


async def test_a_server_that_tells_no_item_alone_tells_them_at_the_end() -> None:
    told = [event for event in says("Hi.").chunks if "output_item.done" not in str(event)]
    response = await answer_to(Stream(tuple(told), "eof"))

    assert response.message == assistant("Hi.")


@pytest.mark.parametrize(
    ("answer", "kind", "retryable"),
    [
        (events.failed("rate_limit_exceeded"), "busy", True),
        (events.failed("invalid_prompt"), "blocked", False),
        (events.failed("bio_policy"), "blocked", False),
        (events.failed("image_too_large"), "failed", False),
        (events.failed("context_length_exceeded"), "too_long", False),
        (events.error("insufficient_quota"), "account", False),
        (events.failed("server_error"), "failed", True),
        (events.error(None), "failed", True),
        (Failure(400, "odd"), "failed", False),
    ],
)
async def test_what_a_service_reports_has_its_kind(
    answer: Answer, kind: str, *, retryable: bool
) -> None:
    async with asked(*[answer] * (3 if retryable else 1), api=OpenAIResponses) as (_, model):
        with pytest.raises(ModelError) as failed:
            await heard(model)

    assert (failed.value.kind, failed.value.retryable) == (kind, retryable)


async def test_what_the_service_wrote_is_not_in_the_error() -> None:
    error = await error_of(events.failed("image_too_large", "sk-secret 'Hello?'"))

    assert str(error) == "openai:gpt-test: image_too_large in the stream"


async def test_events_that_make_no_sense_are_a_failure() -> None:
    strange = 'event: x\ndata: {"type": "response.completed", "response": 5}\n\n'
    async with asked(*[Stream((strange,), "eof")] * 3, api=OpenAIResponses) as (_, model):
        with pytest.raises(ModelError, match="not understood"):
            await heard(model)


async def test_events_that_nobody_knows_are_passed_over() -> None:
    strange = 'event: x\ndata: {"type": "response.thinking", "delta": 5}\n\n'
    response = await answer_to(Stream((strange, *says("Hi.").chunks), "eof"), request=HELLO)

    assert response.message == assistant("Hi.")
