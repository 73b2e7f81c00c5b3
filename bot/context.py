"""What the model sees of a conversation: system prompt, tools, window, and the question last."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime, tzinfo
from typing import assert_never, get_args

from bot import note_words
from bot.model import ModelRequest, ToolSpec
from bot.tools.notes import NAMES as NOTE_TOOLS
from bot.tools.past import PAST
from bot.wording import Outcome, ending
from memory import conversations, knowledge, notes
from memory.database import Transaction
from memory.knowledge import Note, chosen
from memory.messages import Image, Message, Part, Text, ToolCall, ToolResult
from memory.text import estimate_tokens
from memory.window import BUDGET, RECENT_TURNS, StoredTurn, TurnForm, arrange, full_size


@dataclass(frozen=True, slots=True)
class Context:
    """A request, and why each earlier turn stands in it as it does.

    `characters` is the size of the window, which the budget bounds.
    """

    request: ModelRequest
    forms: tuple[TurnForm, ...]
    characters: int
    notes: tuple[Note, ...] = ()  # what is known of who asks, and shown

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

    async def build(
        self,
        tx: Transaction,
        conversation: str,
        question: Sequence[Message],
        before: int,
        now: int,
    ) -> Context:
        """The context of a turn whose number is `before`; `now` in UTC milliseconds."""
        turns = await conversations.read_window(tx, conversation, before)
        asker = await notes.find_asker(tx, conversation, before) if self.notes else None
        if asker is None:
            return self.compose(turns, question, now)
        if not asker.keeps_notes:
            tools = tuple(tool for tool in self.tools if tool.name not in NOTE_TOOLS)
            return replace(self, tools=tools).compose(turns, question, now)
        known = await notes.read(tx, asker.person, asker.surfaces)
        return self.compose(turns, question, now, chosen(known))

    def compose(
        self,
        turns: Iterable[StoredTurn],
        question: Sequence[Message],
        now: int,
        known: Sequence[Note] = (),
    ) -> Context:
        """The same of turns that were read already, oldest first, and of what is `known` of who
        asks. It begins alike each time."""
        forms = arrange(
            turns,
            budget=self.budget,
            recent_turns=self.recent_turns,
            sentence=_sentence,
            send=self.history,
        )
        window = [message for form in forms for message in form.messages]
        messages = (*window, *self._tail(question, now, known))
        return Context(
            ModelRequest(self.system, messages, self.tools),
            forms,
            sum(form.size for form in forms),
            tuple(known),
        )

    def _tail(
        self, question: Sequence[Message], now: int, known: Sequence[Note]
    ) -> tuple[Message, ...]:
        """The question; what changes from one question to the next stands in front of it."""
        ahead = (knowledge.render(known), f"[Now: {_moment(now, self.time_zone)}]")
        parts = tuple(Text(text) for text in ahead if text)
        if not question:
            return (Message("user", parts),)
        return (replace(question[0], parts=(*parts, *question[0].parts)), *question[1:])


def render(context: Context, *, full: bool = False) -> str:
    """The context for a person: all that is sent, with sizes and the reason of every form.

    `full` shows the system prompt and the tools, too, and not only their sizes.
    """
    request = context.request
    tools = "\n".join(map(_tool, request.tools))
    earlier = request.messages[: context.earlier_messages]
    size = len(request.system) + len(tools) + full_size(request.messages)
    return "\n\n".join(
        [
            _plain("system prompt", request.system, show=full),
            _plain(f"tools: {len(request.tools)}", tools, show=full),
            _heading(f"window: {len(earlier)} messages", context.characters, _lines(earlier)),
            *(_messages(_title(form), form.messages) for form in context.forms),
            *([_known(context.notes)] if context.notes else []),
            _messages("question", context.question),
            _heading("all", size, [request.system, tools, *_lines(request.messages)]),
        ]
    )


_OUTCOMES: dict[str | None, Outcome] = {name: name for name in get_args(Outcome)}


def _sentence(turn: StoredTurn) -> str:
    return ending(_OUTCOMES.get(turn.outcome, "interrupted"), turn.id)


def _moment(milliseconds: int, zone: tzinfo) -> str:
    moment = datetime.fromtimestamp(milliseconds / 1000, zone)
    return f"{moment:%A} {moment.day} {moment:%B %Y, %H:%M %Z}"


def _title(form: TurnForm) -> str:
    return f"turn {form.number} · {form.reason}"


def _known(shown: Sequence[Note]) -> str:
    """Why each note is shown here: by where it was said."""
    text = knowledge.render(shown)
    lines = [f"note {note.number} · {note_words.said_in(note.surface)}" for note in shown]
    return "\n".join([_heading(f"notes: {len(shown)}", len(text), [text]), *lines])


def _messages(title: str, messages: Sequence[Message]) -> str:
    lines = list(_lines(messages))
    return "\n".join([_heading(title, full_size(messages), lines), *lines])


def _plain(title: str, text: str, *, show: bool) -> str:
    heading = _heading(title, len(text), [text])
    return f"{heading}\n{text}" if show and text else heading


def _heading(title: str, size: int, lines: Iterable[str]) -> str:
    tokens = sum(map(estimate_tokens, lines))
    return f"== {title} · {size:,} characters, about {tokens:,} tokens"


def _lines(messages: Iterable[Message]) -> Iterator[str]:
    for message in messages:
        for part in message.parts:
            yield f"{message.role}: {_shown(part)}"


def _shown(part: Part) -> str:
    match part:
        case Text():
            return part.text
        case Image():
            return f"[image {part.reference}]"
        case ToolCall():
            return f"→ {part.name}({part.arguments})"
        case ToolResult():
            return f"← {part.name}: {part.text}"
        case _:
            assert_never(part)


def _tool(spec: ToolSpec) -> str:
    schema = json.dumps(spec.parameters, ensure_ascii=False)
    return f"{spec.name}: {spec.description}\n{schema}"
