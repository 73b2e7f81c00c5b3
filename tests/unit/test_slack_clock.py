"""Slack's time is never before what we have heard from there."""

from adapters.slack.clock import SlackTime
from tests.fakes import FakeClock


def test_our_clock_tells_the_time() -> None:
    time = SlackTime(FakeClock(5_000))
    time.note("4.999999")

    assert time.now() == 5_000


def test_a_slow_clock_is_not_believed() -> None:
    time = SlackTime(FakeClock(5_000))
    time.note("7.500000")
    time.note("6.000000")

    assert time.now() == 7_501
