"""An app that is told of mentions only is told so to whoever runs it."""

from __future__ import annotations

import pytest

from adapters.slack.subscriptions import Subscriptions
from tests.fakes import FakeClock

MENTION = {"type": "app_mention", "channel": "C1", "ts": "1.1"}
MESSAGE = {"type": "message", "channel": "C1", "ts": "1.1"}
MINUTE = 61_000


def mentions(subscriptions: Subscriptions, clock: FakeClock, number: int) -> None:
    for _ in range(number):
        subscriptions.note(MENTION)
        clock.advance(MINUTE)


def test_mentions_that_stay_alone_are_told_of_once(caplog: pytest.LogCaptureFixture) -> None:
    clock = FakeClock()
    subscriptions = Subscriptions(clock)

    mentions(subscriptions, clock, 5)

    [told] = caplog.messages
    assert "message.channels" in told
    assert "Event Subscriptions" in told


def test_few_mentions_prove_nothing(caplog: pytest.LogCaptureFixture) -> None:
    clock = FakeClock()

    mentions(Subscriptions(clock), clock, 2)

    assert caplog.messages == []


def test_many_mentions_at_once_prove_nothing(caplog: pytest.LogCaptureFixture) -> None:
    subscriptions = Subscriptions(FakeClock())

    for _ in range(9):
        subscriptions.note(MENTION)

    assert caplog.messages == []


def test_where_messages_come_all_is_well(caplog: pytest.LogCaptureFixture) -> None:
    clock = FakeClock()
    subscriptions = Subscriptions(clock)

    for _ in range(5):
        mentions(subscriptions, clock, 1)
        subscriptions.note(MESSAGE)
    subscriptions.note({"type": "reaction_added"})

    assert caplog.messages == []
