"""The gateway: discord.py keeps one connection up, and hands on each event as it came."""

from __future__ import annotations

import asyncio
import json
import logging
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from discord import (
    Client,
    ConnectionClosed,
    Intents,
    LoginFailure,
    PrivilegedIntentsRequired,
)
from discord.gateway import DiscordWebSocket
from yarl import URL

from adapters.discord.answers import DiscordError
from adapters.discord.checks import INTENT_OFF, NAME, TOKEN_REFUSED, why_closed
from adapters.discord.guilds import Json
from adapters.discord.web import asked, new_client
from bot.health import Health

Hear = Callable[[str, Json], None]
"""Takes each event in its order; must not raise, and does not wait."""

_log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class Pace:
    """Seconds. `patience`: what discord.py gets to take up a broken session again; `steady`: a
    connection that held so long was a good one."""

    silence: float = 60
    patience: float = 90
    steady: float = 60
    first_pause: float = 1
    longest_pause: float = 120  # Discord allows 1,000 new sessions a day


class Gateway:
    """discord.py resumes a session that broke. What it does not survive (a payload that it cannot
    read, a session that is over) begins anew here."""

    def __init__(self, token: str, health: Health, pace: Pace, *, reads_content: bool) -> None:
        self.reads_content = reads_content
        self._token = token
        self._health = health
        self._pace = pace

    async def listen(self, hear: Hear) -> None:
        """Until it is cancelled, or Discord refuses us for good."""
        pause, clock = self._pace.first_pause, asyncio.get_running_loop().time
        self._health.note(NAME, "connecting")
        while True:
            began = clock()
            try:
                why = await self._live(hear)
            except PrivilegedIntentsRequired:
                self.reads_content = False
                _log.warning("%s", INTENT_OFF, extra={"action": "discord.no_content"})
                continue
            except Exception as error:  # noqa: BLE001 - whatever a payload makes discord.py raise
                refused = _refused(error)
                if refused:
                    self._health.note(NAME, "dead", refused)
                    return
                why = str(error) if isinstance(error, DiscordError) else repr(error)
            self._health.note(NAME, "lost", why or "the connection broke")
            if clock() - began > self._pace.steady:
                pause = self._pace.first_pause
            await asyncio.sleep(pause)
            pause = min(2 * pause, self._pace.longest_pause)

    async def _live(self, hear: Hear) -> str:
        """One session from its beginning to its end; why it ended."""
        client = new_client(_intents(self.reads_content), silence=self._pace.silence)
        # No event is read by discord.py: one that it cannot read would end the connection, and
        # again each time that it is told, for good.
        client._connection.parsers.clear()  # noqa: SLF001 - there is no other way to say so
        try:
            await asked(client.login(self._token))
            await self._find(client)
            async with asyncio.timeout(self._pace.patience) as patience:
                self._wire(client, hear, patience)
                await client.connect()
        except TimeoutError:
            return "no connection"
        else:
            return ""
        finally:
            await client.close()

    async def _find(self, client: Client) -> None:
        """Where the gateway is, and whether another session may begin."""
        _, url, sessions = await asked(client.http.get_bot_gateway())
        DiscordWebSocket.DEFAULT_GATEWAY = URL(url)
        if not sessions["remaining"]:
            self._health.note(NAME, "lost", "Discord allows no more sessions today")
            await asyncio.sleep(sessions["reset_after"] / 1000)

    def _wire(self, client: Client, hear: Hear, patience: asyncio.Timeout) -> None:
        """discord.py starts what handles an event in the order of the events, and as that never
        waits, it ends in this order, too."""

        @client.event
        async def on_socket_raw_receive(frame: str) -> None:
            told: dict[str, Any] = json.loads(frame)
            kind, data = told.get("t"), told.get("d")
            if kind in {"READY", "RESUMED"}:
                patience.reschedule(None)
                self._health.note(NAME, "connected")
            if kind and isinstance(data, dict):
                hear(kind, data)

        @client.event
        async def on_disconnect() -> None:
            self._health.note(NAME, "lost", "the connection broke")
            patience.reschedule(asyncio.get_running_loop().time() + self._pace.patience)


def _refused(error: Exception) -> str:
    """Why it is of no use to try again; empty when it is."""
    match error:
        case LoginFailure():
            return TOKEN_REFUSED
        case ConnectionClosed():
            return why_closed(error.code)
        case _:
            return ""


def _intents(reads_content: bool) -> Intents:  # noqa: FBT001 - there is only one
    return Intents(
        guilds=True, guild_messages=True, dm_messages=True, message_content=reads_content
    )
