"""What providers have counted corrects the estimate, where it can be of the same request."""

from __future__ import annotations

import pytest

from bot.context import ContextBuilder
from bot.shown import Reported, estimate, render
from memory.messages import user
from memory.reports import Sent

CONTEXT = ContextBuilder("You are Nimbus.").compose([], [user("And now?")], 1_796_047_500_000)
SENT = Sent(1_200, 1_000)


def last_lines(reported: Reported | None) -> list[str]:
    return render(CONTEXT, reported=reported).split("\n\n")[4:]


def test_the_estimate_of_all_is_corrected_and_what_was_cached_told() -> None:
    estimated = estimate(CONTEXT)

    [all_of_it, sent] = last_lines(Reported.of(SENT, counted=150, estimated=100))

    assert all_of_it.endswith(
        f"about {estimated} tokens; as the provider counts, about {-(-estimated * 3 // 2)}"
    )
    assert sent == ("== the newest turns have sent · 1,200 tokens, 83 % from the provider's cache")


@pytest.mark.parametrize(("counted", "estimated"), [(0, 100), (201, 100), (49, 100), (5, 0)])
def test_what_is_too_far_off_corrects_nothing(counted: int, estimated: int) -> None:
    reported = Reported.of(SENT, counted=counted, estimated=estimated)

    assert last_lines(reported)[0] == last_lines(None)[0]


def test_where_nothing_was_counted_nothing_is_told() -> None:
    assert last_lines(Reported(Sent(0, 0))) == last_lines(None)
    assert len(last_lines(None)) == 1
