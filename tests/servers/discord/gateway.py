"""The gateway: connections, sessions that outlive them, and what is told again on RESUME."""

from __future__ import annotations

import secrets
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from enum import IntEnum, IntFlag
from typing import Literal

from tests.servers.connections import Connection
from tests.servers.discord.world import Application, Json
from tests.servers.pulse import Pulse


class Op(IntEnum):
    DISPATCH = 0
    HEARTBEAT = 1
    IDENTIFY = 2
    PRESENCE = 3
    RESUME = 6
    RECONNECT = 7
    REQUEST_MEMBERS = 8
    INVALID_SESSION = 9
    HELLO = 10
    ACKNOWLEDGED = 11


class Intent(IntFlag):
    NONE = 0
    GUILDS = 1 << 0
    MEMBERS = 1 << 1
    PRESENCES = 1 << 8
    GUILD_MESSAGES = 1 << 9
    DIRECT_MESSAGES = 1 << 12
    MESSAGE_CONTENT = 1 << 15


KNOWN_INTENTS = (1 << 17) - 1 | 1 << 20 | 1 << 21 | 1 << 24 | 1 << 25
PRIVILEGED = Intent.MEMBERS | Intent.PRESENCES | Intent.MESSAGE_CONTENT
UNKNOWN_OP, GARBLED, NOT_IDENTIFIED, BAD_TOKEN, IDENTIFIED_TWICE = range(4001, 4006)
WRONG_SEQUENCE, WRONG_SHARD, WRONG_INTENTS, FORBIDDEN_INTENTS = 4007, 4010, 4013, 4014
ENDING_CODES = {1000, 1001}  # with which a client says that it will not come back

Moment = Literal["sent"]


@dataclass(slots=True)
class Pace:
    """How often a client is asked to show that it is there."""

    heartbeat_seconds: float = 41.25


@dataclass(eq=False, slots=True)
class Delivery:
    """Something a bot is told. `filtered` is what it hears without the Message Content intent.

    `sent` counts the sessions that were told, each time that they were.
    """

    name: str
    payload: Json
    intent: Intent = Intent.NONE
    guild: str = ""
    filtered: Json | None = None
    sent: int = 0


@dataclass(eq=False, slots=True)
class Session:
    """What one IDENTIFY began. All that was told in it is kept, so that it can be told again."""

    intents: int
    shard: tuple[int, int]
    id: str = field(default_factory=lambda: secrets.token_hex(16))
    told: list[Json] = field(default_factory=list)
    connection: Connection | None = None

    def tell(self, name: str, payload: Json) -> None:
        frame = {"op": Op.DISPATCH, "t": name, "s": len(self.told) + 1, "d": payload}
        self.told.append(frame)
        if self.connection is not None:
            self.connection.send(frame)

    def hears(self, delivery: Delivery) -> bool:
        index, count = self.shard
        mine = (int(delivery.guild or 0) >> 22) % count == index
        return mine and self.intents & delivery.intent == delivery.intent


Opening = Callable[[Session], Iterable[tuple[str, Json]]]


class Hub:
    """All sessions of one bot; each of the same shard hears everything.

    `opening` gives what a new session is told first. `watch` is told when a payload is on its way.
    """

    def __init__(self, app: Application, opening: Opening, pace: Pace, pulse: Pulse) -> None:
        self.app = app
        self.pace = pace
        self.pulse = pulse
        self.sessions: dict[str, Session] = {}
        self.connections: list[Connection] = []
        self.deliveries: list[Delivery] = []
        self.held: list[Delivery] | None = None  # kept back while it is a list
        self.identifies = 0
        self.resumes = 0
        self.heartbeats = 0
        self.watch: Callable[[Delivery, Moment], object] = lambda _delivery, _moment: None
        self._opening = opening

    @property
    def ready(self) -> list[Session]:
        """Those that hear at once what happens."""
        return [each for each in self.sessions.values() if each.connection is not None]

    # Deliveries

    def deliver(self, delivery: Delivery) -> None:
        self.deliveries.append(delivery)
        if self.held is not None:
            self.held.append(delivery)
            self.pulse.beat()
        else:
            self.send(delivery)

    def send(self, delivery: Delivery) -> None:
        """To every session that asked for such, whether it was sent before or not."""
        for session in self.sessions.values():
            if session.hears(delivery):
                whole = delivery.filtered is None or session.intents & Intent.MESSAGE_CONTENT
                payload = delivery.payload if whole else delivery.filtered
                session.tell(delivery.name, payload or {})
                delivery.sent += 1
        self.watch(delivery, "sent")
        self.pulse.beat()

    def garble(self, name: str = "MESSAGE_CREATE", payload: Json | None = None) -> None:
        """Tell something that no library can read."""
        for session in self.ready:
            session.tell(name, payload or {"garbled": True})

    # Connections that break

    def reconnect(self) -> None:
        """Ask every client to come back and resume."""
        self._send({"op": Op.RECONNECT, "d": None})

    def invalidate(self, *, resumable: bool = False) -> None:
        if not resumable:
            self.sessions.clear()
        self._send({"op": Op.INVALID_SESSION, "d": resumable})

    def forget_sessions(self) -> None:
        """Without a word: the next RESUME is told that there is nothing to resume."""
        self.sessions.clear()

    def close(self, code: int = 4000) -> None:
        for connection in self.connections:
            connection.close(code)

    def abort(self) -> None:
        """As when a cable is pulled."""
        for connection in self.connections:
            connection.abort()

    def freeze(self) -> None:
        for connection in self.connections:
            connection.freeze()

    def deafen(self) -> None:
        """From now on nothing comes through the connections of today, which stay open."""
        for connection in self.connections:
            connection.dead = True

    def _send(self, frame: Json) -> None:
        for connection in self.connections:
            connection.send(frame)

    # What clients say of themselves; a number is the code with which the connection is closed

    def identify(self, connection: Connection, said: Json) -> Session | int:
        intents, shard = said.get("intents"), said.get("shard", [0, 1])
        if not isinstance(intents, int) or intents & ~KNOWN_INTENTS:
            return WRONG_INTENTS
        if not 0 <= shard[0] < shard[1]:
            return WRONG_SHARD
        allowed = Intent.MESSAGE_CONTENT if self.app.content_allowed else Intent.NONE
        allowed |= Intent.MEMBERS if self.app.members_allowed else Intent.NONE
        if intents & PRIVILEGED & ~allowed:
            return FORBIDDEN_INTENTS
        self.identifies += 1
        session = Session(intents, (shard[0], shard[1]), connection=connection)
        self.sessions[session.id] = session
        for name, payload in self._opening(session):
            session.tell(name, payload)
        self._connected(connection)
        return session

    def resume(self, connection: Connection, said: Json) -> Session | int | None:
        """None when there is nothing to resume."""
        session = self.sessions.get(said["session_id"])
        if session is None:
            return None
        if said["seq"] > len(session.told):
            return WRONG_SEQUENCE
        self.resumes += 1
        if session.connection is not None:  # which the client had given up
            session.connection.close(4000)
        session.connection = connection
        for frame in session.told[said["seq"] :]:
            connection.send(frame)
        session.tell("RESUMED", {"_trace": []})
        self._connected(connection)
        return session

    def beat(self) -> None:
        self.heartbeats += 1
        self.pulse.beat()

    def left(self, connection: Connection, session: Session) -> None:
        """A session ends with its connection only if the client said good-bye."""
        if connection in self.connections:
            self.connections.remove(connection)
        if session.connection is connection:
            session.connection = None
            if connection.close_code in ENDING_CODES:
                self.sessions.pop(session.id, None)
        self.pulse.beat()

    def _connected(self, connection: Connection) -> None:
        self.connections.append(connection)
        self.pulse.beat()
