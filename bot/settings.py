"""Settings from the environment, read once, checked all at once."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Timing:
    """Every length of time in one turn's life, in milliseconds."""

    lease: int = 30_000
    renew: int = 10_000
    margin: int = 5_000  # nothing is sent in the last part of a lease
    send: int = 4_000  # one send; under the margin, so that no send outlives its lease
    turn: int = 180_000  # the time limit of an answer
    tool: int = 20_000
    give_up: int = 15 * 60_000  # an undelivered answer has failed; an old question has expired
    sweep: int = 5_000
    grace: int = 25_000  # what running turns get at shutdown


@dataclass(frozen=True, slots=True)
class Limits:
    """What bounds one turn."""

    steps: int = 8  # model calls
    repeats: int = 2  # the same call with the same arguments is run so often
    result_bytes: int = 16_000
    question_characters: int = 20_000
    attempts: int = 3  # a turn is begun so often
    running_turns: int = 20
