"""One request to the offline model, and what it answers."""

from __future__ import annotations

from adapters.offline.model import OfflineModel
from bot.model import ModelRequest, ModelResponse, ToolSpec
from memory.messages import Message, ToolCall, ToolResult, assistant, tool, user

TOOLS = tuple(
    ToolSpec(name, "", {})
    for name in ("list_orders", "get_order", "check_refund_eligibility", "create_support_ticket")
)
OFFER = "Shall I open a refund request for order 1042?"
ELIGIBLE = (
    '{"order_id": 1042, "item": "headphones", "eligible": true, "reason": "",'
    ' "days_since_purchase": 13, "limit_days": 14, "days_left": 1}'
)
ASKED = user("Can I return 1042?")


async def answer(
    *messages: Message, tools: tuple[ToolSpec, ...] = TOOLS, last_step: bool = False
) -> Message:
    request = ModelRequest("", messages, tools, "none" if last_step else "auto")
    *pieces, response = [piece async for piece in OfflineModel().stream(request)]
    assert isinstance(response, ModelResponse)
    assert "".join(str(piece) for piece in pieces) == response.message.text
    return response.message


def call(name: str, arguments: str = '{"order_id": 1042}', *, id: str = "c1") -> Message:  # noqa: A002 - a call has an id
    return assistant("", ToolCall(id, name, arguments))


def result(text: str, *, id: str = "c1", name: str = "", is_error: bool = False) -> Message:  # noqa: A002
    return tool(ToolResult(id, name, text, is_error=is_error))
