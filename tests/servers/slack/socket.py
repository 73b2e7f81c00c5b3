"""Socket Mode: connections, envelopes, acknowledgements, and what was not acknowledged again."""

from __future__ import annotations

import asyncio
import itertools
import json
import uuid
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Literal

from aiohttp import web

from tests.servers.connections import Connection
from tests.servers.pulse import Pulse
from tests.servers.slack.world import Json

Kind = Literal["events_api", "slash_commands", "interactive"]
Moment = Literal["sent", "acked"]
Reason = Literal["warning", "refresh_requested", "link_disabled", "too_many_websockets"]
MOST_CONNECTIONS = 10


@dataclass(slots=True)
class Pace:
    """How long Slack waits for an acknowledgement, and before each further attempt."""

    ack_seconds: float = 3.0
    retry_after: Sequence[float] = (0.0, 60.0, 300.0)


@dataclass(eq=False, slots=True)
class Delivery:
    """Something the app is told. An event comes again, in a new envelope, until acknowledged."""

    kind: Kind
    payload: Json
    on_ack: Callable[[Json], None] = lambda _payload: None
    on_failure: Callable[[str], None] = lambda _error: None
    envelopes: list[str] = field(default_factory=list)
    acked: bool = False
    late: bool = False  # acknowledged, but after the time for it
    lost: bool = False  # given up on
    timer: asyncio.TimerHandle | None = None

    @property
    def event(self) -> Json:
        """Of an event; empty for others."""
        event: Json = self.payload.get("event", {})
        return event

    @property
    def settled(self) -> bool:
        return self.acked or self.lost


class Hub:
    """All connections of one app. Each payload goes to one of them, which `route` picks.

    `watch` is told when a payload is on its way, and when it was acknowledged.
    """

    def __init__(self, app_id: str, pace: Pace, pulse: Pulse) -> None:
        self.app_id = app_id
        self.pace = pace
        self.pulse = pulse
        self.enabled = True  # Socket Mode, in the app's settings
        self.connections: list[Connection] = []
        self.deliveries: list[Delivery] = []
        self.held: list[Delivery] | None = None  # kept back while it is a list
        self.strange_acks: list[Json] = []
        self.route: Callable[[Sequence[Connection]], Connection] = self._in_turns
        self.watch: Callable[[Delivery, Moment], object] = lambda _delivery, _moment: None
        self._tickets: set[str] = set()
        self._turns = itertools.count()
        self._out: dict[str, Delivery] = {}

    # Connections

    def ticket(self) -> str:
        """For one connection."""
        ticket = str(uuid.uuid4())
        self._tickets.add(ticket)
        return ticket

    async def connect(self, request: web.Request) -> web.StreamResponse:
        ticket = request.query.get("ticket", "")
        if ticket not in self._tickets:
            raise web.HTTPForbidden(text="this URL was used already")
        socket = web.WebSocketResponse(autoping=False)
        await socket.prepare(request)
        self._tickets.discard(ticket)
        connection = Connection(socket, request.transport)
        if len(self.connections) >= MOST_CONNECTIONS:
            connection.send(_farewell("too_many_websockets"))
            connection.close()
        else:
            self.connections.append(connection)
            connection.send(self._hello())
        self.pulse.beat()
        try:
            await connection.run(self._hear)
        finally:
            if connection in self.connections:
                self.connections.remove(connection)
            self.pulse.beat()
        return socket

    def disconnect(self, reason: Reason = "refresh_requested") -> None:
        """Ask every connection to go; each stays open until it does."""
        for connection in self.connections:
            connection.send(_farewell(reason))

    def close(self) -> None:
        for connection in self.connections:
            connection.close()

    def abort(self) -> None:
        for connection in self.connections:
            connection.abort()

    def deafen(self) -> None:
        """From now on nothing comes through the connections of today, which stay open."""
        for connection in self.connections:
            connection.dead = True

    def haunt(self) -> None:
        """What a killed process leaves behind: a connection that swallows its share of events."""
        self.connections.append(Connection())

    # Deliveries

    def deliver(self, delivery: Delivery) -> None:
        self.deliveries.append(delivery)
        if self.held is not None:
            self.held.append(delivery)
            self.pulse.beat()
        else:
            self.send(delivery)

    def send(self, delivery: Delivery) -> None:
        """In a new envelope, whether it was acknowledged before or not."""
        self.forget_timer(delivery)
        envelope = str(uuid.uuid4())
        delivery.envelopes.append(envelope)
        self._out[envelope] = delivery
        self.pulse.beat()
        if not self.connections:
            self._failed(delivery, "dispatch_failed")
            return
        connection = self.route(self.connections)
        connection.send(_envelope(delivery))
        self.watch(delivery, "sent")
        loop = asyncio.get_running_loop()
        delivery.timer = loop.call_later(
            self.pace.ack_seconds, self._failed, delivery, "operation_timeout"
        )

    def hurry(self) -> None:
        """The minutes pass: what waits for its next attempt is sent now."""
        for delivery in self.deliveries:
            if delivery.envelopes and not delivery.settled:
                self.send(delivery)

    def stop(self) -> None:
        for delivery in self.deliveries:
            self.forget_timer(delivery)
        self.close()

    def forget_timer(self, delivery: Delivery) -> None:
        if delivery.timer is not None:
            delivery.timer.cancel()
            delivery.timer = None

    def _in_turns(self, connections: Sequence[Connection]) -> Connection:
        return connections[next(self._turns) % len(connections)]

    def _hear(self, text: str) -> None:
        frame: Json = json.loads(text)
        delivery = self._out.get(frame.get("envelope_id", ""))
        if delivery is None:
            self.strange_acks.append(frame)
        elif frame["envelope_id"] != delivery.envelopes[-1]:
            delivery.late = True
        elif not delivery.settled:
            delivery.acked = True
            self.forget_timer(delivery)
            self.watch(delivery, "acked")
            delivery.on_ack(frame.get("payload") or {})
        self.pulse.beat()

    def _failed(self, delivery: Delivery, error: str) -> None:
        attempts = len(delivery.envelopes)
        self.forget_timer(delivery)
        if delivery.acked:
            return
        if delivery.kind != "events_api" or attempts > len(self.pace.retry_after):
            delivery.lost = True
            delivery.on_failure(error)
            self.pulse.beat()
            return
        loop = asyncio.get_running_loop()
        pause = self.pace.retry_after[attempts - 1]
        delivery.timer = loop.call_later(pause, self.send, delivery)

    def _hello(self) -> Json:
        return {
            "type": "hello",
            "num_connections": len(self.connections),
            "connection_info": {"app_id": self.app_id},
            "debug_info": {"host": "loopback", "approximate_connection_time": 18_060},
        }


def _farewell(reason: Reason) -> Json:
    return {"type": "disconnect", "reason": reason, "debug_info": {"host": "loopback"}}


def _envelope(delivery: Delivery) -> Json:
    frame: Json = {
        "envelope_id": delivery.envelopes[-1],
        "type": delivery.kind,
        "payload": delivery.payload,
        "accepts_response_payload": delivery.kind == "slash_commands",
    }
    if delivery.kind == "events_api":
        attempt = len(delivery.envelopes) - 1
        frame |= {"retry_attempt": attempt, "retry_reason": "timeout" if attempt else ""}
    return frame
