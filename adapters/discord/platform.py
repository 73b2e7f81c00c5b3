"""Discord as a chat platform: what the gateway brings goes to the core, in order in each place."""

from __future__ import annotations

import asyncio
import logging
from collections import deque
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, replace
from functools import partial
from typing import TypeVar

from discord import Client

from adapters.chat.clock import PlatformTime
from adapters.chat.mishaps import log_not_taken
from adapters.discord import files, notices
from adapters.discord.commands import interacted
from adapters.discord.events import PLATFORM, Reader, milliseconds
from adapters.discord.gateway import Gateway
from adapters.discord.guilds import Json
from adapters.discord.interactions import Interaction
from adapters.discord.lanes import Lanes
from bot.platform import (
    Accepted,
    Edited,
    Event,
    Inbound,
    Outlet,
    Platform,
    Reception,
)
from memory.database import Clock

T = TypeVar("T")

_DISORDER_MS = 60_000  # by which clocks differ, and servers whose events come side by side

_log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class Patience:
    """Discord repeats nothing, so what cannot be written down is held here. Seconds."""

    first_pause: float = 0.5
    longest_pause: float = 15
    held: float = 600
    at_once: int = 8  # events that are written down side by side


class DiscordPlatform(Platform):
    def __init__(
        self,
        *,
        outlet: Outlet,
        gateway: Gateway,
        client: Client,
        reader: Reader,
        clock: Clock,
        patience: Patience,
    ) -> None:
        self.outlet = outlet
        self._gateway = gateway
        self._client = client
        self._reader = reader
        self._time = PlatformTime(clock)
        self._began_at: int | None = None  # UTC ms
        self._patience = patience
        self._at_once = asyncio.Semaphore(patience.at_once)
        self._interactions: deque[str] = deque(maxlen=256)  # told again when a session is resumed

    async def listen(self, reception: Reception) -> None:
        """Until it is cancelled, or Discord refuses us for good."""
        async with Lanes() as lanes:
            await self._gateway.listen(partial(self._hear, reception, lanes))

    def _hear(self, reception: Reception, lanes: Lanes, kind: str, data: Json) -> None:
        try:
            self._sort(reception, lanes, kind, data)
        except Exception as error:  # noqa: BLE001 - one event must not become another's failure
            _log.warning(
                "Not understood: %s: %r", kind, error, extra={"action": "discord.not_understood"}
            )

    def _sort(self, reception: Reception, lanes: Lanes, kind: str, data: Json) -> None:
        if "id" in data:
            self._time.note(milliseconds(data["id"]))
        self._note_connection(reception, kind)
        reader = replace(self._reader, reads_content=self._gateway.reads_content)
        if kind == "INTERACTION_CREATE":
            self._interact(reception, lanes, reader, data)
            return
        events = reader.read(kind, data, self._time.now())
        reader.guilds.learn(kind, data)
        for event in events:
            place, give_up_at = data.get("channel_id") or data.get("id") or kind, self._give_up_at()
            lanes.put(place, partial(self._accept, reception, lanes, event, give_up_at))

    def _note_connection(self, reception: Reception, kind: str) -> None:
        """A session that is taken up again has missed nothing; a new one may have missed all that
        was said after what was heard last."""
        if kind not in {"READY", "RESUMED"}:
            return
        if self._began_at is None:
            self._began_at = self._time.now()
            reception.connected(PLATFORM, None)
        else:
            heard_to = max(self._began_at, self._time.newest) - _DISORDER_MS
            reception.connected(PLATFORM, heard_to if kind == "READY" else None)

    def _interact(self, reception: Reception, lanes: Lanes, reader: Reader, data: Json) -> None:
        interaction = Interaction(self._client, data)
        if interaction.id in self._interactions:
            return
        self._interactions.append(interaction.id)
        work = partial(interacted, reception, reader, interaction, self._insist)
        lanes.put(f"interaction {interaction.id}", work)

    async def _accept(
        self, reception: Reception, lanes: Lanes, event: Event, give_up_at: float
    ) -> None:
        async def attempt() -> Accepted:
            async with self._at_once:
                return await reception.accept(event)

        accepted = await self._insist(attempt, give_up_at)
        said = event.message if isinstance(event, Edited) else event
        if accepted is not None and accepted.is_told and isinstance(said, Inbound):
            work = partial(self._tell, said, accepted)
            lanes.put(f"notice {said.message_id}", work)

    async def _tell(self, said: Inbound, accepted: Accepted) -> None:
        notice = await accepted.tell()
        if accepted.files is not None:
            await files.hand_over(self._client, said, notice, accepted.files)
        elif accepted.alone:
            await notices.tell_alone(self._client, said, notice)
        else:
            await notices.tell(self._client, said.address, notice)

    def _give_up_at(self) -> float:
        return asyncio.get_running_loop().time() + self._patience.held

    async def _insist(
        self, attempt: Callable[[], Awaitable[T]], give_up_at: float | None = None
    ) -> T | None:
        """Again and again while it fails, as it does while the database is away; None: it was
        held so long that it is given up."""
        until, pause = give_up_at or self._give_up_at(), self._patience.first_pause
        while True:
            try:
                return await attempt()
            except Exception as error:  # noqa: BLE001 - an incoming event, which would be lost
                if asyncio.get_running_loop().time() >= until:
                    _log.exception("Given up", extra={"action": "discord.given_up"})
                    return None
                log_not_taken(_log, error, "discord.not_taken")
            await asyncio.sleep(pause)
            pause = min(2 * pause, self._patience.longest_pause)
