"""What a person reads about conversations: `list`, `show`, `export`."""

from __future__ import annotations

from dataclasses import dataclass, fields

from memory import conversations
from memory.conversations import Conversation
from memory.database import Row, Transaction
from memory.errors import DamagedMessageError
from memory.keys import Surface
from memory.messages import Message, Role, decode

FIRST_CHARACTERS = 80
_NEWEST = 10  # turns whose tokens are told of


@dataclass(frozen=True, slots=True)
class Listed:
    """One line of `list`; times in UTC milliseconds, `first` is how the first question begins."""

    id: str
    place: str
    surface: Surface
    owner: str
    turns: int
    created_at: int
    active_at: int
    first: str


@dataclass(frozen=True, slots=True)
class ReportedMessage:
    """A message as it is stored; `message` is None when its content is damaged."""

    role: Role
    state: str
    author: str | None
    author_name: str | None
    said_at: int
    message: Message | None


@dataclass(frozen=True, slots=True)
class ReportedTurn:
    """A turn with all that was counted, and its messages: questions first."""

    number: int
    id: str
    state: str
    outcome: str | None
    asker: str
    asked_at: int
    started_at: int
    ended_at: int | None
    attempts: int
    steps: int
    model: str | None
    input_tokens: int
    cached_tokens: int
    output_tokens: int
    reasoning_tokens: int
    model_ms: int
    tool_ms: int
    first_text_ms: int | None
    full_size: int
    compact_size: int
    messages: tuple[ReportedMessage, ...]


@dataclass(frozen=True, slots=True)
class Report:
    """A whole conversation. `waiting` is what no turn has taken yet."""

    conversation: Conversation
    turns: tuple[ReportedTurn, ...]
    waiting: tuple[ReportedMessage, ...]


@dataclass(frozen=True, slots=True)
class Answer:
    """What one question came to: its turn, how that ended, and the texts of its steps."""

    turn: str
    outcome: str | None
    texts: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Sent:
    """Tokens that the newest turns sent, and of these what providers still had in a cache."""

    input_tokens: int
    cached_tokens: int

    @property
    def cached_percent(self) -> int | None:
        """None: nobody has counted."""
        return self.cached_tokens * 100 // self.input_tokens if self.input_tokens else None


async def read_sent(tx: Transaction, conversation: str) -> Sent:
    rows = await tx.fetch(
        """
        SELECT input_tokens, cached_tokens FROM turns WHERE conversation = :conversation
        ORDER BY number DESC LIMIT :newest
        """,
        conversation=conversation,
        newest=_NEWEST,
    )
    return Sent(sum(row["input_tokens"] for row in rows), sum(row["cached_tokens"] for row in rows))


@dataclass(frozen=True, slots=True)
class Counted:
    """What a provider counted for the one request of a turn."""

    number: int
    asked_at: int
    input_tokens: int


async def find_counted(tx: Transaction, conversation: str) -> Counted | None:
    """The newest answered turn of the window that took one request."""
    rows = await tx.fetch(
        """
        SELECT t.number, t.asked_at, t.input_tokens FROM conversations c
        JOIN turns t ON t.conversation = c.id AND t.number >= c.window_from
        WHERE c.id = :conversation AND t.outcome = 'answered' AND t.state IN ('done', 'failed')
          AND t.steps = 0 AND t.attempts = 1 AND t.input_tokens > 0
        ORDER BY t.number DESC LIMIT 1
        """,
        conversation=conversation,
    )
    return Counted(**rows[0]) if rows else None


async def find_answer(tx: Transaction, conversation: str, message_id: str) -> Answer | None:
    """The answer to the message with the platform's id; None: it waits, or was forgotten."""
    rows = await tx.fetch(
        """
        SELECT t.id, t.outcome, a.content FROM messages q
        JOIN turns t ON t.conversation = q.conversation AND t.number = q.turn
        LEFT JOIN messages a ON a.conversation = t.conversation AND a.turn = t.number
          AND a.role = 'assistant'
        WHERE q.conversation = :conversation AND q.remote_id = :message_id
        ORDER BY a.position
        """,
        conversation=conversation,
        message_id=message_id,
    )
    if not rows:
        return None
    texts = (_text("assistant", row) for row in rows)
    return Answer(rows[0]["id"], rows[0]["outcome"], tuple(text for text in texts if text))


async def list_conversations(tx: Transaction, *, limit: int) -> list[Listed]:
    """Those in which something was said, the newest activity first."""
    rows = await tx.fetch(
        """
        SELECT c.id, c.place, c.surface, c.owner, c.created_at, c.active_at,
          (SELECT count(*) FROM turns t WHERE t.conversation = c.id) AS turns,
          (SELECT m.content FROM messages m WHERE m.conversation = c.id AND m.role = 'user'
            ORDER BY m.position LIMIT 1) AS content
        FROM conversations c
        WHERE EXISTS (SELECT 1 FROM messages m WHERE m.conversation = c.id)
        ORDER BY c.active_at DESC, c.id LIMIT :limit
        """,
        limit=limit,
    )
    return [_listed(row) for row in rows]


async def read(tx: Transaction, conversation: str) -> Report:
    """Raise UnknownConversationError."""
    found = await conversations.get(tx, conversation)
    turns = await tx.fetch(
        "SELECT * FROM turns WHERE conversation = :id ORDER BY number", id=conversation
    )
    messages = await tx.fetch(
        """
        SELECT turn, role, state, author, author_name, said_at, content FROM messages
        WHERE conversation = :id
        ORDER BY CASE role WHEN 'user' THEN 0 ELSE 1 END, sent_order, position
        """,
        id=conversation,
    )
    by_turn: dict[int | None, list[ReportedMessage]] = {}
    for row in messages:
        by_turn.setdefault(row["turn"], []).append(_message(row))
    return Report(
        found,
        tuple(_turn(row, by_turn.get(row["number"], [])) for row in turns),
        tuple(by_turn.get(None, [])),
    )


def _listed(row: Row) -> Listed:
    first = _text("user", row)
    values = {name: row[name] for name in _LISTED}
    return Listed(**values, first=" ".join(first.split())[:FIRST_CHARACTERS])


def _text(role: Role, row: Row) -> str:
    try:
        return decode(role, row["content"] or "").text
    except DamagedMessageError:
        return ""


def _turn(row: Row, messages: list[ReportedMessage]) -> ReportedTurn:
    values = {name: row[name] for name in _COLUMNS}
    return ReportedTurn(**values, messages=tuple(messages))


def _message(row: Row) -> ReportedMessage:
    try:
        message = decode(row["role"], row["content"])
    except DamagedMessageError:
        message = None
    return ReportedMessage(
        role=row["role"],
        state=row["state"],
        author=row["author"],
        author_name=row["author_name"],
        said_at=row["said_at"],
        message=message,
    )


_LISTED = [field.name for field in fields(Listed) if field.name != "first"]
_COLUMNS = [field.name for field in fields(ReportedTurn) if field.name != "messages"]
