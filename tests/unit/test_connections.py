"""What a platform tells of its connections: since when something may have been missed."""

from __future__ import annotations

from collections.abc import Sequence

import pytest
from discord import Client, Intents

from adapters.discord.events import Reader
from adapters.discord.gateway import Gateway, Hear
from adapters.discord.guilds import Json
from adapters.discord.outlet import DiscordOutlet
from adapters.discord.platform import DiscordPlatform, Patience
from adapters.slack.outlet import SlackOutlet
from adapters.slack.platform import SlackPlatform
from adapters.slack.socket import Connected, Socket, Take, unheard
from bot.platform import Accepted, Answer, Called, Event, Reception
from memory.database import wall_clock
from memory.keys import PersonKey
from tests.discord_in_process import LineInProcess, discord_here
from tests.fakes import FakeClock

NOW = 1_796_000_000_000
MINUTE = 60_000


class Desk(Reception):
    """Notes connections, and is brought nothing else."""

    def __init__(self) -> None:
        self.connections: list[tuple[str, int | None]] = []

    @property
    def name(self) -> str:
        return "Nimbus"

    def connected(self, platform: str, since: int | None) -> None:
        self.connections.append((platform, since))

    async def accept(self, event: Event) -> Accepted:
        raise NotImplementedError

    async def command(self, called: Called, *, confirmed: bool = False) -> Answer:
        raise NotImplementedError

    async def is_news(self, what: str, person: PersonKey) -> bool:
        raise NotImplementedError


class Connecting(Socket):
    """Is connected again and again: each time after so many milliseconds without."""

    def __init__(self, *lost: int) -> None:
        self._lost = lost

    async def listen(self, take: Take, connected: Connected = unheard) -> None:
        del take
        for each in self._lost:
            connected(wall_clock() - each)


class Telling(Gateway):
    """Hands on what it is given."""

    def __init__(self, told: Sequence[tuple[str, Json]], clock: FakeClock) -> None:
        self.reads_content = True
        self._told = told
        self._clock = clock

    async def listen(self, hear: Hear) -> None:
        for kind, data in self._told:
            hear(kind, data)
            self._clock.advance(MINUTE)


async def heard_on_discord(*told: tuple[str, Json]) -> list[int | None]:
    clock, desk = FakeClock(NOW), Desk()
    discord = discord_here(clock)
    bot = discord.bot()
    reader = Reader(bot.id)
    platform = DiscordPlatform(
        outlet=DiscordOutlet(LineInProcess(discord, bot), reader, clock),
        gateway=Telling(told, clock),
        client=Client(intents=Intents.none()),
        reader=reader,
        clock=clock,
        patience=Patience(),
    )
    await platform.listen(desk)
    assert {platform for platform, _ in desk.connections} == {"discord"}
    return [since for _, since in desk.connections]


READY: tuple[str, Json] = ("READY", {"session_id": "s"})


async def test_a_session_of_discord_that_is_resumed_has_missed_nothing() -> None:
    assert await heard_on_discord(READY, ("RESUMED", {})) == [None, None]


async def test_a_new_session_of_discord_may_have_missed_what_came_after_the_last_event() -> None:
    said_at = NOW + 40 * MINUTE
    event = ("CHANNEL_UPDATE", {"id": str((said_at - 1_420_070_400_000) << 22), "type": 0})
    event[1]["guild_id"] = "1"

    assert await heard_on_discord(READY, READY, event, READY) == [
        *(None, NOW - MINUTE, said_at - MINUTE)
    ]


@pytest.mark.parametrize(("lost", "is_long"), [(0, False), (59_000, False), (61_000, True)])
async def test_only_a_long_silence_of_slack_may_have_lost_something(
    lost: int, *, is_long: bool
) -> None:
    desk, outlet = Desk(), SlackOutlet([])
    before = wall_clock() - lost - MINUTE
    await SlackPlatform(outlet, [Connecting(lost)], [], knows_guests=True).listen(desk)

    [(platform, since)] = desk.connections
    assert platform == "slack"
    assert (since is not None) is is_long
    assert since is None or before <= since <= wall_clock() - lost - MINUTE
