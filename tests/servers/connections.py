"""One WebSocket of an app: what is sent through it, and how it breaks."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Callable
from contextlib import suppress

from aiohttp import WSCloseCode, WSMsgType, web

from tests.servers.faults import Json

Frame = str | bytes


class Connection:
    """A dead one is open, but nothing comes through any more. Without a socket it is a ghost's."""

    def __init__(
        self,
        socket: web.WebSocketResponse | None = None,
        transport: asyncio.Transport | None = None,
        encode: Callable[[str], Frame] = str,
    ) -> None:
        self.dead = False
        self._socket = socket
        self._transport = transport
        self._encode = encode
        self._outbox: asyncio.Queue[str | int] = asyncio.Queue()
        self._ended_with: int | None = None  # aiohttp forgets a code that it sent itself

    @property
    def close_code(self) -> int | None:
        """With which it was closed, by either side."""
        heard = self._socket.close_code if self._socket else None
        return heard if self._ended_with is None else self._ended_with

    def send(self, frame: Json) -> None:
        self.send_text(json.dumps(frame))

    def send_text(self, text: str) -> None:
        if self._socket is not None and not self.dead:
            self._outbox.put_nowait(text)

    def close(self, code: int = WSCloseCode.OK) -> None:
        """After what was sent before."""
        self._outbox.put_nowait(code)

    def abort(self) -> None:
        """As when a cable is pulled."""
        if self._transport is not None:
            self._transport.abort()

    def freeze(self) -> None:
        """As when the other side's machine stands still: not even a good-bye is heard."""
        if self._transport is not None:
            self._transport.pause_reading()

    async def run(self, heard: Callable[[str], None]) -> None:
        async with asyncio.TaskGroup() as tasks:
            writer = tasks.create_task(self._write_until_it_breaks())
            await self._read(heard)
            writer.cancel()

    async def _write_until_it_breaks(self) -> None:
        """Then what was to be sent is lost, and the reader hears of the end."""
        with suppress(ConnectionResetError):
            await self._write()

    async def _write(self) -> None:
        assert self._socket is not None
        while isinstance(frame := await self._outbox.get(), str):
            encoded = self._encode(frame)
            if isinstance(encoded, str):
                await self._socket.send_str(encoded)
            else:
                await self._socket.send_bytes(encoded)
        self._ended_with = frame
        await self._socket.close(code=frame)

    async def _read(self, heard: Callable[[str], None]) -> None:
        assert self._socket is not None
        async for message in self._socket:
            if self.dead:
                continue
            if message.type is WSMsgType.PING:
                await self._socket.pong(message.data)
            elif message.type is WSMsgType.TEXT:
                heard(message.data)
