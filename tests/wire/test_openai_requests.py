"""What is really sent to OpenAI."""

import pytest
from pydantic import JsonValue

from adapters.openai.chat import OpenAIChat
from bot.errors import ConfigError
from bot.model import ModelRequest
from memory.messages import Image, Message, Text, ToolCall, ToolResult, assistant, tool, user
from tests.servers.openai.rules import Json
from tests.servers.openai.server import serving
from tests.servers.openai.wire import Script, says
from tests.wire.asking import HELLO, LOOK_UP, asked, heard, model_at

pytestmark = pytest.mark.slow


async def sent(request: ModelRequest) -> Json:
    """The body of the one request that was sent."""
    async with asked(says("Hi.")) as (server, model):
        await heard(model, request)
    return server.requests[0]


async def messages_sent(*messages: Message) -> list[Json]:
    """The messages behind the system prompt."""
    body = await sent(ModelRequest("Be kind.", messages))
    return list(body["messages"][1:])


async def test_a_question_is_sent_as_one_streaming_request() -> None:
    body = await sent(HELLO)

    assert body == {
        "model": "gpt-test",
        "messages": [
            {"role": "system", "content": "Be kind."},
            {"role": "user", "content": "Hello?"},
        ],
        "stream": True,
        "stream_options": {"include_usage": True},
    }


async def test_tools_are_sent_with_their_schemas() -> None:
    body = await sent(ModelRequest("Be kind.", (user("Hello?"),), (LOOK_UP,)))

    function = {
        "name": "look_up",
        "description": "Look something up.",
        "parameters": {"type": "object", "properties": {}},
    }
    assert body["tools"] == [{"type": "function", "function": function}]
    assert "tool_choice" not in body


async def test_at_the_last_step_the_tools_stay_and_the_choice_is_none() -> None:
    body = await sent(ModelRequest("Be kind.", (user("Hello?"),), (LOOK_UP,), "none"))

    assert [spec["function"]["name"] for spec in body["tools"]] == ["look_up"]
    assert body["tool_choice"] == "none"


async def test_a_choice_without_tools_is_not_sent() -> None:
    body = await sent(ModelRequest("Be kind.", (user("Hello?"),), (), "none"))

    assert body.keys() == {"model", "messages", "stream", "stream_options"}


async def test_an_empty_system_prompt_is_not_sent() -> None:
    body = await sent(ModelRequest("", (user("Hello?"),)))

    assert body["messages"] == [{"role": "user", "content": "Hello?"}]


async def test_calls_and_their_results_go_back_as_they_were() -> None:
    first = ToolCall("call_1", "look_up", '{"order_id": 1042}')
    second = ToolCall("call_2", "look_up", "{}")
    messages = await messages_sent(
        user("And 1042?"),
        assistant("", first, second),
        tool(ToolResult("call_2", "look_up", '{"orders": []}')),
        tool(ToolResult("call_1", "look_up", '{"paid": true}')),
    )

    wanted = [
        {"id": "call_1", "type": "function"}
        | {"function": {"name": "look_up", "arguments": '{"order_id": 1042}'}},
        {"id": "call_2", "type": "function"} | {"function": {"name": "look_up", "arguments": "{}"}},
    ]
    assert messages == [
        {"role": "user", "content": "And 1042?"},
        {"role": "assistant", "content": None, "tool_calls": wanted},
        {"role": "tool", "tool_call_id": "call_2", "content": '{"orders": []}'},
        {"role": "tool", "tool_call_id": "call_1", "content": '{"paid": true}'},
    ]


async def test_text_beside_a_call_is_kept() -> None:
    messages = await messages_sent(
        user("And 1042?"),
        assistant("One moment.", ToolCall("call_1", "look_up", "{}")),
        tool(ToolResult("call_1", "look_up", "{}")),
    )

    assert messages[1]["content"] == "One moment."


async def test_the_parts_of_user_messages_in_a_row_become_one_text() -> None:
    noted = Message("user", (Text("[Now: Monday]"), Text("Hi!")))

    messages = await messages_sent(noted, user("Where is my order?"))

    assert messages == [{"role": "user", "content": "[Now: Monday]\n\nHi!\n\nWhere is my order?"}]


async def test_an_image_that_is_only_a_reference_is_told_in_words() -> None:
    message = Message("user", (Text("What is this?"), Image("F1", "image/png")))

    assert await messages_sent(message) == [
        {"role": "user", "content": "What is this?\n\n[an image that cannot be shown here]"}
    ]


async def test_an_image_that_can_be_had_is_sent_with_the_words() -> None:
    async def read(image: Image) -> bytes | None:
        return b"\x89PNG" if image.reference == "F1" else None

    images = Image("F1", "image/png"), Image("F2", "image/png")
    request = ModelRequest("", (Message("user", (Text("See:"), *images)),))
    async with (
        serving(Script(says("Hi."))) as server,
        model_at(server.base_url, read_image=read) as model,
    ):
        await heard(model, request)

    assert server.requests[0]["messages"][0]["content"] == [
        {"type": "text", "text": "See:"},
        {"type": "image_url", "image_url": {"url": "data:image/png;base64,iVBORw=="}},
        {"type": "text", "text": "[an image that cannot be shown here]"},
    ]


async def test_steps_of_another_provider_are_told_below_the_question() -> None:
    step = Message("assistant", (ToolCall("c1", "look_up", "{}"),), {"gemini": {"signed": "x"}})
    [question] = await messages_sent(user("1042?"), step, tool(ToolResult("c1", "look_up", "1")))

    assert question["content"].startswith("1042?\n\n[Done so far")
    assert question["content"].endswith("look_up({}) → 1")


async def test_what_responses_said_is_rebuilt_and_its_items_are_not_sent() -> None:
    said: JsonValue = {"api": "responses", "model": "gpt-test", "output": [{"id": "rs_1"}]}
    step = Message("assistant", (ToolCall("c1", "look_up", "{}"),), {"openai": said})
    messages = await messages_sent(user("1042?"), step, tool(ToolResult("c1", "look_up", "1")))

    assert [each["role"] for each in messages] == ["user", "assistant", "tool"]


async def test_an_assistant_message_that_says_nothing_is_left_out() -> None:
    messages = await messages_sent(user("Hello?"), Message("assistant", ()), user("Anybody?"))

    assert [message["role"] for message in messages] == ["user", "user"]


@pytest.mark.parametrize(
    "arguments", ['{"order_id": 10', "", "null", "[1]", '{"a": NaN}', "[" * 100_000]
)
async def test_arguments_that_are_no_object_go_back_as_an_empty_one(arguments: str) -> None:
    messages = await messages_sent(
        user("Hello?"),
        assistant("", ToolCall("call_1", "look_up", arguments)),
        tool(ToolResult("call_1", "look_up", '{"error": "The arguments are no JSON object."}')),
    )

    assert messages[1]["tool_calls"][0]["function"]["arguments"] == "{}"


async def test_a_server_of_ones_own_needs_no_key() -> None:
    async with serving(Script(says("Hi."))) as server, model_at(server.base_url) as model:
        pieces, _ = await heard(model)

    assert pieces == ["Hi."]


def test_without_key_and_url_there_is_nobody_to_ask() -> None:
    with pytest.raises(ConfigError, match="OPENAI_API_KEY"):
        OpenAIChat("gpt-test")
