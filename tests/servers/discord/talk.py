"""What is said on one connection to the gateway, from HELLO to its end."""

from __future__ import annotations

import json
import zlib
from collections.abc import Callable
from typing import assert_never

from aiohttp import web

from tests.servers.connections import Connection, Frame
from tests.servers.discord.gateway import (
    BAD_TOKEN,
    GARBLED,
    IDENTIFIED_TWICE,
    NOT_IDENTIFIED,
    UNKNOWN_OP,
    Hub,
    Op,
    Pace,
    Session,
)
from tests.servers.discord.world import Json

FindHub = Callable[[str], Hub | None]


async def converse(request: web.Request, find: FindHub, pace: Pace) -> web.StreamResponse:
    """Until the connection ends; `find` knows whose token it is."""
    socket = web.WebSocketResponse(autoping=False)
    await socket.prepare(request)
    encode = _compressing() if request.query.get("compress") == "zlib-stream" else str
    connection = Connection(socket, request.transport, encode)
    talk = _Talk(connection, find)
    interval = int(pace.heartbeat_seconds * 1000)
    connection.send({"op": Op.HELLO, "d": {"heartbeat_interval": interval, "_trace": []}})
    try:
        await connection.run(talk.hear)
    finally:
        talk.end()
    return socket


def _compressing() -> Callable[[str], Frame]:
    """One stream for the whole connection."""
    stream = zlib.compressobj()

    def encode(text: str) -> bytes:
        return stream.compress(text.encode()) + stream.flush(zlib.Z_SYNC_FLUSH)

    return encode


class _Talk:
    def __init__(self, connection: Connection, find: FindHub) -> None:
        self._connection = connection
        self._find = find
        self._hub: Hub | None = None
        self._session: Session | None = None

    def hear(self, text: str) -> None:
        try:
            frame: Json = json.loads(text)
            op, said = Op(frame["op"]), frame.get("d")
        except (KeyError, TypeError):
            self._connection.close(GARBLED)
        except ValueError as problem:
            garbled = isinstance(problem, json.JSONDecodeError)
            self._connection.close(GARBLED if garbled else UNKNOWN_OP)
        else:
            self._answer(op, said)

    def end(self) -> None:
        if self._hub is not None and self._session is not None:
            self._hub.left(self._connection, self._session)

    def _answer(self, op: Op, said: object) -> None:
        if op is Op.HEARTBEAT:
            if self._hub is not None:
                self._hub.beat()
            self._connection.send({"op": Op.ACKNOWLEDGED})
        elif op in {Op.IDENTIFY, Op.RESUME}:
            assert isinstance(said, dict)
            self._introduce(op, said)
        elif self._session is None:
            self._connection.close(NOT_IDENTIFIED)

    def _introduce(self, op: Op, said: Json) -> None:
        hub = self._find(said.get("token", ""))
        if self._session is not None:
            self._connection.close(IDENTIFIED_TWICE)
        elif hub is None:
            self._connection.close(BAD_TOKEN)
        else:
            identify = hub.identify if op is Op.IDENTIFY else hub.resume
            self._settle(hub, identify(self._connection, said))

    def _settle(self, hub: Hub, result: Session | int | None) -> None:
        match result:
            case Session():
                self._hub, self._session = hub, result
            case int(code):
                self._connection.close(code)
            case None:
                self._connection.send({"op": Op.INVALID_SESSION, "d": False})
            case _:
                assert_never(result)
