"""All of Slack in this process, as a test holds it."""

from __future__ import annotations

import hashlib
import itertools
from collections.abc import AsyncIterator, Callable, Iterable, Mapping
from contextlib import asynccontextmanager
from typing import TypeVar

from aiohttp import web
from aiohttp.typedefs import Handler

from memory.database import Clock, wall_clock
from tests.servers.exchange import cut
from tests.servers.pulse import Pulse
from tests.servers.slack.faults import Fates, Request
from tests.servers.slack.people import Workspace
from tests.servers.slack.rates import Tier
from tests.servers.slack.socket import Delivery, Hub, Pace
from tests.servers.slack.web import WebApi
from tests.servers.slack.world import Message, Profile

T = TypeVar("T")


class Slack:
    """Workspaces, the Web API and the sockets.

    `checked` has a sentence for each thing that the app sent and should not have.
    """

    def __init__(self, web_api: WebApi, pace: Pace, pulse: Pulse) -> None:
        self.web_api = web_api
        self.pace = pace
        self.pulse = pulse
        self._numbers = itertools.count(1)

    # What there is

    @property
    def api_url(self) -> str:
        return self.web_api.base_url

    @property
    def workspaces(self) -> list[Workspace]:
        return self.web_api.workspaces

    @property
    def requests(self) -> list[Request]:
        return self.web_api.requests

    @property
    def checked(self) -> list[str]:
        return self.web_api.inspector.found

    @property
    def deliveries(self) -> list[Delivery]:
        """All that the app was told, in the order in which it happened in each workspace."""
        return [each for home in self.workspaces for each in home.hub.deliveries]

    def environment(self) -> dict[str, str]:
        """What a worker needs to come here."""
        return {
            "SLACK_API_URL": self.api_url,
            "SLACK_BOT_TOKEN": ",".join(each.bot_token for each in self.workspaces),
            "SLACK_APP_TOKEN": ",".join(each.app_token for each in self.workspaces),
        }

    def workspace(self, name: str = "acme") -> Workspace:
        """A new one, in which the app is installed."""
        team, app = self.new_id("T"), self.new_id("A")
        user, number = self.new_id("U"), self.new_id("B")
        bot = Profile(user, "nimbus", "bot", team, bot_id=number)
        bot_token, app_token = f"xoxb-{_secret(team)}", f"xapp-1-{app}-{_secret(app)}"
        inspector = self.web_api.inspector
        inspector.secrets |= {bot_token, app_token}
        home = Workspace(
            name,
            Hub(app, self.pace, self.pulse),
            self.web_api.clock,
            self.new_id,
            inspector,
            self.api_url.removesuffix("api/"),
            *(team, bot, bot_token, app_token),
        )
        self.workspaces.append(home)
        return home

    def new_id(self, prefix: str) -> str:
        made = f"{prefix}0{next(self._numbers):09d}"
        self.web_api.inspector.ids.add(made)
        return made

    # What arrives

    @web.middleware
    async def gate(self, request: web.Request, handler: Handler) -> web.StreamResponse:
        return cut(request) if self.web_api.down else await handler(request)

    async def link(self, request: web.Request) -> web.StreamResponse:
        app = request.query.get("app_id", "")
        home = next((each for each in self.workspaces if each.hub.app_id == app), None)
        if home is None:
            raise web.HTTPForbidden(text="no such app")
        return await home.hub.connect(request)

    # Waiting

    async def until(self, happened: Callable[[], T], seconds: float = 10) -> T:
        """What `happened` returns once it is true; it is asked whenever anything happens here."""
        try:
            return await self.pulse.until(happened, seconds)
        except TimeoutError:
            raise TimeoutError(self.story()) from None

    async def connected(self, number: int = 1) -> None:
        """Until every workspace's app has so many connections."""
        await self.until(
            lambda: all(len(home.hub.connections) >= number for home in self.workspaces)
        )

    @property
    def quiet(self) -> bool:
        """Nothing waits for an acknowledgement, no request for its answer, nothing is going on."""
        return (
            all(each.settled for each in self.deliveries)
            and all(each.status for each in self.requests)
            and not any(home.statuses() for home in self.workspaces)
        )

    # Faults

    def decide(self, fates: Fates) -> None:
        """The fate of every request from now on."""
        self.web_api.fate = fates

    def limit(self, tiers: Mapping[str, Tier]) -> None:
        self.web_api.rates.tiers = tiers

    def cut_network(self) -> None:
        """Nothing comes through any more, and what is open breaks."""
        self.web_api.down = True
        for home in self.workspaces:
            home.hub.abort()

    def mend_network(self) -> None:
        self.web_api.down = False

    def hold(self) -> None:
        """Events happen, but the app is told of none until they are released."""
        for home in self.workspaces:
            home.hub.held = []

    async def release(self, *deliveries: Delivery) -> None:
        """These, in this order, while the rest stays; the rest when none is named."""
        for home in self.workspaces:
            held = home.hub.held or []
            for delivery in [each for each in deliveries or list(held) if each in held]:
                held.remove(delivery)
                home.hub.send(delivery)
            if not deliveries:
                home.hub.held = None

    def about(self, message: Message) -> list[Delivery]:
        """The events of a message: itself, its twin, its changes."""
        return [
            each
            for each in self.deliveries
            if each.event.get("channel") == message.channel and message.ts in _named(each)
        ]

    async def again(self, *deliveries: Delivery) -> None:
        """Slack sends these once more, though they were acknowledged."""
        for delivery in deliveries:
            home = next(each for each in self.workspaces if delivery in each.hub.deliveries)
            delivery.acked = False
            home.hub.send(delivery)

    def story(self) -> str:
        """What happened last, for whoever reads a failure."""
        lines = [f"{each.method} {each.status} {each.error}" for each in self.requests[-12:]]
        for home in self.workspaces:
            lines.append(f"{home.name}: {len(home.hub.connections)} connections")
            for channel in home.channels.values():
                lines += [f"#{channel.name} {each.text[:100]}" for each in channel.messages[-6:]]
            open_ones = [each for each in home.hub.deliveries if not each.settled]
            lines += [f"unacknowledged: {each.kind} {each.event}" for each in open_ones]
        return "\n".join(["it did not happen; lately:", *lines])


def _secret(of: str) -> str:
    """The same in each run, so that a worker that is started anew fits."""
    return hashlib.sha256(of.encode()).hexdigest()[:24]


def _named(delivery: Delivery) -> set[object]:
    event = delivery.event
    return {event.get("ts"), event.get("deleted_ts"), event.get("message", {}).get("ts")}


@asynccontextmanager
async def serving(
    *,
    clock: Clock = wall_clock,
    pace: Pace | None = None,
    port: int = 0,
    pages: Callable[[Slack], Iterable[web.RouteDef]] = lambda _slack: (),
    strict: bool = True,
) -> AsyncIterator[Slack]:
    """Slack, without any workspace yet. When it is `strict` it fails in the end if the app sent
    what no person may ever read."""
    pulse = Pulse()
    slack = Slack(WebApi(clock, pulse), pace or Pace(), pulse)
    app = web.Application(client_max_size=16 * 1024**2, middlewares=[slack.gate])
    app.router.add_route("*", "/api/{method}", slack.web_api.call)
    app.router.add_post("/response/{key}", slack.web_api.respond)
    app.router.add_post("/upload/{key}", slack.web_api.upload)
    app.router.add_get("/link/", slack.link)
    app.router.add_routes(pages(slack))
    runner = web.AppRunner(app, access_log=None, shutdown_timeout=0.5)
    await runner.setup()
    try:
        await web.TCPSite(runner, "127.0.0.1", port).start()
        slack.web_api.base_url = f"http://127.0.0.1:{runner.addresses[0][1]}/api/"
        yield slack
        assert not (strict and slack.checked), slack.checked
    finally:
        for home in slack.workspaces:
            home.hub.stop()
        await runner.cleanup()
