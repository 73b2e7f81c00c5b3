"""The example conversation on the OpenAI wire, by the real tool loop and the real support desk."""

from dataclasses import dataclass, field
from hashlib import sha256
from pathlib import Path

import pytest

from bot.agent import Agent, Assignment, Progress
from bot.model import Model, ModelRequest
from bot.settings import Limits, Timing
from bot.tools import Toolbox
from bot.tools.shop import Shop
from bot.tools.support import desk_tools
from bot.trace import unheard
from memory.messages import Message, user
from tests.fakes import FakeClock
from tests.servers.openai.desk import desk
from tests.servers.openai.server import serving
from tests.wire.asking import model_at

pytestmark = pytest.mark.slow


@dataclass
class Talk:
    """Turns one after the other; the whole history is sent."""

    model: Model
    shop: Shop
    history: list[Message] = field(default_factory=list)

    async def say(self, question: str) -> str:
        progress = Progress([])
        self.history.append(user(question))
        toolbox = Toolbox(desk_tools(self.shop), Timing(), Limits())
        agent = Agent(self.model, toolbox, Limits(), Timing(), FakeClock())
        ending = await agent.answer(self._assignment(toolbox), progress)
        self.history += [*progress.steps, ending.message]
        return ending.message.text

    def _assignment(self, toolbox: Toolbox) -> Assignment:
        return Assignment(
            turn=sha256(str(len(self.history)).encode()).hexdigest()[:32],
            request=ModelRequest("Be kind.", tuple(self.history), toolbox.specs),
            person="terminal:ann",
            customer="demo",
            conversation="c" * 32,
            record=_kept_by_progress,
            show=_not_watched,
            guard=lambda: None,
            listener=unheard,
        )


async def _kept_by_progress(_step: Message) -> None: ...


async def _not_watched(_text: str) -> None: ...


async def test_the_example_conversation_opens_one_ticket_for_the_right_order(
    tmp_path: Path,
) -> None:
    shop = Shop(tmp_path / "shop.db")
    async with serving(desk) as server, model_at(server.base_url) as model:
        talk = Talk(model, shop)
        first = await talk.say("Can I get a refund for order #1043?")
        second = await talk.say("OK. What about my other order, 1042?")
        third = await talk.say("Yes please.")

    assert "cannot be refunded" in first
    assert "20 days ago" in first
    assert "11 more days" in second
    assert third == "I opened ticket T-0001 for order 1042."
    assert [ticket.order_id for ticket in await shop.tickets("demo")] == [1042]
    assert server.refused == []
    assert [len(request["messages"]) for request in server.requests] == [2, 4, 6, 8, 10, 12]


async def test_yes_please_in_an_empty_conversation_opens_nothing(tmp_path: Path) -> None:
    shop = Shop(tmp_path / "shop.db")
    async with serving(desk) as server, model_at(server.base_url) as model:
        answer = await Talk(model, shop).say("Yes please.")

    assert "open a refund request" in answer
    assert await shop.tickets("demo") == []


async def test_two_orders_in_one_question_are_checked_side_by_side(tmp_path: Path) -> None:
    async with serving(desk) as server, model_at(server.base_url) as model:
        answer = await Talk(model, Shop(tmp_path / "shop.db")).say("Refund 1042 or 1043?")

    assert "1042 can be refunded" in answer
    assert "1043 cannot be refunded" in answer
    assert len(server.requests) == 2
    assert server.refused == []
