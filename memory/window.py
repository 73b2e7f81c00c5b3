"""What of a conversation is sent, in which form and why: pure in (turns, cut, budget).

The turns before the newest few stand in their compact form and look the same at every question,
until the cut moves: a provider's cache lives on that.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Literal, Protocol, assert_never

from memory.messages import Image, Message, Text, ToolCall, ToolResult
from memory.repair import parts_only, repair, separate
from memory.text import cut_middle
from memory.voices import with_aside

BUDGET = 12_000
RECENT_TURNS = 2

Form = Literal["full", "cut", "compact", "out"]


@dataclass(frozen=True, slots=True)
class StoredTurn:
    """A turn as it was read; rows that cannot be decoded are simply missing in `messages`."""

    id: str
    number: int
    state: str
    outcome: str | None
    asked_at: int
    full_size: int
    compact_size: int
    messages: tuple[Message, ...]
    aside: str = ""  # what others said before it and not to us: with the turn in full only


class Sized(Protocol):
    """A turn as the cut sees it: sizes, no messages."""

    @property
    def number(self) -> int: ...
    @property
    def full_size(self) -> int: ...
    @property
    def compact_size(self) -> int: ...


@dataclass(frozen=True, slots=True)
class TurnForm:
    """How one turn is sent: its messages, their size in characters, and the reason."""

    number: int
    form: Form
    reason: str
    size: int = 0
    messages: tuple[Message, ...] = ()


def full_size(messages: Iterable[Message]) -> int:
    """Characters of what is said, called and returned; a provider's own rendering is left aside."""
    return sum(_characters(part) for message in messages for part in message.parts)


def compact_size(messages: Iterable[Message]) -> int:
    return full_size(compact(tuple(messages)))


def compact(messages: tuple[Message, ...]) -> tuple[Message, ...]:
    """The questions and the final answer; a turn without tool calls as it is."""
    if not any(message.calls for message in messages):
        return messages
    questions = tuple(message for message in messages if message.role == "user")
    answers = [message for message in messages if message.role == "assistant" and message.text]
    return questions + tuple(map(_spoken, answers[-1:]))


def next_cut(turns: Iterable[Sized], cut: int, *, budget: int, recent_turns: int) -> int:
    """Where the window begins once these are its finished turns, oldest first.

    It moves only when the next window would exceed the budget, and then far: the oldest turns go
    until the rest needs half of it. The newest turn always stays.
    """
    window = [turn for turn in turns if turn.number >= cut]
    if _count_within(budget, _in_full(budget), window, recent_turns) == len(window):
        return cut
    kept = _count_within(budget // 2, budget * 4 // 10, window, recent_turns)
    return window[-kept].number


def _in_full(budget: int) -> int:
    """What the newest turns are counted with at most: one huge tool result is cut and does not
    drive out all the rest."""
    return budget * 6 // 10


def arrange(
    turns: Iterable[StoredTurn],
    *,
    budget: int,
    recent_turns: int,
    sentence: Callable[[StoredTurn], str],
    send: bool = True,
) -> tuple[TurnForm, ...]:
    """The form of each turn from the cut on, oldest first; all are left out unless they are to be
    sent.

    Turns that do not fit are left out, the oldest first; the newest stays even if it alone is
    over the budget. `sentence` says what stands in for an answer that is missing.
    """
    whole = [_make_whole(turn, sentence) for turn in turns]
    history = [turn for turn in whole if isinstance(turn, _Whole)]
    forms = {turn.number: turn for turn in whole if isinstance(turn, TurnForm)}
    if send:
        chosen = _choose(history, budget, recent_turns)
    else:
        chosen = [turn.left_out("left out: no history is sent") for turn in history]
    forms.update((form.number, form) for form in _separated(chosen))
    return tuple(forms[turn.number] for turn in whole)


@dataclass(frozen=True, slots=True)
class _Whole:
    """A repaired turn of the history, in both forms."""

    number: int
    full: tuple[Message, ...]
    compact: tuple[Message, ...]
    full_size: int
    compact_size: int
    remark: str

    def in_full(self, reason: str) -> TurnForm:
        return TurnForm(self.number, "full", reason + self.remark, self.full_size, self.full)

    def in_short(self, reason: str) -> TurnForm:
        reason += self.remark
        return TurnForm(self.number, "compact", reason, self.compact_size, self.compact)

    def left_out(self, reason: str) -> TurnForm:
        return TurnForm(self.number, "out", reason + self.remark)


_UNDELIVERED = {"sending": "; not yet delivered", "failed": "; its answer was not delivered"}


def _make_whole(turn: StoredTurn, sentence: Callable[[StoredTurn], str]) -> _Whole | TurnForm:
    if turn.outcome is None:
        return TurnForm(turn.number, "out", "left out: not finished")
    whole = repair(turn.messages, lambda: sentence(turn))
    if not whole:
        return TurnForm(turn.number, "out", "left out: its question is lost")
    remark = "" if whole == turn.messages else "; repaired"
    remark += _UNDELIVERED.get(turn.state, "")
    full, short = with_aside(whole, turn.aside), compact(whole)
    return _Whole(turn.number, full, short, full_size(full), full_size(short), remark)


def _choose(history: Sequence[_Whole], budget: int, recent_turns: int) -> list[TurnForm]:
    kept = _count_within(budget, _in_full(budget), history, recent_turns)
    first = len(history) - kept
    recent = max(first, len(history) - recent_turns)
    out = [turn.left_out(_OVER_BUDGET) for turn in history[:first]]
    older = [turn.in_short("compact: older") for turn in history[first:recent]]
    room = budget - sum(form.size for form in older)
    newest = list(_fit(history[recent:], room, recent_turns))
    return [*out, *older, *reversed(newest)]


_OVER_BUDGET = "left out: over the budget until the window moves"


def _fit(recent: Sequence[_Whole], room: int, recent_turns: int) -> Iterator[TurnForm]:
    """The newest turns in full, the newest first. What is too long for the room is shortened:
    each gets what the others leave, but at least its share."""
    for index in reversed(range(len(recent))):
        others = recent[:index]
        share = max(room - sum(turn.full_size for turn in others), room // (index + 1))
        reserved = sum(turn.compact_size for turn in others)
        form = _shorten(recent[index], min(share, room - reserved), recent_turns)
        room -= form.size
        yield form


def _shorten(turn: _Whole, room: int, recent_turns: int) -> TurnForm:
    if turn.full_size <= room:
        return turn.in_full(f"full: among the newest {recent_turns}")
    messages = _cut_results(turn.full, room)
    if messages is not None:
        reason = "cut: its tool results were too long" + turn.remark
        return TurnForm(turn.number, "cut", reason, full_size(messages), messages)
    if turn.compact_size <= room:
        return turn.in_short("compact: too long in full, even with its tool results cut")
    return turn.in_short("compact: over the budget alone, and kept because it is the newest")


def _cut_results(messages: tuple[Message, ...], limit: int) -> tuple[Message, ...] | None:
    """The turn with its longest tool results cut in the middle; None when that is not enough."""
    lengths = [len(result.text) for message in messages for result in message.results]
    longest = _level(lengths, limit - full_size(messages) + sum(lengths))
    if longest < _SHORTEST_CUT:
        return None
    return tuple(_cut(message, longest) for message in messages)


_SHORTEST_CUT = 100  # less than this tells the model nothing


def _level(lengths: Iterable[int], room: int) -> int:
    """The length at which to cut, so that all together fit: short ones leave room to long ones."""
    longest_first = sorted(lengths, reverse=True)
    while longest_first:
        level = room // len(longest_first)
        shortest = longest_first.pop()
        if shortest > level:
            return level
        room -= shortest
    return 0


def _cut(message: Message, longest: int) -> Message:
    return parts_only(
        message,
        (
            replace(part, text=cut_middle(part.text, longest))
            if isinstance(part, ToolResult)
            else part
            for part in message.parts
        ),
    )


def _count_within(limit: int, in_full: int, turns: Sequence[Sized], recent_turns: int) -> int:
    """How many of the newest turns need no more than `limit`; the newest always counts.

    Older turns need their compact size. The newest few need their full size, but together no more
    than `in_full`, or their compact size.
    """
    older = full = short = 0
    for count, turn in enumerate(reversed(turns)):
        if count < recent_turns:
            full += turn.full_size
            short += turn.compact_size
        else:
            older += turn.compact_size
        if count and older + min(full, max(in_full, short)) > limit:
            return count
    return len(turns)


def _separated(forms: Sequence[TurnForm]) -> Iterator[TurnForm]:
    """The forms with call ids that are unique among them all."""
    messages = iter(separate([message for form in forms for message in form.messages]))
    for form in forms:
        yield replace(form, messages=tuple(next(messages) for _ in form.messages))


def _spoken(message: Message) -> Message:
    return parts_only(message, (part for part in message.parts if isinstance(part, Text)))


def _characters(part: Text | Image | ToolCall | ToolResult) -> int:
    match part:
        case Text():
            return len(part.text)
        case Image():
            return len(part.reference)
        case ToolCall():
            return len(part.name) + len(part.arguments)
        case ToolResult():
            return len(part.name) + len(part.text)
        case _:
            assert_never(part)
