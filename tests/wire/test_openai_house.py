"""The example conversation on the OpenAI wire, through the whole house."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path

from bot.main import Parts, assemble, open_memory
from bot.settings import Settings
from bot.tools.shop import Shop
from memory.database import wall_clock
from memory.keys import PersonKey, PlaceKey
from tests.played_platform import PlayedPlatform
from tests.servers.openai.desk import desk
from tests.servers.openai.rules import Json
from tests.servers.openai.server import serving

PLACE = PlaceKey("terminal", "local", "chat", "f" * 32)
PERSON = PersonKey("terminal", "", "ann")


@dataclass(frozen=True)
class Chat:
    """One conversation in a terminal."""

    parts: Parts
    terminal: PlayedPlatform

    async def say(self, question: str) -> str:
        inbound = self.terminal.say(PLACE, PERSON, question)
        accepted = await self.parts.intake.accept(inbound)
        assert accepted.conversation is not None
        await self.parts.turns.answer(accepted.conversation)
        return self.terminal.shown(PLACE)[-1].removeprefix("> ")


@asynccontextmanager
async def chatting(folder: Path, base_url: str) -> AsyncIterator[Chat]:
    settings = Settings(
        database_url=f"sqlite:///{folder / 'nimbus.db'}",
        model="openai:desk",
        openai_base_url=base_url,
    )
    terminal = PlayedPlatform(wall_clock, "terminal")
    async with (
        open_memory(settings) as database,
        assemble(settings, database, worker="cli:test", outlets=[terminal]) as parts,
    ):
        yield Chat(parts, terminal)


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
