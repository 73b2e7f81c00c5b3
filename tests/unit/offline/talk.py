"""A conversation with the offline model: the real agent, desk and window, without a database."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path

from adapters.offline.model import OfflineModel
from bot.agent import Agent, Assignment, Ending, Progress
from bot.model import ModelRequest
from bot.settings import Limits, Timing
from bot.tools import Tool, Toolbox
from bot.tools.shop import Shop, Ticket
from bot.tools.support import desk_tools
from bot.trace import unheard
from memory.messages import Message, Text, user
from memory.window import StoredTurn, arrange
from tests.fakes import FakeClock
from tests.validity import problems

NOTE = "[Now: Monday 30 November 2026, 14:05 UTC]"


@dataclass
class Talk:
    """Whoever says things here is the demo customer, unless `customer` names another."""

    shop_file: Path
    customer: str | None = "demo"
    history: bool = True
    budget: int = 12_000
    limits: Limits = field(default_factory=Limits)
    timing: Timing = field(default_factory=Timing)
    tools: Sequence[Tool] | None = None
    turns: list[StoredTurn] = field(default_factory=list)

    @property
    def shop(self) -> Shop:
        return Shop(self.shop_file)

    async def say(self, *questions: str) -> str:
        """Say something, several things as a burst, and hear the answer."""
        progress = Progress([])
        ending = await self._answer(questions, progress)
        asked = tuple(user(question) for question in questions)
        messages = (*asked, *progress.steps, ending.message)
        self.turns.append(_stored(len(self.turns) + 1, ending.outcome, messages))
        return ending.message.text

    async def tickets(self) -> list[Ticket]:
        return await self.shop.tickets(self.customer or "")

    async def opened_for(self) -> list[int | None]:
        return [ticket.order_id for ticket in await self.tickets()]

    async def _answer(self, questions: Sequence[str], progress: Progress) -> Ending:
        tools = desk_tools(self.shop) if self.tools is None else self.tools
        toolbox = Toolbox(tools, self.timing, self.limits)
        request = ModelRequest("Be brief.", self._messages(questions), toolbox.specs)
        assert problems(request) == []
        agent = Agent(OfflineModel(), toolbox, self.limits, self.timing, FakeClock())
        return await agent.answer(self._assignment(request), progress)

    def _messages(self, questions: Sequence[str]) -> tuple[Message, ...]:
        forms = arrange(
            self.turns,
            budget=self.budget,
            recent_turns=2,
            sentence=lambda _turn: "I was interrupted.",
            send=self.history,
        )
        window = tuple(message for form in forms for message in form.messages)
        *first, last = (user(question) for question in questions)
        noted = replace(last, parts=(Text(NOTE), *last.parts))
        return (*window, *first, noted)

    def _assignment(self, request: ModelRequest) -> Assignment:
        async def ignore(_: Message | str) -> None:
            """The agent itself keeps the steps in its progress."""

        return Assignment(
            turn=_turn_id(len(self.turns) + 1),
            request=request,
            person="terminal:ann",
            customer=self.customer,
            conversation="c" * 32,
            record=ignore,
            show=ignore,
            guard=lambda: None,
            listener=unheard,
        )


def _stored(number: int, outcome: str, messages: tuple[Message, ...]) -> StoredTurn:
    return StoredTurn(_turn_id(number), number, "done", outcome, 0, 0, 0, messages)


def _turn_id(number: int) -> str:
    return hashlib.sha256(str(number).encode()).hexdigest()[:32]
