"""`python -m tests.servers.gemini [PORT]`: hold the example conversation by hand."""

from __future__ import annotations

import asyncio
import sys

from tests.servers.by_hand import until_it_ends
from tests.servers.gemini.desk import desk
from tests.servers.gemini.server import serving


async def serve(port: int) -> None:
    async with serving(desk, port=port) as server:
        print("A support desk that speaks as Gemini. In another terminal:")
        print(f"GEMINI_BASE_URL={server.base_url} NIMBUS_MODEL=gemini:desk python -m bot chat")
        print("Ctrl-C ends it.", flush=True)
        await until_it_ends()
    for refused in server.refused:
        print(f"Refused: {refused}")


if __name__ == "__main__":
    asyncio.run(serve(int(sys.argv[1]) if len(sys.argv) > 1 else 0))
