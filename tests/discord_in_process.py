"""Discord without a network: our requests arrive in this process, at the logic of the server on the
loopback."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from dataclasses import dataclass, field

from adapters.discord.answers import Answer, DiscordError, read_answer
from adapters.discord.api import Request
from memory.database import Clock
from tests.servers.discord.gateway import Pace
from tests.servers.discord.homes import Bot
from tests.servers.discord.inspection import MARKS
from tests.servers.discord.rates import Rates
from tests.servers.discord.realm import Realm
from tests.servers.discord.rest import RestApi, Sent
from tests.servers.discord.server import Discord
from tests.servers.faults import Json
from tests.servers.inspection import Inspector
from tests.servers.pulse import Pulse

_CUT = 599


def discord_here(clock: Clock) -> Discord:
    """One that no socket leads to, and that takes its time from this clock alone."""
    pulse, inspector = Pulse(), Inspector(MARKS)
    realm = Realm(clock, pulse, inspector)
    rates = Rates(lambda: clock() / 1000, clock)
    return Discord(RestApi(clock, pulse, realm=realm, rates=rates, inspector=inspector), Pace())


@dataclass
class LineInProcess:
    """What one bot calls, and how long the next call travels, there and back (seconds)."""

    discord: Discord
    bot: Bot
    travel: Callable[[], float] = lambda: 0.0
    calls: list[tuple[float, str, Json]] = field(default_factory=list)

    async def carry(self, request: Request, within_ms: int) -> Answer:
        try:
            async with asyncio.timeout(within_ms / 1000):
                return await self._carry(request)
        except TimeoutError as error:
            raise DiscordError("no answer", unknown=True) from error

    async def _carry(self, request: Request) -> Answer:
        address = f"{request.method} {request.path.lstrip('/').format(**request.ids)}"
        body = dict(request.body or {})
        self.calls.append((asyncio.get_running_loop().time(), request.bucket[0], body))
        await asyncio.sleep(self.travel())
        sent = Sent(address, f"Bot {self.bot.token}", dict(request.query), body)
        response = await self.discord.rest.handle(sent)
        await asyncio.sleep(self.travel())
        if response.status == _CUT:
            raise DiscordError("no answer", unknown=True)
        text = getattr(response, "text", None) or ""
        return read_answer(response.status, response.headers, text)

    @property
    def made(self) -> list[str]:
        """The calls by their routes, without what every route begins with."""
        return [name.replace("/channels/{channel_id}", "") for _, name, _ in self.calls]

    def sent(self, route: str) -> list[tuple[float, Json]]:
        """When and with what a route was called."""
        return [(at, body) for at, name, body in self.calls if name == route]
