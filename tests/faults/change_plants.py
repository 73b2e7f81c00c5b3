"""What is overheard, called in, edited and deleted: its rules, each switched off."""

from __future__ import annotations

from tests.faults.plant import plant

CHANGES = (
    plant(
        "what was called in first stays context when it is told of",
        (
            "memory/inbox.py",
            "WHERE messages.state = 'observed' AND excluded.state = 'waiting'",
            "WHERE 1 = 0",
        ),
    ),
    plant(
        "an edit does not stand for its message",
        (
            "memory/changes.py",
            "return [] if await inbox.was_said(tx, said) else None",
            "return [] if said else None",
        ),
    ),
    plant(
        "call-in reads back what was forgotten",
        ("memory/gaps.py", "AND said_before > :said_at)", "AND said_before > :said_at AND 1 = 0)"),
    ),
    plant(
        "a turn is kept when its question was deleted",
        ("memory/changes.py", "UPDATE turns SET erased = 2,", "UPDATE turns SET erased = 0,"),
    ),
    plant(
        "a message that was deleted before it is told of is taken",
        (
            "memory/changes.py",
            "    await inbox.mark(tx, digests.said(place, message_id))\n",
            "",
        ),
    ),
    plant(
        "a message that is told of after its edit has its first words again",
        (
            "memory/inbox.py",
            "THEN messages.content ELSE excluded.content END",
            "THEN excluded.content ELSE excluded.content END",
        ),
    ),
    plant(
        "what was said while nobody was there is not read back",
        (
            "bot/catch_up.py",
            "        self._told[platform] = min(times, default=None)\n        self._bell.set()\n",
            "        self._told[platform] = min(times, default=None)\n",
        ),
    ),
    plant(
        "what waited too long is answered as if it was asked now",
        ("bot/remember.py", "> self.timing.give_up:", "> 100 * self.timing.give_up:"),
    ),
    plant(
        "what was overheard after a forget is moved as a question",
        (
            "memory/erase.py",
            'state="observed" if row["state"] == "observed" else "waiting"',
            'state="waiting"',
        ),
    ),
    plant(
        "the turn of a deleted question goes, though what it showed still stands",
        (
            "bot/delivery.py",
            '        except DeliveryError as error:\n            _log.warning("Could not close',
            '        except Exception as error:\n            _log.warning("Could not close',
        ),
    ),
)
