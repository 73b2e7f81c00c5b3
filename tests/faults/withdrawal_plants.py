"""What a person takes back, in one place or everywhere: its rules, each switched off."""

from __future__ import annotations

from tests.faults.plant import plant

_PAGE = """\
            WHERE conversation = :conversation AND position > :last
"""
_BUT_OPEN_STEPS = """\
              AND (role = 'user' OR turn NOT IN (SELECT number FROM turns
                WHERE conversation = :conversation AND state = 'running'))
"""
_ON_ITS_WAY = "if begun in known and not self._is_awaited(begun):"

WITHDRAWALS = (
    plant(
        "a forget me is done when one look found nothing",
        (
            "memory/erasures.py",
            "if not found and first is not None and began - first >= apart:",
            "if not found:",
        ),
    ),
    plant(
        "a forget me ends with the process that began it",
        ("bot/forgetting.py", _ON_ITS_WAY, "if begun in known and not begun:"),
    ),
    plant(
        "what a person takes back stays in the steps of an open turn",
        ("memory/participant.py", _PAGE, _PAGE + _BUT_OPEN_STEPS),
    ),
    plant(
        "what a person took back in a place is taken when it is told late",
        (
            "memory/participant.py",
            "return await set_watermark(tx, key, said_before=said_before, expires_at=expires_at)",
            "return said_before",
        ),
    ),
    plant(
        "who has loaded what is taken back goes on with it",
        (
            "memory/participant.py",
            "UPDATE turns SET erased = 1\n",
            "UPDATE turns SET erased = 0\n",
        ),
    ),
    plant(
        "what a person takes back stays in what others were told",
        (
            "memory/participant.py",
            '        if cleaned == row["content"]:\n',
            "        if cleaned:\n",
        ),
    ),
)
