"""Who may write, and what must be told to whoever writes later: rules, each switched off."""

from __future__ import annotations

from tests.faults.plant import plant

_FENCED, _UNFENCED = "AND fence = :fence", "AND :fence > 0"
_FORGET_THE_PLACE = """\
        gone = await self._forget_place(place, said_before, owner)
"""
_FORGET_SOON = """\
        forgetting = self._forget_place(place, said_before, owner)
        gone = Gone(messages=int(asyncio.create_task(forgetting).done()))
"""

WRITING = (
    plant(
        "who lost the turn calls in all the same",
        (
            "memory/gaps.py",
            f"{_FENCED} AND state = 'running'",
            f"{_UNFENCED} AND state = 'running'",
        ),
    ),
    plant(
        "who lost the turn begins it anew all the same",
        (
            "memory/begin.py",
            f"{_FENCED} AND state = 'running'",
            f"{_UNFENCED} AND state = 'running'",
        ),
    ),
    plant(
        "who lost the turn finishes it all the same",
        (
            "memory/turns.py",
            f"{_FENCED} AND state = 'running' AND COALESCE(",
            f"{_UNFENCED} AND state = 'running' AND COALESCE(",
        ),
    ),
    plant(
        "who lost the turn holds it all the same",
        (
            "memory/holds.py",
            f"{_FENCED} AND state IN ('running', 'sending')\n        RETURNING {{WISH}}",
            f"{_UNFENCED} AND state IN ('running', 'sending')\n        RETURNING {{WISH}}",
        ),
    ),
    plant(
        "the after-work does not say that it wrote",
        (
            "memory/history.py",
            "summary = :summary, revision = revision + 1\n",
            "summary = :summary\n",
        ),
    ),
    plant(
        "the after-work is not told of an edit or a delete",
        ("memory/changes.py", "SET revision = revision + 1,\n", "SET revision = revision,\n"),
    ),
    plant(
        "who clears a wish to begin anew clears a wish to stop",
        (
            "memory/holds.py",
            f"WHERE id = :id {_FENCED} AND stop = 'changed'",
            f"WHERE id = :id {_FENCED}",
        ),
    ),
    plant(
        "a forget is acknowledged before it is committed",
        ("bot/erasure.py", _FORGET_THE_PLACE, _FORGET_SOON),
    ),
    plant(
        "a forget counts from when we were told of it",
        (
            "bot/forgetting.py",
            "place, said_before=caller.said_at, owner=plan.owner",
            "place, said_before=self.erasure.clock(), owner=plan.owner",
        ),
    ),
    plant(
        "a forget takes along what is being answered and was said after it",
        ("memory/erase.py", "OR (t.state = 'running' AND t.steps = 0)", "OR 1 = 0"),
    ),
    plant(
        "an earlier forget that comes later takes the time of a later one's",
        (
            "memory/marks.py",
            "THEN forgotten.said_before ELSE excluded.said_before END",
            "THEN excluded.said_before ELSE excluded.said_before END",
        ),
    ),
)
