"""All of Discord in this process, as a test holds it."""

from __future__ import annotations

import asyncio
import base64
import hashlib
from collections.abc import AsyncIterator, Callable, Iterable, Mapping
from contextlib import asynccontextmanager
from typing import TypeVar

from aiohttp import web
from aiohttp.typedefs import Handler

from memory.database import Clock, wall_clock
from tests.servers.discord import guilds, talk
from tests.servers.discord.gateway import Delivery, Hub, Pace
from tests.servers.discord.homes import Bot, Server
from tests.servers.discord.inspection import MARKS
from tests.servers.discord.people import Person
from tests.servers.discord.rates import Limit, Rates
from tests.servers.discord.realm import Realm
from tests.servers.discord.rest import RestApi
from tests.servers.discord.world import Application, Channel, Message, User
from tests.servers.exchange import cut
from tests.servers.faults import Fates, Request
from tests.servers.inspection import Inspector
from tests.servers.pulse import Pulse

T = TypeVar("T")


class Discord:
    """Servers, people, bots, REST and the gateway.

    `checked` has a sentence for each thing that a bot sent and should not have.
    """

    def __init__(self, rest: RestApi, pace: Pace) -> None:
        self.rest = rest
        self.realm = rest.realm
        self.pace = pace
        self.pulse = rest.pulse
        self.bots: list[Bot] = []
        self.servers: list[Server] = []
        self.gateway_open = True  # or it takes no new connections

    # What there is

    @property
    def api_url(self) -> str:
        return self.rest.base_url

    @property
    def requests(self) -> list[Request]:
        return self.rest.requests

    @property
    def invalid(self) -> int:
        """Answers of which ten thousand in ten minutes get an address banned."""
        return sum(each.status in {401, 403, 429} for each in self.requests)

    @property
    def checked(self) -> list[str]:
        return self.rest.inspector.found

    @property
    def deliveries(self) -> list[Delivery]:
        """All that bots were told, of each in the order in which it happened."""
        return [each for bot in self.bots for each in bot.hub.deliveries]

    def environment(self) -> dict[str, str]:
        """What a worker needs to come here as the first bot."""
        return {"DISCORD_API_URL": self.api_url, "DISCORD_TOKEN": self.bots[0].token}

    def bot(self, name: str = "nimbus", *, content: bool = True) -> Bot:
        """A new one; `content` is the switch of the Message Content intent."""
        user, developer = self._user(name, bot=True), self._user(f"{name}'s developer")
        token = _token(user.id)
        self.rest.inspector.secrets.add(token)
        app = Application(
            user.id, name, user, token, hashlib.sha256(b"key").hexdigest(), developer.id
        )
        app.content_allowed = content
        hub = Hub(app, self.realm.opening(app), self.pace, self.pulse)
        self.realm.hubs[app.id] = hub
        one = Bot(app, hub, self.realm)
        self.bots.append(one)
        return one

    def guild(self, name: str = "acme", *bots: Bot) -> Server:
        """A new server, with these bots, owned by somebody who never says anything."""
        guild = guilds.create(self.realm, name, self._user(f"{name}'s owner"))
        one = Server(guild, self.realm)
        self.servers.append(one)
        for each in bots:
            one.invite(each)
        return one

    def person(self, name: str, *servers: Server) -> Person:
        """Somebody new, member of these servers."""
        one = Person(self._user(name), self.realm)
        for each in servers:
            each.admit(one)
        return one

    def _user(self, name: str, *, bot: bool = False) -> User:
        one = User(self.realm.ids.next(), name, bot=bot)
        self.realm.users[one.id] = one
        return one

    # What arrives

    @web.middleware
    async def gate(self, request: web.Request, handler: Handler) -> web.StreamResponse:
        return cut(request) if self.rest.down else await handler(request)

    async def connect(self, request: web.Request) -> web.StreamResponse:
        if not self.gateway_open:
            raise web.HTTPServiceUnavailable

        def find(token: str) -> Hub | None:
            return next((each.hub for each in self.bots if each.token == token), None)

        return await talk.converse(request, find, self.pace)

    async def file(self, request: web.Request) -> web.Response:
        data = self.realm.files.get(request.match_info["path"])
        return web.Response(status=404) if data is None else web.Response(body=data)

    # Waiting

    async def until(self, happened: Callable[[], T], seconds: float = 10) -> T:
        """What `happened` returns once it is true; it is asked whenever anything happens here."""
        try:
            return await self.pulse.until(happened, seconds)
        except TimeoutError:
            raise TimeoutError(self.story()) from None

    async def connected(self, number: int = 1) -> None:
        """Until every bot has so many sessions that hear what happens."""
        await self.until(lambda: all(len(each.hub.ready) >= number for each in self.bots))

    @property
    def typing(self) -> list[tuple[str, str]]:
        """Everywhere where a bot is seen to type: channel, bot."""
        now, bots = self.realm.clock(), {each.id for each in self.bots}
        return [
            (channel.id, user)
            for channel in self.realm.channels()
            for user in sorted(channel.typists(now) & bots)
        ]

    @property
    def quiet(self) -> bool:
        """No request waits for its answer, nobody who pressed something does, no bot types."""
        now = self.realm.clock()
        settled = all(each.is_settled(now) for each in self.realm.interactions.values())
        return settled and all(each.status for each in self.requests) and not self.typing

    # Faults

    def decide(self, fates: Fates) -> None:
        """The fate of every request from now on."""
        self.rest.fate = fates

    def limit(self, limits: Mapping[str, Limit], everywhere: Limit | None = None) -> None:
        self.rest.rates.limits, self.rest.rates.everywhere = limits, everywhere

    def cut_network(self) -> None:
        """Nothing comes through any more, and what is open breaks."""
        self.rest.down = True
        for bot in self.bots:
            bot.hub.abort()

    def mend_network(self) -> None:
        self.rest.down = False

    def hold(self) -> None:
        """Events happen, but bots are told of none until they are released."""
        for bot in self.bots:
            bot.hub.held = []

    async def release(self, *deliveries: Delivery) -> None:
        """These, in this order, while the rest stays; the rest when none is named."""
        for bot in self.bots:
            held = bot.hub.held or []
            for delivery in [each for each in deliveries or list(held) if each in held]:
                held.remove(delivery)
                bot.hub.send(delivery)
            if not deliveries:
                bot.hub.held = None

    def about(self, message: Message) -> list[Delivery]:
        """The events of a message: itself, its changes, its end."""
        return [each for each in self.deliveries if message.id in _named(each)]

    async def again(self, *deliveries: Delivery) -> None:
        """Discord tells these once more."""
        for delivery in deliveries:
            bot = next(each for each in self.bots if delivery in each.hub.deliveries)
            bot.hub.send(delivery)

    def story(self) -> str:
        """What happened last, for whoever reads a failure."""
        lines = [f"{each.method} {each.status} {each.error}" for each in self.requests[-12:]]
        for bot in self.bots:
            told = [each.name for each in bot.hub.deliveries[-6:]]
            lines.append(f"{bot.app.name}: {len(bot.hub.ready)} sessions, told {told}")
        for channel in self.realm.channels():
            lines += [_line(channel, each) for each in channel.messages[-6:]]
        return "\n".join(["it did not happen; lately:", *lines])


def _line(channel: Channel, message: Message) -> str:
    where = channel.name or "direct"
    return f"#{where} {message.author.name}: {message.content[:100]}"


def _named(delivery: Delivery) -> set[object]:
    payload = delivery.payload
    if not delivery.name.startswith("MESSAGE"):
        return set()
    return {payload.get("id"), *payload.get("ids", [])}


def _token(user: str) -> str:
    """As they look: the first part tells whose it is."""
    first = base64.urlsafe_b64encode(user.encode()).decode().rstrip("=")
    rest = base64.urlsafe_b64encode(hashlib.sha256(user.encode()).digest()).decode()
    return f"{first}.{rest[:6]}.{rest[6:43].rstrip('=')}"


@asynccontextmanager
async def serving(
    *,
    clock: Clock = wall_clock,
    pace: Pace | None = None,
    port: int = 0,
    pages: Callable[[Discord], Iterable[web.RouteDef]] = lambda _discord: (),
    strict: bool = True,
) -> AsyncIterator[Discord]:
    """Discord, without anybody yet. When it is `strict` it fails in the end if a bot sent what no
    person may ever read, or called somebody."""
    pulse, pace = Pulse(), pace or Pace()
    inspector = Inspector(MARKS)
    realm = Realm(clock, pulse, inspector)
    rates = Rates(asyncio.get_running_loop().time, clock)
    rest = RestApi(clock, pulse, realm=realm, rates=rates, inspector=inspector)
    discord = Discord(rest, pace)
    app = web.Application(client_max_size=26 * 1024**2, middlewares=[discord.gate])
    app.router.add_route("*", "/api/v10/{address:.*}", rest.call)
    app.router.add_get("/gateway/", discord.connect)
    app.router.add_get("/attachments/{path:.*}", discord.file)
    app.router.add_routes(pages(discord))
    runner = web.AppRunner(app, access_log=None, shutdown_timeout=0.5)
    await runner.setup()
    try:
        await web.TCPSite(runner, "127.0.0.1", port).start()
        here = f"127.0.0.1:{runner.addresses[0][1]}"
        rest.base_url = f"http://{here}/api/v10"
        realm.gateway_url, realm.files_url = f"ws://{here}/gateway/", f"http://{here}/attachments/"
        yield discord
        assert not (strict and discord.checked), discord.checked
    finally:
        for bot in discord.bots:
            bot.hub.close(1001)
        await runner.cleanup()
