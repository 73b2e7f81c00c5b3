"""What Slack tells about people and channels, as we read it."""

from __future__ import annotations

from dataclasses import replace

import pytest

from adapters.slack.outlet import SlackOutlet, furnished
from adapters.slack.people import Profile, channel_type, profile
from memory.keys import PersonKey
from tests.fakes import FakeClock
from tests.slack_in_process import ClientInProcess, Line, installation, workspace

ROOT = {"name": "root", "team_id": "T1"}
GRID = {"enterprise_user": {"enterprise_id": "E1"}}


@pytest.mark.parametrize(
    ("told", "expected"),
    [
        ({}, Profile("somebody")),
        ({"name": "ann.b"}, Profile("ann.b")),
        ({"name": "a", "profile": {"real_name": "Ann B", "display_name": ""}}, Profile("Ann B")),
        ({"name": "a", "is_bot": True}, Profile("a", "bot")),
        ({"name": "a", "is_stranger": True}, Profile("a", "external")),
        ({"name": "a", "is_ultra_restricted": True}, Profile("a", "guest")),
        ({"name": "a", "is_owner": True}, Profile("a")),
        ({**ROOT, "is_admin": True}, Profile("root", rules=frozenset({"T1"}))),
        ({**ROOT, **GRID, "is_owner": True}, Profile("root", rules=frozenset({"T1", "E1"}))),
        ({**ROOT, "is_stranger": True, "is_admin": True}, Profile("root", "external")),
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


async def test_an_administrator_of_another_workspace_is_none_here() -> None:
    clock = FakeClock(1_718_000_000_000)
    home = workspace(clock)
    root = PersonKey("slack", home.team, home.person("Root", admin=True).id)
    us, client = installation(home), ClientInProcess(Line(home))

    async def rules(team: str) -> bool:
        outlet = SlackOutlet([furnished(replace(us, team=team), client, clock)])
        return await outlet.is_administrator({"workspace": home.team}, root)

    assert await rules(home.team)
    assert not await rules("T0ELSEWHERE")
