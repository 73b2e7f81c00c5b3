"""A conversation of any length, written into the tables as its turns would have left them."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import closing
from dataclasses import dataclass
from hashlib import sha256
from pathlib import Path

from bot.context import ContextBuilder
from memory.history import TurnSize
from memory.keys import PersonKey, PlaceKey
from memory.messages import Message, ToolCall, ToolResult, assistant, encode, tool, user
from memory.sqlite_file import open_file
from memory.window import BUDGET, RECENT_TURNS, compact_size, full_size, next_cut

PLACE = PlaceKey("bench", "here", "channel", "thread")
PERSON = PersonKey("bench", "here", "ann")
CONVERSATION = "c" * 32
QUESTION = "Question {}: where is my order, and can I still send it back if it does not please me?"
ANSWER = "Answer {}: " + "your parcel is on its way and you may send it back within 14 days. " * 3

FOR_WINDOW = ContextBuilder("", budget=BUDGET).for_window

Values = dict[str, object]


@dataclass(frozen=True, slots=True)
class _Turn:
    number: int
    messages: tuple[Message, ...]

    @property
    def size(self) -> TurnSize:
        return TurnSize(self.number, full_size(self.messages), compact_size(self.messages))


def fill(file: Path, *, turns: int, now: int) -> None:
    """Write a conversation with this many finished turns into a migrated file."""
    past = [_Turn(number, _messages(number)) for number in range(1, turns + 1)]
    with closing(open_file(file)) as connection:
        connection.execute("BEGIN IMMEDIATE")
        for table, rows in (
            ("conversations", [_conversation(past, now)]),
            ("turns", [_turn(turn, now) for turn in past]),
            ("messages", [row for turn in past for row in _message_rows(turn, now)]),
            ("participants", [_participant(now)]),
            ("deliveries", [_delivery(turn) for turn in past]),
            ("seen", [{"key": _hex("seen", turn.number), "seen_at": now} for turn in past]),
        ):
            if rows:
                connection.executemany(_insert(table, rows[0]), rows)
        connection.execute("COMMIT")


def _messages(number: int) -> tuple[Message, ...]:
    """Every third turn looks something up."""
    question, answer = user(QUESTION.format(number)), assistant(ANSWER.format(number))
    if number % 3:
        return question, answer
    call = ToolCall(f"call_{number}", "look_up", f'{{"order_id": {number}}}')
    result = ToolResult(call.id, call.name, f'{{"order_id": {number}, "status": "shipped"}}')
    return question, assistant("", call), tool(result), answer


def _conversation(past: Sequence[_Turn], now: int) -> Values:
    return {
        "id": CONVERSATION,
        "place": str(PLACE),
        "platform": PLACE.platform,
        "workspace": PLACE.workspace,
        "channel": PLACE.channel,
        "thread": PLACE.thread,
        "surface": "direct",
        "owner": str(PERSON),
        "created_at": now,
        "active_at": now,
        "next_position": len(past) * 10 + 10,
        "next_turn": len(past) + 1,
        "window_from": _cut([turn.size for turn in past]),
    }


def _cut(sizes: Sequence[TurnSize]) -> int:
    """Where the window begins after the after-work of each of these turns."""
    cut = 1
    for end in range(1, len(sizes) + 1):
        cut = next_cut(sizes[cut - 1 : end], cut, budget=FOR_WINDOW, recent_turns=RECENT_TURNS)
    return cut


def _turn(turn: _Turn, now: int) -> Values:
    return {
        "conversation": CONVERSATION,
        "number": turn.number,
        "place": str(PLACE),
        "id": _hex("turn", turn.number),
        "cause": "message",
        "state": "done",
        "outcome": "answered",
        "asker": str(PERSON),
        "asked_at": now,
        "address": "{}",
        "worker": "bench",
        "lease_until": now,
        "started_at": now,
        "ended_at": now,
        "full_size": turn.size.full_size,
        "compact_size": turn.size.compact_size,
    }


def _message_rows(turn: _Turn, now: int) -> Iterator[Values]:
    for index, message in enumerate(turn.messages):
        is_said = message.role == "user"
        yield {
            "conversation": CONVERSATION,
            "position": turn.number * 10 + index,
            "turn": turn.number,
            "role": message.role,
            "state": "taken",
            "remote_id": f"m{turn.number}" if is_said else None,
            "sent_order": f"{turn.number:012}" if is_said else None,
            "author": str(PERSON) if is_said else None,
            "author_name": PERSON.user if is_said else None,
            "said_at": now,
            "address": "{}" if is_said else None,
            "content": encode(message),
        }


def _participant(now: int) -> Values:
    key = {"conversation": CONVERSATION, "person": str(PERSON), "name": PERSON.user}
    return {**key, "first_at": now, "last_at": now}


def _delivery(turn: _Turn) -> Values:
    key = {"conversation": CONVERSATION, "turn": turn.number, "part": 1}
    return {**key, "state": "sent", "remote_id": f"a{turn.number}", "ends_at": 1}


def _hex(what: str, number: int) -> str:
    return sha256(f"{what}{number}".encode()).hexdigest()[:32]


def _insert(table: str, row: Values) -> str:
    names = ", ".join(row)
    values = ", ".join(f":{name}" for name in row)
    return f"INSERT INTO {table} ({names}) VALUES ({values})"  # noqa: S608 - names from above
