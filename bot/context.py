"""What the model sees of a conversation: system prompt, tools, window, and the question last."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime, tzinfo
from typing import get_args

from bot.model import ModelRequest, ToolSpec
from bot.tools.notes import NAMES as NOTE_TOOLS
from bot.tools.past import PAST
from bot.wording import Outcome, ending
from memory import excerpts, history, knowledge, notes, recall, summary
from memory.database import Transaction
from memory.excerpts import Recalled
from memory.knowledge import Note, chosen
from memory.messages import Message, Text
from memory.voices import with_aside
from memory.window import BUDGET, RECENT_TURNS, StoredTurn, TurnForm, arrange


@dataclass(frozen=True, slots=True)
class Context:
    """A request, and why each earlier turn stands in it as it does.

    `characters` is the size of the window, which the budget bounds.
    """

    request: ModelRequest
    forms: tuple[TurnForm, ...]
    characters: int
    notes: tuple[Note, ...] = ()  # what is known of who asks, and shown
    recalled: tuple[Recalled, ...] = ()  # turns before the cut that the question means
    summary: str = ""  # of what is before the window, as it stands in front of it

    @property
    def earlier_messages(self) -> int:
        return sum(len(form.messages) for form in self.forms)

    @property
    def question(self) -> tuple[Message, ...]:
        """The messages after the window: what is asked now, with the date."""
        return self.request.messages[self.earlier_messages :]


@dataclass(frozen=True, slots=True)
class ContextBuilder:
    """Puts contexts together. `budget` is in characters; without `history` only the question is
    sent. With `notes`, what is known of who asks stands before the question."""

    system: str
    tools: tuple[ToolSpec, ...] = ()
    budget: int = BUDGET
    recent_turns: int = RECENT_TURNS
    history: bool = True
    time_zone: tzinfo = UTC
    notes: bool = False

    @property
    def offered(self) -> list[str]:
        """The names of the tools, as a person is told of them: what is ours alone is left out."""
        return [tool.name for tool in self.tools if tool.name not in {*NOTE_TOOLS, PAST}]

    @property
    def for_recalled(self) -> int:
        """Characters of the budget that are kept free for turns before the cut."""
        return self.budget // 4

    @property
    def for_window(self) -> int:
        return self.budget - self.for_recalled

    async def build(
        self,
        tx: Transaction,
        conversation: str,
        question: Sequence[Message],
        before: int,
        now: int,
    ) -> Context:
        """The context of a turn whose number is `before`; `now` in UTC milliseconds."""
        turns = await history.read_window(tx, conversation, before)
        recalled = await self._recall(tx, conversation, question, turns)
        told = await history.read_summary(tx, conversation) if self.history else ""
        asker = await notes.find_asker(tx, conversation, before) if self.notes else None
        builder, known = self, list[Note]()
        if asker is not None and asker.keeps_notes:
            known = chosen(await notes.read(tx, asker.person, asker.surfaces))
        elif asker is not None:
            tools = tuple(tool for tool in self.tools if tool.name not in NOTE_TOOLS)
            builder = replace(self, tools=tools)
        return builder.compose(turns, question, now, known=known, recalled=recalled, summed_up=told)

    async def _recall(
        self,
        tx: Transaction,
        conversation: str,
        question: Sequence[Message],
        turns: Sequence[StoredTurn],
    ) -> list[Recalled]:
        """Of the turns before the window, and of what tools had found in its older ones."""
        words = "\n".join(map(_words, question))
        if not (self.history and words):
            return []
        older = turns[: max(len(turns) - self.recent_turns, 0)]
        found = [turn for turn in older if any(message.calls for message in turn.messages)]
        return await recall.find(tx, conversation, words, found)

    def compose(
        self,
        turns: Iterable[StoredTurn],
        question: Sequence[Message],
        now: int,
        *,
        known: Sequence[Note] = (),
        recalled: Sequence[Recalled] = (),
        summed_up: str = "",
    ) -> Context:
        """The same of turns that were read already, oldest first, of what is `known` of who asks,
        and of what is before the window, `summed_up`. It begins alike each time."""
        head = summary.render(summed_up)
        forms = arrange(
            turns,
            budget=self.for_window - len(head),
            recent_turns=self.recent_turns,
            sentence=_sentence,
            send=self.history,
        )
        window = [message for form in forms for message in form.messages]
        ahead = (
            knowledge.render(known),
            excerpts.render(recalled, self.for_recalled),
            f"[Now: {_moment(now, self.time_zone)}]",
        )
        messages = (*window, *_tail(question, ahead))
        return Context(
            ModelRequest(self.system, with_aside(messages, head), self.tools),
            forms,
            sum(form.size for form in forms),
            tuple(known),
            tuple(recalled),
            head,
        )


def _words(message: Message) -> str:
    """What the person said: the last text. In front of it stands what we add."""
    texts = [part.text for part in message.parts if isinstance(part, Text)]
    return texts[-1] if texts else ""


def _tail(question: Sequence[Message], ahead: Iterable[str]) -> tuple[Message, ...]:
    """The question; what changes from one question to the next stands in front of it."""
    parts = tuple(Text(text) for text in ahead if text)
    if not question:
        return (Message("user", parts),)
    return (replace(question[0], parts=(*parts, *question[0].parts)), *question[1:])


_OUTCOMES: dict[str | None, Outcome] = {name: name for name in get_args(Outcome)}


def _sentence(turn: StoredTurn) -> str:
    return ending(_OUTCOMES.get(turn.outcome, "interrupted"), turn.id)


def _moment(milliseconds: int, zone: tzinfo) -> str:
    moment = datetime.fromtimestamp(milliseconds / 1000, zone)
    return f"{moment:%A} {moment.day} {moment:%B %Y, %H:%M %Z}"
