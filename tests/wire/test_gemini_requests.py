"""What is really sent to Gemini."""

import base64
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import replace

import pytest
from pydantic import JsonValue

from adapters.gemini.model import Gemini
from bot.errors import ConfigError
from bot.model import NO_IMAGE, ModelRequest
from memory.messages import Image, Message, Text, ToolCall, ToolResult, assistant, tool, user
from tests.servers.gemini.form import Json
from tests.servers.gemini.rules import CORRUPTED
from tests.servers.gemini.server import Server, serving
from tests.servers.gemini.wire import Answer, Script, call, calls, says
from tests.wire.asking import HELLO, LOOK_UP, heard
from tests.wire.asking_gemini import asked, model_at, response_to

ASKED = ModelRequest("Be kind.", (user("Where is 1042?"),), (LOOK_UP,))
FOREIGN = assistant("", ToolCall("call_1", "look_up", '{"id": 1042}'))
FOUND = tool(ToolResult("call_1", "look_up", '{"paid": true}'))


async def sent(request: ModelRequest) -> Json:
    """The body of the one request that was sent."""
    async with asked(says("Hi.")) as (server, model):
        await heard(model, request)
    return server.requests[0]


async def contents_sent(*messages: Message) -> list[Json]:
    return list((await sent(replace(ASKED, messages=messages)))["contents"])


async def parts_sent(*messages: Message) -> list[Json]:
    """All parts, in order."""
    return [part for content in await contents_sent(*messages) for part in content["parts"]]


def result(message: Message, index: int, text: str, *, is_error: bool = False) -> Message:
    made = message.calls[index]
    return tool(ToolResult(made.id, made.name, text, is_error=is_error))


async def own(answer: Answer) -> Message:
    """What Gemini said, as it is stored."""
    return (await response_to(answer, request=ASKED)).message


async def test_a_question_is_sent_with_the_prompt_and_nothing_else() -> None:
    body = await sent(HELLO)

    assert body == {
        "contents": [{"role": "user", "parts": [{"text": "Hello?"}]}],
        "systemInstruction": {"role": "user", "parts": [{"text": "Be kind."}]},
        "generationConfig": {},
    }


async def test_tools_are_sent_with_their_schemas() -> None:
    body = await sent(ASKED)

    declared = {
        "name": "look_up",
        "description": "Look something up.",
        "parameters_json_schema": {"type": "object", "properties": {}},
    }
    assert body["tools"] == [{"functionDeclarations": [declared]}]
    assert "toolConfig" not in body


async def test_at_the_last_step_the_tools_stay_and_the_mode_is_none() -> None:
    body = await sent(replace(ASKED, tool_choice="none"))

    assert len(body["tools"]) == 1
    assert body["toolConfig"] == {"functionCallingConfig": {"mode": "NONE"}}


async def test_a_choice_without_tools_and_an_empty_prompt_are_not_sent() -> None:
    body = await sent(ModelRequest("", (user("Hello?"),), (), "none"))

    assert body.keys() == {"contents", "generationConfig"}


async def test_messages_of_one_side_in_a_row_become_one_content() -> None:
    noted = Message("user", (Text("[Now: Monday]"), Text(" "), Text("Hi!")))
    contents = await contents_sent(noted, user("Where is it?"))

    texts = [{"text": "[Now: Monday]"}, {"text": "Hi!"}, {"text": "Where is it?"}]
    assert contents == [{"role": "user", "parts": texts}]


@pytest.mark.parametrize("call_id", [None, "fc_1", "x" * 41])
async def test_what_gemini_said_in_the_running_turn_goes_back_byte_for_byte(
    call_id: str | None,
) -> None:
    made = call("look_up", {"id": 1042, "note": None, "deep": {"é": [1.5]}}, call_id)
    message = await own(calls(made, text="One moment."))
    contents = await contents_sent(*ASKED.messages, message, result(message, 0, '{"paid": true}'))

    rendering = message.provider_data["gemini"]
    assert isinstance(rendering, dict)
    assert isinstance(rendering["parts"], list)
    signed = rendering["parts"][-1]
    assert isinstance(signed, dict)
    spoken, called = contents[1]["parts"]
    assert (spoken, called["functionCall"]) == ({"text": "One moment."}, made)
    assert called["thoughtSignature"] == signed["thought_signature"]
    response = {"name": "look_up", "response": {"output": {"paid": True}}}
    named = {**response, "id": call_id} if call_id else response
    assert contents[2] == {"role": "user", "parts": [{"functionResponse": named}]}


async def test_results_are_given_in_the_order_of_their_calls() -> None:
    message = await own(calls(call("look_up", {"id": 1}), call("look_up", {"id": 2})))
    late, early = result(message, 1, "2"), result(message, 0, "one")
    contents = await contents_sent(*ASKED.messages, message, late, early)

    answers = [part["functionResponse"]["response"]["output"] for part in contents[2]["parts"]]
    assert answers == ["one", 2]


async def test_steps_in_a_row_each_keep_their_signature() -> None:
    first = await own(calls(call("look_up", {"id": 1}, "a")))
    second = await own(calls(call("look_up", {"id": 2}, "b")))
    contents = await contents_sent(
        *ASKED.messages, first, result(first, 0, "1"), second, result(second, 0, "2")
    )

    assert [content["role"] for content in contents] == ["user", "model", "user", "model", "user"]
    assert all("thoughtSignature" in contents[i]["parts"][0] for i in (1, 3))


async def test_what_another_model_did_earlier_is_rebuilt_with_nothing_of_its_own() -> None:
    foreign = replace(FOREIGN, provider_data={"openai": {"id": "rs_1"}})
    parts = await parts_sent(
        user("Where is 1042?"), foreign, FOUND, assistant("It is paid."), user("Thanks!")
    )

    assert parts[1:] == [
        {"functionCall": {"name": "look_up", "args": {"id": 1042}}},
        {"functionResponse": {"name": "look_up", "response": {"output": {"paid": True}}}},
        {"text": "It is paid."},
        {"text": "Thanks!"},
    ]


async def test_what_another_model_did_in_the_running_turn_is_told_in_words() -> None:
    spoken = replace(FOREIGN, parts=(Text("One moment."), *FOREIGN.parts))
    parts = await parts_sent(user("Where is 1042?"), spoken, FOUND)

    question, told = parts
    assert question == {"text": "Where is 1042?"}
    assert told["text"].splitlines()[1:] == [
        "You said: One moment.",
        'You called look_up({"id": 1042}) → {"paid": true}',
    ]


@pytest.mark.parametrize(
    "rendering", [{"parts": [{"text": "no"}]}, {"parts": None}, {"odd": 1}, [], "x", 5]
)
async def test_a_rendering_that_does_not_say_the_same_is_not_sent(rendering: JsonValue) -> None:
    message = replace(assistant("Yes."), provider_data={"gemini": rendering})

    assert (await parts_sent(user("So?"), message, user("Sure?")))[1] == {"text": "Yes."}


async def test_a_changed_message_is_rebuilt_without_its_signature() -> None:
    message = await own(says("Call Ann."))
    changed = replace(message, parts=(Text("Call [removed]."),))

    assert (await parts_sent(user("So?"), changed, user("Sure?")))[1:-1] == [
        {"text": "Call [removed]."}
    ]


async def test_an_earlier_answer_keeps_its_signature() -> None:
    message = await own(says("Hi."))
    signed = (await parts_sent(user("Hello?"), message, user("Thanks!")))[2]

    assert (signed["text"], len(base64.urlsafe_b64decode(signed["thoughtSignature"]))) == ("", 64)


@pytest.mark.parametrize(
    ("text", "kind", "response"),
    [
        ('{"error": "no"}', "error", {"error": "no"}),
        ("no", "error", {"error": "no"}),
        ('{"error": "of ten"}', "output", {"output": {"error": "of ten"}}),
        ("[1, 2]", "output", {"output": [1, 2]}),
        ('{"cut […', "output", {"output": '{"cut […'}),
        ("NaN", "output", {"output": "NaN"}),
        ("[" * 60 + "]" * 60, "output", {"output": "[" * 60 + "]" * 60}),
        ("[" * 100_000, "output", {"output": "[" * 100_000}),
    ],
)
async def test_a_result_is_an_output_or_an_error(text: str, kind: str, response: Json) -> None:
    message = await own(calls(call("look_up")))
    told = result(message, 0, text, is_error=kind == "error")
    contents = await contents_sent(*ASKED.messages, message, told)

    assert contents[2]["parts"][0]["functionResponse"]["response"] == response


@pytest.mark.parametrize("arguments", ['{"id": 10', "", "null", "[1]", '{"a": NaN}', "[" * 9_999])
async def test_arguments_that_are_no_object_go_back_as_an_empty_one(arguments: str) -> None:
    foreign = assistant("", ToolCall("call_1", "look_up", arguments))
    parts = await parts_sent(user("Hello?"), foreign, FOUND, assistant("Yes."), user("Thanks!"))

    assert parts[1]["functionCall"]["args"] == {}


async def test_an_assistant_message_that_says_nothing_is_left_out() -> None:
    contents = await contents_sent(user("Hello?"), Message("assistant", ()), user("Anybody?"))

    assert [len(content["parts"]) for content in contents] == [2]


async def test_an_image_is_sent_when_it_can_be_had() -> None:
    async def read(image: Image) -> bytes | None:
        return b"\x89PNG" if image.reference == "F1" else None

    pictures = Image("F1", "image/png"), Image("F2", "image/png")
    request = ModelRequest("", (Message("user", (Text("What is this?"), *pictures)),))
    async with asked(says("A cat."), read_image=read) as (server, model):
        await heard(model, request)

    parts = server.requests[0]["contents"][0]["parts"]
    assert parts[1:] == [
        {"inlineData": {"data": base64.b64encode(b"\x89PNG").decode(), "mime_type": "image/png"}},
        {"text": NO_IMAGE},
    ]


async def test_an_image_that_is_only_a_reference_is_told_in_words() -> None:
    parts = await parts_sent(Message("user", (Text("What is this?"), Image("F1", "image/png"))))

    assert parts == [{"text": "What is this?"}, {"text": NO_IMAGE}]


@asynccontextmanager
async def another_model(*answers: Answer) -> AsyncIterator[tuple[Server, Gemini]]:
    async with (
        serving(Script(*answers)) as server,
        model_at(server.base_url, name="gemini-other") as model,
    ):
        yield server, model


async def test_another_model_that_refuses_the_signatures_is_asked_without_them() -> None:
    answer, step = await own(says("Hi.")), await own(calls(call("look_up")))
    history = (user("Hello?"), answer, user("Where is it?"), step, result(step, 0, '"here"'))
    async with another_model(says("It is here.")) as (server, model):
        pieces, _ = await heard(model, ModelRequest("", history, (LOOK_UP,)))

    assert server.refused == [CORRUPTED]
    hello, hi, told = server.requests[1]["contents"]
    assert (hello["parts"], hi["parts"]) == ([{"text": "Hello?"}], [{"text": "Hi."}])
    assert told["parts"][1]["text"].endswith('You called look_up({}) → "here"')
    assert pieces == ["It is here."]


def test_without_key_and_url_there_is_nobody_to_ask() -> None:
    with pytest.raises(ConfigError, match="GEMINI_API_KEY"):
        Gemini("gemini-test")
