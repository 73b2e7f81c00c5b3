"""Real Bolt on a real socket: committed first, acknowledged then, and never out of reach."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager

import pytest

from adapters.slack.events import Json
from adapters.slack.socket import After, Pace, Socket
from adapters.slack.web import open_client
from bot.health import Health
from tests.seat import until
from tests.servers.slack import faults
from tests.servers.slack.people import Person, Workspace
from tests.servers.slack.server import Slack, serving
from tests.servers.slack.socket import Pace as SlackPace
from tests.servers.slack.world import Channel

QUICK = Pace(ping=0.05, look=0.01, connect=1, grace=0.3, first_pause=0.01, longest_pause=0.05)
RETRIES = SlackPace(ack_seconds=0.2, retry_after=(0.0, 0.0, 0.0))


@pytest.fixture
async def slack() -> AsyncIterator[Slack]:
    async with serving(pace=RETRIES) as server:
        yield server


@pytest.fixture
def home(slack: Slack) -> Workspace:
    return slack.workspace()


@pytest.fixture
def ann(home: Workspace) -> Person:
    return home.person("Ann")


@pytest.fixture
def channel(home: Workspace, ann: Person) -> Channel:
    return home.channel("general", ann.profile)


class Taker:
    """Takes what comes, unless it is told to fail so often."""

    def __init__(self, *, failures: int = 0, after: After | None = None) -> None:
        self.bodies: list[Json] = []
        self.failures = failures
        self.after = after

    async def __call__(self, body: Json) -> After | None:
        if self.failures:
            self.failures -= 1
            raise OSError("disk full")
        self.bodies.append(body)
        return self.after

    @property
    def texts(self) -> list[str]:
        return [body["event"].get("text", "") for body in self.bodies]


@asynccontextmanager
async def listening(
    slack: Slack, home: Workspace, take: Callable[[Json], Awaitable[After | None]]
) -> AsyncIterator[Health]:
    health = Health()
    async with open_client(home.bot_token, slack.api_url) as client:
        socket = Socket(client, home.app_token, 1, health, QUICK)
        async with asyncio.TaskGroup() as group:
            task = group.create_task(socket.listen(take))
            await slack.connected()
            yield health
            task.cancel()


async def test_what_is_taken_is_acknowledged(
    slack: Slack, home: Workspace, ann: Person, channel: Channel
) -> None:
    taker = Taker()

    async with listening(slack, home, taker):
        await ann.says(channel, "Hello")
        await ann.opens_app()
        await ann.commands(channel, "/nimbus help")
        await slack.until(lambda: slack.quiet)

    assert len(taker.bodies) == 3
    assert all(each.acked and not each.late for each in slack.deliveries)


async def test_nothing_is_asked_before_a_message_is_taken(
    slack: Slack, home: Workspace, ann: Person, channel: Channel
) -> None:
    async with listening(slack, home, Taker()):
        before = len(slack.requests)
        await ann.says(channel, "Hello")
        await slack.until(lambda: slack.quiet)

        assert len(slack.requests) == before


async def test_what_cannot_be_taken_comes_again(
    slack: Slack, home: Workspace, ann: Person, channel: Channel
) -> None:
    taker = Taker(failures=2)

    async with listening(slack, home, taker):
        await ann.says(channel, "Hello")
        await slack.until(lambda: slack.quiet)

    [delivery] = slack.deliveries
    assert delivery.acked
    assert len(delivery.envelopes) == 3
    assert taker.texts == ["Hello"]


async def test_what_comes_after_is_done_after_the_acknowledgement(
    slack: Slack, home: Workspace, ann: Person, channel: Channel
) -> None:
    acked: list[bool] = []
    done = asyncio.Event()

    async def after() -> None:
        await slack.until(lambda: slack.quiet)
        acked.append(all(each.acked for each in slack.deliveries))
        done.set()

    async with listening(slack, home, Taker(after=after)):
        await ann.says(channel, "Hello")
        await done.wait()

    assert acked == [True]


async def test_a_recycled_connection_loses_nothing(
    slack: Slack, home: Workspace, ann: Person, channel: Channel
) -> None:
    taker = Taker()

    async with listening(slack, home, taker) as health:
        old = list(home.hub.connections)
        home.hub.disconnect()
        await slack.until(lambda: home.hub.connections and home.hub.connections != old)
        await ann.says(channel, "Hello")
        await slack.until(lambda: slack.quiet)

        assert health.is_ready
    assert "Hello" in taker.texts


@pytest.mark.parametrize("end", ["close", "abort", "deafen"])
async def test_a_broken_connection_is_made_anew(
    slack: Slack, home: Workspace, ann: Person, channel: Channel, end: str
) -> None:
    taker = Taker()

    async with listening(slack, home, taker) as health:
        old = list(home.hub.connections)
        getattr(home.hub, end)()
        await slack.until(lambda: home.hub.connections and home.hub.connections != old)
        await ann.says(channel, "Hello")
        await slack.until(lambda: slack.quiet)

        assert health.is_ready
    assert "Hello" in taker.texts


async def test_a_cut_network_is_lost_until_it_is_there_again(slack: Slack, home: Workspace) -> None:
    async with listening(slack, home, Taker()) as health:
        slack.cut_network()
        await until(lambda: health.states["Slack 1"].how == "lost")
        slack.mend_network()
        await slack.connected()
        await until(lambda: health.is_ready)


async def test_failing_servers_are_asked_again_for_ever(slack: Slack, home: Workspace) -> None:
    async with listening(slack, home, Taker()) as health:
        slack.decide(faults.always(faults.Fate(before=faults.broken())))
        home.hub.abort()
        tries = len(slack.requests) + 5
        await slack.until(lambda: len(slack.requests) > tries)
        slack.decide(lambda _request: faults.ARRIVES)
        await slack.connected()
        await until(lambda: health.is_ready)


async def test_a_new_connection_is_asked_for_no_sooner_than_slack_says(
    slack: Slack, home: Workspace
) -> None:
    async with listening(slack, home, Taker()):
        slack.requests.clear()
        limited = faults.Fate(before=faults.limited_in_scaled_time(0.3))
        slack.decide(faults.first(1, limited, "apps.connections.open"))
        home.hub.abort()
        await slack.until(lambda: len(slack.requests) == 2)

    first, second = slack.requests
    assert second.at - first.at >= 300


async def test_socket_mode_switched_off_says_where_to_switch_it_on(
    slack: Slack, home: Workspace
) -> None:
    async with listening(slack, home, Taker()) as health:
        home.hub.enabled = False
        home.hub.disconnect("link_disabled")
        home.hub.close()
        await until(lambda: health.states["Slack 1"].how == "lost")
        await until(lambda: "Enable Socket Mode" in health.states["Slack 1"].why)

        home.hub.enabled = True
        await slack.connected()
        await until(lambda: health.is_ready)


async def test_a_token_that_is_refused_later_is_dead(slack: Slack, home: Workspace) -> None:
    health = Health()
    async with open_client(home.bot_token, slack.api_url) as client:
        socket = Socket(client, home.app_token, 1, health, QUICK)
        async with asyncio.TaskGroup() as group:
            group.create_task(socket.listen(Taker()))
            await slack.connected()
            home.token_error = "token_revoked"
            home.hub.close()

    assert health.is_dead
    assert "SLACK_APP_TOKEN" in health.states["Slack 1"].why


async def test_what_was_received_is_taken_also_at_the_end(
    slack: Slack, home: Workspace, ann: Person, channel: Channel
) -> None:
    taken: list[Json] = []
    begun, gate = asyncio.Event(), asyncio.Event()

    async def take(body: Json) -> None:
        begun.set()
        await gate.wait()
        taken.append(body)

    async with listening(slack, home, take):
        await ann.says(channel, "Hello")
        await begun.wait()
        asyncio.get_running_loop().call_later(0.05, gate.set)

    assert len(taken) == 1
    assert home.hub.connections == []


async def test_a_mistake_in_taking_is_logged_without_what_was_said(
    slack: Slack,
    home: Workspace,
    ann: Person,
    channel: Channel,
    caplog: pytest.LogCaptureFixture,
) -> None:
    async with listening(slack, home, Taker(failures=1)):
        await ann.says(channel, "my secret")
        await slack.until(lambda: slack.quiet)

    assert "Not taken: OSError('disk full')" in caplog.messages
    assert "my secret" not in caplog.text
