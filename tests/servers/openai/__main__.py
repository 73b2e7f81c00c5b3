"""`python -m tests.servers.openai [PORT]`: hold the example conversation by hand."""

from __future__ import annotations

import asyncio
import contextlib
import signal
import sys
import threading

from tests.servers.openai.desk import desk, reasoning_desk
from tests.servers.openai.server import serving


async def serve(port: int) -> None:
    """Until Ctrl-C, or until whoever started it is gone: then stdin ends."""
    loop = asyncio.get_running_loop()
    over = asyncio.Event()
    for ending in (signal.SIGINT, signal.SIGTERM):
        loop.add_signal_handler(ending, over.set)
    threading.Thread(target=_await_end_of_input, args=(loop, over), daemon=True).start()
    async with serving(desk, responses=reasoning_desk, port=port) as server:
        print("A support desk that speaks OpenAI's two APIs. In another terminal one of:")
        line = f"OPENAI_BASE_URL={server.base_url} NIMBUS_MODEL=openai:desk"
        print(f"{line} python -m bot chat")
        print(f"{line} NIMBUS_OPENAI_API=responses python -m bot chat")
        print("Ctrl-C ends it.", flush=True)
        await over.wait()
    for refused in server.refused:
        print(f"Refused: {refused}")


def _await_end_of_input(loop: asyncio.AbstractEventLoop, over: asyncio.Event) -> None:
    while sys.stdin.readline():
        pass
    with contextlib.suppress(RuntimeError):  # the loop is closed already
        loop.call_soon_threadsafe(over.set)


if __name__ == "__main__":
    asyncio.run(serve(int(sys.argv[1]) if len(sys.argv) > 1 else 0))
