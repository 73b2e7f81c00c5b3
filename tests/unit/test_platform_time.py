"""A platform's time is never before what we have heard from there."""

from adapters.chat.clock import PlatformTime
from tests.fakes import FakeClock


def test_our_clock_tells_the_time() -> None:
    time = PlatformTime(FakeClock(5_000))
    time.note(4_999)

    assert time.now() == 5_000


def test_a_slow_clock_is_not_believed() -> None:
    time = PlatformTime(FakeClock(5_000))
    for said_at in (7_500, 6_000):
        time.note(said_at)

    assert time.now() == 7_501
