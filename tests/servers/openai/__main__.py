"""`python -m tests.servers.openai [PORT]`: hold the example conversation by hand."""

from __future__ import annotations

import asyncio
import sys

from tests.servers.by_hand import until_it_ends
from tests.servers.openai.desk import desk, reasoning_desk
from tests.servers.openai.server import serving


async def serve(port: int) -> None:
    async with serving(desk, responses=reasoning_desk, port=port) as server:
        print("A support desk that speaks OpenAI's two APIs. In another terminal one of:")
        line = f"OPENAI_BASE_URL={server.base_url} NIMBUS_MODEL=openai:desk"
        print(f"{line} python -m bot chat")
        print(f"{line} NIMBUS_OPENAI_API=responses python -m bot chat")
        print("Ctrl-C ends it.", flush=True)
        await until_it_ends()
    for refused in server.refused:
        print(f"Refused: {refused}")


if __name__ == "__main__":
    asyncio.run(serve(int(sys.argv[1]) if len(sys.argv) > 1 else 0))
