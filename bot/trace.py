"""Ids bound once, log lines without content, and the events that `chat -v` prints."""

from __future__ import annotations

import logging
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass
from typing import Protocol, TextIO

from bot.model import Usage
from memory.messages import Message

_conversation: ContextVar[str] = ContextVar("conversation", default="")
_turn: ContextVar[str] = ContextVar("turn", default="")
_OURS = ("bot", "adapters", "memory")
_logger = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class Event:
    """One thing that happened in a turn; `step` 0 is before the first model call."""

    step: int
    what: str
    milliseconds: int | None = None

    def __str__(self) -> str:
        took = "" if self.milliseconds is None else f" ({self.milliseconds:,} ms)"
        return f"[step {self.step}] {self.what}{took}"


Listener = Callable[[Event], None]


def unheard(_event: Event) -> None:
    """The listener where nobody listens."""


@contextmanager
def bound(*, conversation: str, turn: str) -> Iterator[None]:
    """Every log line within carries these ids, in tasks that are begun within, too."""
    tokens = _conversation.set(conversation), _turn.set(turn)
    try:
        yield
    finally:
        _conversation.reset(tokens[0])
        _turn.reset(tokens[1])


class Measured(Protocol):
    """What was counted while a turn was answered."""

    steps: list[Message]
    usage: Usage
    model_ms: int
    tool_ms: int
    first_text_ms: int | None


def log_turn(number: int, outcome: str, turn: Measured) -> None:
    """The one line that a turn leaves in the log."""
    _logger.info(
        "turn %s %s: %s steps, model %s ms, tools %s ms, first text after %s ms, "
        "%s tokens in (%s cached), %s out",
        number,
        outcome,
        len(turn.steps) + 1,
        turn.model_ms,
        turn.tool_ms,
        "no" if turn.first_text_ms is None else turn.first_text_ms,
        turn.usage.input_tokens,
        turn.usage.cached_tokens,
        turn.usage.output_tokens,
        extra={"action": "turn"},
    )


def set_up_logging(stream: TextIO, level: int, *, is_service: bool) -> logging.Handler:
    """Readable lines with the ids that are bound; to be removed by who set it up.

    Times and stacks are for a service's log; the person at a terminal gets the sentence alone.
    """
    handler = logging.StreamHandler(stream)
    layout = "%(asctime)s %(levelname)s %(ids)s%(message)s" if is_service else "%(message)s"
    handler.setFormatter(logging.Formatter(layout))
    handler.addFilter(_is_ours_or_a_warning)
    handler.addFilter(_add_ids)
    if not is_service:
        handler.addFilter(_drop_stack)
    logging.getLogger().addHandler(handler)
    for package in _OURS:
        logging.getLogger(package).setLevel(level)
    return handler


def _is_ours_or_a_warning(record: logging.LogRecord) -> bool:
    """Below a warning an SDK writes down what people say (slack_sdk every event), and a module with
    tools, or a variable such as `OPENAI_LOG`, may have let it."""
    return record.name.partition(".")[0] in _OURS or record.levelno >= logging.WARNING


def _add_ids(record: logging.LogRecord) -> bool:
    ids = (("conversation", _conversation.get()), ("reference", _turn.get()[:6]))
    record.ids = "".join(f"{name}={value} " for name, value in ids if value)
    return True


def _drop_stack(record: logging.LogRecord) -> bool:
    record.exc_info = record.exc_text = record.stack_info = None
    return True
