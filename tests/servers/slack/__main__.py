"""`python -m tests.servers.slack [PORT]`: talk to the bot as people do, with no workspace."""

from __future__ import annotations

import asyncio
import sys

from tests.servers.by_hand import nimbus, until_it_ends
from tests.servers.slack.page import furnish, routes
from tests.servers.slack.server import serving


async def serve(port: int) -> None:
    async with serving(port=port, pages=routes, strict=False) as slack:
        furnish(slack)
        [home] = slack.workspaces
        ann = next(iter(home.people))
        print(f"A small Slack: open {slack.api_url.removesuffix('api/')} in a browser.")
        print("Once, to make Ann a customer of the demo shop, in another terminal:")
        print(nimbus("link", f"slack:{home.team}:{ann}", "demo"))
        print("Then start the bot there:")
        print(*(f"{name}={value}" for name, value in slack.environment().items()), end=" ")
        print(nimbus("run"))
        print("Ctrl-C ends it.", flush=True)
        await until_it_ends()
    for problem in slack.checked:
        print(f"The bot should not have sent this: {problem}")


if __name__ == "__main__":
    asyncio.run(serve(int(sys.argv[1]) if len(sys.argv) > 1 else 0))
