"""Rules of the data model, each switched off by an exact edit; simulate must notice every one."""

from __future__ import annotations

from tests.faults.change_plants import CHANGES
from tests.faults.discord_plants import DISCORD_PLANTS
from tests.faults.plant import plant
from tests.faults.slack_plants import SLACK_PLANTS
from tests.faults.withdrawal_plants import WITHDRAWALS
from tests.faults.writing_plants import WRITING

_OPEN_INDEX = "CREATE UNIQUE INDEX turns_open ON turns (place)"
_ON_CONFLICT = "        ON CONFLICT (place) WHERE state IN ('running', 'sending') DO NOTHING\n"
_FENCED = "          AND fence = :fence AND state = 'running'\n"
_UNFENCED = "          AND :fence > 0 AND state = 'running'\n"
_WATERMARK = """\
    if await is_forgotten(tx, arrival.place, arrival.author, digests, said_at=arrival.said_at):
        raise SaidBeforeForgetError
"""
_COMMIT = "                stop = await self._commit(run, ending)\n"
_DELIVER = """\
                said = [*run.progress.steps, ending.message]
                await run.courier.deliver(_spoken(said))
"""
_LOCKED = """\
    locked = await _lock_current(tx, arrival, now, is_addressed=judge is None)
"""

PLANTS = (
    plant(
        "turns are serial in a conversation, not in its place",
        ("migrations/0001_spine.sql", _OPEN_INDEX, _OPEN_INDEX.replace("place", "conversation")),
        ("memory/begin.py", _ON_CONFLICT, _ON_CONFLICT.replace("place", "conversation")),
        (
            "memory/unanswered.py",
            "turns t ON t.place = c.place",
            "turns t ON t.conversation = c.id",
        ),
    ),
    plant(
        "the open turn is no lock",
        ("migrations/0001_spine.sql", _OPEN_INDEX, _OPEN_INDEX.replace("UNIQUE ", "")),
        ("memory/begin.py", _ON_CONFLICT, ""),
    ),
    plant(
        "a turn takes messages from behind another author's",
        (
            "memory/begin.py",
            "              AND o.sent_order < messages.sent_order)",
            "              AND 1 = 0)",
        ),
    ),
    plant(
        "a turn takes messages from behind another conversation's",
        (
            "memory/begin.py",
            "(o.author <> :author OR o.conversation <> :conversation)",
            "o.author <> :author",
        ),
    ),
    plant(
        "a turn ends with calls that have no result",
        ("memory/repair.py", "        if call.id not in answered\n", "        if not call.id\n"),
    ),
    plant(
        "the after-work writes whatever has changed since it read",
        (
            "memory/history.py",
            "        WHERE id = :conversation AND revision = :revision RETURNING id",
            "        WHERE id = :conversation AND :revision > 0 RETURNING id",
        ),
    ),
    plant(
        "a wish to begin anew replaces a wish to stop",
        ("memory/inbox.py", "asker = :author AND stop IS NULL", "asker = :author"),
    ),
    plant(
        "a turn begins anew over the heads of those who wait",
        ("memory/inbox.py", "m.author <> :author AND m.sent_order < :sent_order", "1 = 0"),
    ),
    plant(
        "beginning anew clears a wish to stop",
        (
            "memory/begin.py",
            "stop = CASE WHEN stop = 'stopped' THEN stop ELSE NULL END",
            "stop = NULL",
        ),
    ),
    plant(
        "an answer is committed though somebody wished to stop",
        ("memory/turns.py", "COALESCE({WISH}, :heeded) = :heeded", ":heeded IS NOT NULL"),
    ),
    plant(
        "the deadline counts from the answer of the database",
        (
            "bot/hold.py",
            "self.lease.renewed(asked_at=asked_at)",
            "self.lease.renewed(asked_at=self._clock())",
        ),
    ),
    plant(
        "the deadline does not count suspended time",
        (
            "tests/faults/plan.py",
            "lambda loop, _process: loop.milliseconds()",
            "lambda loop, process: loop.milliseconds() - round(process.slept * 1000)",
        ),
    ),
    plant(
        "nothing is checked before a send",
        ("bot/run.py", "guard=hold.lease.guard", "guard=lambda: None"),
    ),
    plant(
        "nothing is checked before a tool that writes",
        ("bot/agent.py", "            self.assignment.guard()\n", ""),
    ),
    plant(
        "a tool that writes is run again, though nobody knows whether it was run",
        (
            "bot/agent.py",
            "elif again and not self.agent.toolbox.may_repeat(call.name):",
            "elif again and call.name == '':",
        ),
    ),
    plant(
        "a call that is run again has another key",
        (
            "bot/calls.py",
            'sha256(f"{turn}:{ordinal}:{index}".encode())',
            'sha256(__import__("os").urandom(16))',
        ),
    ),
    plant(
        "the tokens of a stored step are counted again with the answer",
        ("bot/turns.py", "        run.progress.noted = now_noted\n", ""),
    ),
    plant(
        "the tokens of a turn that is erased are forgotten",
        ("bot/turns.py", "            await self._note_rest(run)\n", ""),
    ),
    plant(
        "nobody learns that a turn was erased",
        (
            "memory/turns.py",
            'return Superseded("withdrawn" if kept else "erased")',
            'return Superseded("taken")',
        ),
    ),
    plant(
        "who takes a turn over does not ask what was sent",
        ("bot/run.py", "taken_over=turn.attempts > 1", "taken_over=False"),
    ),
    plant(
        "a send without an answer is made again",
        (
            "bot/delivery.py",
            "                self._doubted_at = self._clock()\n",
            "                pass\n",
        ),
        (
            "tests/played_reply.py",
            "        self._lost = True  #",
            "        self._lost = False  #",
        ),
        ("tests/played_reply.py", "            self._lost = error.unknown\n", ""),
    ),
    plant(
        "the platform is asked before a dead process's request has landed",
        (
            "bot/delivery.py",
            "        return self._doubted_at + self._timing.send - self._clock()",
            "        return 0",
        ),
    ),
    plant(
        "a forget takes along what was said after it",
        (
            "memory/erase.py",
            "    moved_to = await _move(tx, found, later, now) if later else None\n",
            "    moved_to = None\n",
        ),
    ),
    plant(
        "turns are touched before the conversation's row is locked",
        ("memory/turns.py", "    await lock(tx, turn)\n    closed = await", "    closed = await"),
    ),
    plant(
        "the watermark is looked up before the row is locked",
        ("memory/inbox.py", _WATERMARK, ""),
        ("memory/inbox.py", _LOCKED, _WATERMARK + _LOCKED),
    ),
    plant(
        "there is no watermark",
        ("memory/inbox.py", "said_before > :said_at", "said_before > :said_at AND 1 = 0"),
    ),
    plant(
        "an answer is delivered before it is committed",
        (
            "bot/turns.py",
            _COMMIT,
            _DELIVER + _COMMIT,
        ),
    ),
    plant(
        "steps are stored without a fence",
        (
            "memory/turns.py",
            f"{_FENCED}        RETURNING {{WISH}} AS wish",
            f"{_UNFENCED}        RETURNING {{WISH}} AS wish",
        ),
    ),
    plant(
        "what was said before is known in memory only",
        (
            "memory/inbox.py",
            "    if not await mark(tx, seen):\n",
            "    if (id(digests), seen) in _SEEN or _SEEN.add((id(digests), seen)):\n",
        ),
        ("memory/inbox.py", "_TRIES = ", "_SEEN: set[tuple[int, str]] = set()\n_TRIES = "),
    ),
    plant(
        "the window is cut inside a turn",
        (
            "bot/context.py",
            "        window = [message for form in forms for message in form.messages]\n",
            "        window = [message for form in forms for message in form.messages][-3:]\n",
        ),
    ),
    plant(
        "a turn is taken from a worker that holds it",
        (
            "memory/holds.py",
            "AND lease_until NOT BETWEEN :now AND :latest\n        RETURNING",
            "AND :now > 0\n        RETURNING",
        ),
        (
            "memory/unanswered.py",
            'None if now <= lease_until <= now + LONGEST_LEASE else "abandoned"',
            '"abandoned"',
        ),
    ),
    *CHANGES,
    *WRITING,
    *WITHDRAWALS,
    *SLACK_PLANTS,
    *DISCORD_PLANTS,
)
