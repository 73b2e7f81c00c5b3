"""Tools that fail and tell too much of why; named by NIMBUS_TOOLS in tests."""

from __future__ import annotations

from bot.errors import ToolError
from bot.tools.tool import Tool

SECRET = "telltale-99-of-a-failure"


async def break_down() -> dict[str, str]:
    """Break down."""
    raise RuntimeError(f"no access with {SECRET} of U0000000003")


async def refuse() -> dict[str, str]:
    """Refuse."""
    raise ToolError("The store is closed today.")


TOOLS = [Tool.of(break_down, risk="read"), Tool.of(refuse, risk="read")]
