"""Whatever fails on the way to Slack, at any method: nothing is lost, and nothing comes twice."""

from __future__ import annotations

import asyncio
import shutil
from collections.abc import Mapping
from pathlib import Path

import pytest

from tests.servers.slack import faults
from tests.servers.slack.faults import Fate
from tests.wire.slack_stories import SEND, STORIES, Outcome, Played, Story, play

pytestmark = pytest.mark.slow

UNHEARD: Mapping[str, Fate] = {
    "HTTP 500 after it was done": Fate(after=faults.broken()),
    "a cut after it was done": Fate(after=faults.dropped),
    "an answer that comes too late": Fate(before=faults.delayed(1.5 * SEND / 1000)),
}
FAULTS: Mapping[str, Fate] = {
    "HTTP 500": Fate(before=faults.broken()),
    "internal_error": Fate(before=faults.refused("internal_error")),
    "HTTP 429": Fate(before=faults.limited_in_scaled_time(0.1)),
    "a cut": Fate(before=faults.dropped),
    **UNHEARD,
}


CASES = [
    (story, fault, 1 if (row + column) % 2 else 3)
    for row, story in enumerate(STORIES)
    for column, fault in enumerate(FAULTS)
]
"""Each fault in each story, by turns once and three times, for the sake of time."""


@pytest.mark.parametrize(("story", "fault", "times"), CASES)
async def test_at_every_method_nothing_is_lost_and_nothing_comes_twice(
    story: str, fault: str, times: int, sqlite_url: str
) -> None:
    stage = _Stage(STORIES[story], fault, times, Path(sqlite_url.removeprefix("sqlite:///")))
    calm = await stage.play()

    async with asyncio.TaskGroup() as group:
        for method in calm.methods:
            group.create_task(stage.disturb(calm, method))


class _Stage:
    """Plays a story again and again, each time with an empty memory."""

    def __init__(self, story: Story, fault: str, times: int, empty: Path) -> None:
        self._story = story
        self._fault = fault
        self._times = times
        self._empty = empty
        self.disturbed: list[str] = []

    async def play(self, *methods: str) -> Played:
        name = "-".join(methods) or "calm"
        file = shutil.copy(self._empty, self._empty.with_name(f"{name}.db"))
        fates = faults.first(self._times, FAULTS[self._fault], *methods)
        return await play(self._story, f"sqlite:///{file}", fates)

    async def disturb(self, calm: Played, *methods: str) -> None:
        """Also at what is only asked because something failed."""
        self.disturbed.append(" and ".join(methods))
        played = await self.play(*methods)
        assert self._seen(played) == self._seen(calm), methods
        if len(methods) == 1:
            for method in played.methods - calm.methods:
                await self.disturb(calm, *methods, method)

    def _seen(self, played: Played) -> Outcome:
        """A word to one person may come twice where it is not known whether it came."""
        outcome = played.outcome
        if self._fault not in UNHEARD:
            return outcome
        whispers = list(dict.fromkeys(outcome.whispers))
        return Outcome(outcome.shown, whispers, outcome.statuses, outcome.memory)
