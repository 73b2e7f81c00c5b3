"""A tool that says who it was called for; named by NIMBUS_TOOLS in tests."""

from __future__ import annotations

from bot.tools.tool import Tool, ToolContext


async def who_asks(context: ToolContext) -> dict[str, str]:
    """Who asks."""
    return {"person": context.person}


TOOLS = [Tool.of(who_asks, risk="read")]
