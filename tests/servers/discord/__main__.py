"""`python -m tests.servers.discord [PORT]`: talk to the bot as people do, with no Discord."""

from __future__ import annotations

import asyncio
import sys

from tests.servers.by_hand import nimbus, until_it_ends
from tests.servers.discord.page import furnish, routes
from tests.servers.discord.server import serving


async def serve(port: int) -> None:
    async with serving(port=port, pages=routes, strict=False) as discord:
        furnish(discord)
        print(f"A small Discord: open {discord.api_url.removesuffix('api/v10')} in a browser.")
        ann = next(
            each for each in discord.servers[0].guild.members.values() if each.user.name == "Ann"
        )
        print("Once, to make Ann a customer of the demo shop, in another terminal:")
        print(nimbus("link", f"discord:{ann.user.id}", "demo"))
        print("Then start the bot there:")
        print(*(f"{name}={value}" for name, value in discord.environment().items()), end=" ")
        print(nimbus("run"))
        print("Ctrl-C ends it.", flush=True)
        await until_it_ends()
    for problem in discord.checked:
        print(f"The bot should not have sent this: {problem}")


if __name__ == "__main__":
    asyncio.run(serve(int(sys.argv[1]) if len(sys.argv) > 1 else 0))
