"""The example conversation on the OpenAI wire, through the whole house."""

from contextlib import AbstractAsyncContextManager
from pathlib import Path

from bot.tools.shop import Shop
from tests.servers.openai.desk import desk
from tests.servers.openai.rules import Json
from tests.servers.openai.server import serving
from tests.wire import house
from tests.wire.house import Chat


def chatting(folder: Path, base_url: str) -> AbstractAsyncContextManager[Chat]:
    return house.chatting(folder, model="openai:desk", openai_base_url=base_url)


def shape(request: Json) -> list[str]:
    """Role by role; a message with tool calls is told from others."""
    return ["calls" if "tool_calls" in each else each["role"] for each in request["messages"]]


async def test_the_example_conversation_holds_as_typed(tmp_path: Path) -> None:
    async with serving(desk) as server, chatting(tmp_path, server.base_url) as chat:
        first = await chat.say("Can I get a refund for order #1043?")
        second = await chat.say("OK. What about my other order, 1042?")
        third = await chat.say("Yes please.")

    assert "cannot be refunded. Bought 20 days ago" in first
    assert "11 more days" in second
    assert third == "I opened ticket T-0001 for order 1042."
    assert [each.order_id for each in await Shop(tmp_path / "shop.db").tickets("demo")] == [1042]
    assert server.refused == []


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
