"""What Slack tells about people and channels, as we read it."""

from __future__ import annotations

import pytest

from adapters.slack.people import Profile, channel_type, profile


@pytest.mark.parametrize(
    ("told", "expected"),
    [
        ({}, Profile("somebody")),
        ({"name": "ann.b"}, Profile("ann.b")),
        ({"name": "a", "profile": {"real_name": "Ann B", "display_name": ""}}, Profile("Ann B")),
        ({"name": "a", "is_bot": True}, Profile("a", "bot")),
        ({"name": "a", "is_stranger": True}, Profile("a", "external")),
        ({"name": "a", "is_ultra_restricted": True}, Profile("a", "guest")),
        ({"name": "a", "is_owner": True}, Profile("a", is_administrator=True)),
    ],
)
def test_a_profile_is_read_for_what_it_tells(told: dict[str, object], expected: Profile) -> None:
    assert profile(told) == expected


@pytest.mark.parametrize(
    ("told", "expected"),
    [
        ({"is_im": True}, "im"),
        ({"is_mpim": True, "is_private": True}, "mpim"),
        ({"is_private": True}, "group"),
        ({"is_channel": True}, "channel"),
    ],
)
def test_a_channel_is_told_as_events_tell_it(told: dict[str, object], expected: str) -> None:
    assert channel_type(told) == expected
