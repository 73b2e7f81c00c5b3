"""The example conversation on the Gemini wire, through the whole house."""

from contextlib import AbstractAsyncContextManager
from pathlib import Path

from bot.tools.shop import Shop
from tests.played_platform import PlayedPlatform
from tests.servers.gemini.desk import desk
from tests.servers.gemini.form import Json
from tests.servers.gemini.server import serving
from tests.wire import house
from tests.wire.house import PLACE, Chat


def chatting(
    folder: Path, base_url: str, terminal: PlayedPlatform | None = None
) -> AbstractAsyncContextManager[Chat]:
    return house.chatting(folder, terminal, model="gemini:desk", gemini_base_url=base_url)


def shape(request: Json) -> list[str]:
    """Content by content, what its parts are."""
    return [
        " ".join("signed" if "thoughtSignature" in part else next(iter(part)) for part in parts)
        for parts in (content["parts"] for content in request["contents"])
    ]


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
    assert len(server.requests) == 6


async def test_the_answer_is_shown_while_it_comes(tmp_path: Path) -> None:
    async with serving(desk) as server, chatting(tmp_path, server.base_url) as chat:
        await chat.say("Thanks!")

    (answer,) = [posted for posted in chat.terminal.messages if posted.mark]
    assert (answer.place, answer.edits > 1) == (str(PLACE), True)


async def test_a_conversation_taken_up_again_is_signed_as_before(tmp_path: Path) -> None:
    async with serving(desk) as server:
        async with chatting(tmp_path, server.base_url) as chat:
            await chat.say("Can I get a refund for order #1042?")
        async with chatting(tmp_path, server.base_url, chat.terminal) as chat:
            assert await chat.say("Yes please.") == "I opened ticket T-0001 for order 1042."

    assert server.refused == []
    assert shape(server.requests[3]) == [
        "text",
        "signed",
        "functionResponse",
        "text signed",
        "text text",
        "signed",
        "functionResponse",
    ]
