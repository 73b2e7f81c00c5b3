"""The example conversation on the OpenAI wire, through the whole house."""

from contextlib import AbstractAsyncContextManager
from pathlib import Path

import pytest

from bot.model import ModelRequest
from bot.tools.shop import Shop
from tests.servers.openai.desk import desk, reasoning_desk
from tests.servers.openai.rules import Json
from tests.servers.openai.server import serving
from tests.servers.openai.wire import Answer, Failure, Script
from tests.wire import house
from tests.wire.house import Chat

pytestmark = pytest.mark.slow


def chatting(
    folder: Path, base_url: str, api: str = "chat", model: str = "openai:desk"
) -> AbstractAsyncContextManager[Chat]:
    return house.chatting(folder, model=model, openai_base_url=base_url, openai_api=api)


def shape(request: Json) -> list[str]:
    """Role by role; a message with tool calls is told from others."""
    return ["calls" if "tool_calls" in each else each["role"] for each in request["messages"]]


@pytest.mark.parametrize(("api", "path"), [("chat", "messages"), ("responses", "input")])
async def test_the_example_conversation_holds_as_typed(tmp_path: Path, api: str, path: str) -> None:
    async with (
        serving(desk, responses=reasoning_desk) as server,
        chatting(tmp_path, server.base_url, api) as chat,
    ):
        first = await chat.say("Can I get a refund for order #1043?")
        second = await chat.say("OK. What about my other order, 1042?")
        third = await chat.say("Yes please.")

    assert "cannot be refunded. Bought 20 days ago" in first
    assert "11 more days" in second
    assert third == "I opened ticket T-0001 for order 1042."
    assert [each.order_id for each in await Shop(tmp_path / "shop.db").tickets("demo")] == [1042]
    assert server.refused == []
    assert all(path in request for request in server.requests)


async def test_the_next_model_answers_when_the_first_is_gone(tmp_path: Path) -> None:
    gone = Script(Failure(404, "model_not_found"))

    def brain(request: ModelRequest) -> Answer:
        return gone(request) if gone.left else desk(request)

    async with (
        serving(brain) as server,
        chatting(tmp_path, server.base_url, model="openai:gone, openai:desk") as chat,
    ):
        answer = await chat.say("Can I get a refund for order #1043?")

    assert "cannot be refunded" in answer
    assert [request["model"] for request in server.requests] == ["gone", "desk", "desk"]


async def test_older_turns_are_sent_compact_and_recent_ones_in_full(tmp_path: Path) -> None:
    async with serving(desk) as server, chatting(tmp_path, server.base_url) as chat:
        for order in (1043, 1042, 1043):
            await chat.say(f"Refund for {order}?")
        await chat.say("Thanks!")

    compact, full = ["user", "assistant"], ["user", "calls", "tool", "assistant"]
    assert shape(server.requests[-1]) == ["system", *compact, *full, *full, "user"]
    assert server.requests[-1]["messages"][-1]["content"].endswith("]\n\nThanks!")


async def test_what_is_sent_begins_as_the_request_before_it(tmp_path: Path) -> None:
    async with serving(desk) as server, chatting(tmp_path, server.base_url) as chat:
        await chat.say("Thanks!")
        await chat.say("And thanks again!")

    before, after = (request["messages"] for request in server.requests)
    assert after[0] == before[0]
    assert after[1]["content"] == "Thanks!"
    assert server.requests[0]["tools"] == server.requests[1]["tools"]
