"""Connections to Slack that end, die or are not to be had: nothing is lost or comes twice, and
health says so meanwhile."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import AsyncIterator, Callable, Mapping
from functools import partial

import pytest

from bot.health import Health
from bot.model import ModelRequest, ModelResponse
from bot.settings import Settings
from tests.seat import until
from tests.servers.slack import faults
from tests.servers.slack.server import Slack
from tests.servers.slack.socket import Pace, Reason
from tests.wire.slack_house import said, working
from tests.wire.slack_scene import open_scene
from tests.wire.slack_stories import TIMING, Repeating, is_at_rest

pytestmark = pytest.mark.slow

PACE = Pace(ack_seconds=0.3, retry_after=(0.0, *[0.2] * 50))
Mend = Callable[[], object]
Break = Callable[[Slack], Mend]
NAME = "Slack 1"


class Slow(Repeating):
    """Says its beginning, and the rest when it may."""

    def __init__(self) -> None:
        self.may = asyncio.Event()

    async def stream(self, request: ModelRequest) -> AsyncIterator[str | ModelResponse]:
        async for piece in super().stream(request):
            yield piece
            await self.may.wait()


def recycle(reason: Reason, slack: Slack) -> Mend:
    """Slack asks to come anew, and ends the old connection after a while."""
    [home] = slack.workspaces
    old = list(home.hub.connections)
    home.hub.disconnect(reason)

    def end() -> None:
        for each in old:
            each.close()

    return end


def close(slack: Slack) -> Mend:
    slack.workspaces[0].hub.close()
    return lambda: None


def abort(slack: Slack) -> Mend:
    slack.workspaces[0].hub.abort()
    return lambda: None


def deafen(slack: Slack) -> Mend:
    """No pong comes back any more."""
    slack.workspaces[0].hub.deafen()
    return lambda: None


def cut(slack: Slack) -> Mend:
    slack.cut_network()
    return slack.mend_network


def break_servers(slack: Slack) -> Mend:
    """Every request fails, and the connection ends."""
    slack.decide(faults.always(faults.Fate(before=faults.broken())))
    slack.workspaces[0].hub.abort()
    return partial(slack.decide, lambda _request: faults.ARRIVES)


def limit(slack: Slack) -> Mend:
    """Every request is one too many, and the connection ends."""
    limited = faults.Fate(before=faults.limited_in_scaled_time(0.1))
    slack.decide(faults.always(limited))
    slack.workspaces[0].hub.abort()
    return partial(slack.decide, lambda _request: faults.ARRIVES)


def switch_off(slack: Slack) -> Mend:
    """Socket Mode, in the app's settings."""
    hub = slack.workspaces[0].hub
    hub.enabled = False
    hub.disconnect("link_disabled")
    hub.close()

    def switch_on() -> None:
        hub.enabled = True

    return switch_on


def crowd_out(slack: Slack) -> Mend:
    """Ten connections are there already, of which nobody hears."""
    hub = slack.workspaces[0].hub
    hub.close()
    for _ in range(10):
        hub.haunt()
    ghosts = hub.connections[-10:]

    def chase_away() -> None:
        hub.connections = [each for each in hub.connections if each not in ghosts]

    return chase_away


RECYCLED: Mapping[str, Break] = {
    "a warning": partial(recycle, "warning"),
    "a refresh": partial(recycle, "refresh_requested"),
    "too many websockets": partial(recycle, "too_many_websockets"),
}
LOST: Mapping[str, Break] = {
    "an end": close,
    "an end without a word": abort,
    "a dead socket": deafen,
    "a cut network": cut,
    "failing servers": break_servers,
    "a limit on everything": limit,
    "Socket Mode switched off": switch_off,
    "ten ghosts": crowd_out,
}


@pytest.mark.parametrize("how", LOST)
async def test_what_is_said_and_answered_while_slack_is_lost_is_there_afterwards_once(
    how: str, sqlite_url: str, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.INFO, "bot.health")

    await lived_through(LOST[how], sqlite_url, lambda health, _is_anew: is_lost(health))

    assert states_told(caplog)[:3] == ["connecting", "connected", "lost"]
    assert states_told(caplog)[-1] == "connected"


@pytest.mark.parametrize("how", RECYCLED)
async def test_what_is_said_and_answered_while_slack_recycles_is_there_afterwards_once(
    how: str, sqlite_url: str, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.INFO, "bot.health")

    await lived_through(RECYCLED[how], sqlite_url, lambda _health, is_anew: is_anew)

    assert states_told(caplog) == ["connecting", "connected"]


def states_told(caplog: pytest.LogCaptureFixture) -> list[str]:
    """What was logged of the connection."""
    told = (each.getMessage() for each in caplog.records if each.name == "bot.health")
    return [each.split(": ")[1] for each in told]


async def lived_through(breaks: Break, url: str, meanwhile: Callable[[Health, bool], bool]) -> None:
    """A turn runs, and one begins meanwhile. It is mended once that is true of the health and of
    whether there is a new connection."""
    model, settings = Slow(), Settings(database_url=url, tools=())
    async with open_scene(url, PACE) as scene:
        async with working(
            scene.slack, url, model=model, settings=settings, timing=TIMING
        ) as health:
            running = await scene.ann.says(scene.channel, "<@bot> one")
            await scene.slack.until(lambda: said(scene.home, scene.channel, running.ts))
            hub = scene.home.hub
            old = list(hub.connections)
            mend = breaks(scene.slack)
            later = await scene.bob.says(scene.channel, "<@bot> two")
            model.may.set()
            await until(lambda: meanwhile(health, any(each not in old for each in hub.connections)))
            mend()
            await until(lambda: health.is_ready)
            await scene.slack.connected()
            for thread, answer in ((running.ts, "one"), (later.ts, "two")):
                await scene.answered(answer, thread)
            await until(lambda: is_at_rest(url))

        for thread, name, text in ((running.ts, "Ann", "one"), (later.ts, "Bob", "two")):
            answer = f"Let me see. I was told: [From {name}] {text}"
            assert said(scene.home, scene.channel, thread) == [answer]
        assert scene.home.statuses() == []


def is_lost(health: Health) -> bool:
    state = health.states[NAME]
    return state.how == "lost" and bool(state.why)


async def test_slack_that_is_away_at_the_start_is_waited_for(sqlite_url: str) -> None:
    health, settings = Health(), Settings(database_url=sqlite_url, tools=())
    async with open_scene(sqlite_url, PACE) as scene:
        scene.slack.cut_network()
        root = await scene.ann.says(scene.channel, "<@bot> one")
        async with asyncio.TaskGroup() as group:
            group.create_task(_mended(scene.slack, health))
            async with working(
                scene.slack, sqlite_url, model=Repeating(), settings=settings, health=health
            ):
                await scene.answered("one", root.ts)

        assert len(said(scene.home, scene.channel, root.ts)) == 1


async def _mended(slack: Slack, health: Health) -> None:
    """Once it was told that Slack is away."""
    await until(lambda: bool(health.states) and is_lost(health))
    assert not health.is_ready
    slack.mend_network()
