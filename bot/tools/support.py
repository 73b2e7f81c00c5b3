"""The support desk: what a customer may ask about orders and refunds, as tools."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Literal

from pydantic import Field

from bot.errors import ToolError
from bot.tools.shop import Order, Shop, Ticket
from bot.tools.tool import Tool, ToolContext

REFUND_DAYS = 14

OrderId = Annotated[int, Field(description="The order's number, such as 1042")]
Category = Literal["refund", "delivery", "damage", "other"]
Summary = Annotated[
    str, Field(min_length=1, max_length=500, description="What the customer wants, in a sentence")
]


def tools(folder: Path) -> list[Tool]:
    """The demo desk, as `NIMBUS_TOOLS` finds it: its shop is a file in this folder."""
    return desk_tools(Shop(folder / "shop.db"))


def desk_tools(shop: Shop) -> list[Tool]:
    """The desk's tools on this shop."""
    desk = SupportDesk(shop)
    return [
        Tool.of(desk.list_orders, risk="read"),
        Tool.of(desk.get_order, risk="read"),
        Tool.of(desk.check_refund_eligibility, risk="read"),
        Tool.of(desk.create_support_ticket, risk="write", idempotent=True),
    ]


class SupportDesk:
    """Serves only the customer that the context names. Its docstrings are read by the model."""

    def __init__(self, shop: Shop) -> None:
        self._shop = shop

    async def list_orders(self, context: ToolContext) -> dict[str, object]:
        """List all orders of the customer who is asking, the newest first."""
        customer = _customer(context)
        tickets = await self._shop.tickets(customer)
        orders = await self._shop.orders(customer)
        return {"orders": [_described(order, tickets) for order in orders]}

    async def get_order(self, context: ToolContext, order_id: OrderId) -> dict[str, object]:
        """Look up one order of the customer: item, price, payment, status, date of purchase,
        its support tickets, and as `open_ticket` a refund request that is open for it already."""
        order = await self._own_order(context, order_id)
        return _described(order, await self._shop.tickets(_customer(context)))

    async def check_refund_eligibility(
        self, context: ToolContext, order_id: OrderId
    ) -> dict[str, object]:
        """Check whether an order of the customer can be refunded today, why or why not, how many
        days are left, and as `open_ticket` whether a refund request is open for it already: then
        none must be offered or opened again. Changes nothing."""
        order = await self._own_order(context, order_id)
        tickets = await self._shop.tickets(_customer(context))
        eligible, reason = _judged(order)
        return {
            "order_id": order.id,
            "item": order.item,
            "eligible": eligible,
            "reason": reason,
            "days_since_purchase": order.days_since_purchase,
            "limit_days": REFUND_DAYS,
            "days_left": REFUND_DAYS - order.days_since_purchase if eligible else 0,
            "open_ticket": _open_refund(order, tickets),
        }

    async def create_support_ticket(
        self,
        context: ToolContext,
        category: Category,
        summary: Summary,
        order_id: OrderId | None = None,
    ) -> dict[str, object]:
        """Open a support ticket for the customer, for example a refund request. Use it only after
        the customer has clearly asked for it or agreed to it, and only once for each request. A
        refund needs an order that is eligible and has no refund request open."""
        customer = _customer(context)
        refusal = await self._refusal(context, category, order_id)
        if refusal is None:
            ticket = await self._shop.open_ticket(
                customer,
                request_key=context.call_key,
                category=category,
                summary=summary,
                order_id=order_id,
            )
            return _opened(ticket)
        if earlier := await self._shop.ticket_of(customer, context.call_key):
            return _opened(earlier)
        raise ToolError(refusal)

    async def _refusal(
        self, context: ToolContext, category: Category, order_id: int | None
    ) -> str | None:
        """Why no such ticket can be opened; a second refund is the shop's own to refuse."""
        if order_id is None:
            return "A refund request needs the order's number." if category == "refund" else None
        eligible, reason = _judged(await self._own_order(context, order_id))
        if eligible or category != "refund":
            return None
        return f"Order {order_id} is not eligible for a refund, so no ticket was opened. {reason}"

    async def _own_order(self, context: ToolContext, order_id: int) -> Order:
        """Raise `ToolError` alike for an order that is not there and for one of somebody else."""
        order = await self._shop.order(_customer(context), order_id)
        if order is None:
            raise ToolError(f"This customer has no order {order_id}.")
        return order


def _customer(context: ToolContext) -> str:
    if context.customer is None:
        raise ToolError(
            "The person asking is not linked to a customer of the shop, so no orders can be seen."
            f" Whoever runs this bot can link them with: nimbus link {context.person} CUSTOMER"
        )
    return context.customer


def _opened(ticket: Ticket) -> dict[str, object]:
    return {
        "ticket": ticket.number,
        "status": "open",
        "category": ticket.category,
        "order_id": ticket.order_id,
        "summary": ticket.summary,
    }


def _described(order: Order, tickets: list[Ticket]) -> dict[str, object]:
    return {
        "order_id": order.id,
        "item": order.item,
        "price": order.price,
        "paid": order.paid,
        "status": order.status,
        "bought_on": order.bought_on,
        "days_since_purchase": order.days_since_purchase,
        "tickets": [ticket.number for ticket in tickets if ticket.order_id == order.id],
        "open_ticket": _open_refund(order, tickets),
    }


def _open_refund(order: Order, tickets: list[Ticket]) -> str | None:
    refunds = (ticket for ticket in tickets if ticket.category == "refund")
    return next((ticket.number for ticket in refunds if ticket.order_id == order.id), None)


def _judged(order: Order) -> tuple[bool, str]:
    days = order.days_since_purchase
    bought = f"Bought {days} {'day' if days == 1 else 'days'} ago"
    if not order.paid:
        return False, "The order is not paid, so there is nothing to refund."
    if days > REFUND_DAYS:
        return False, f"{bought}; a refund is possible within {REFUND_DAYS} days of purchase."
    return True, f"{bought} and paid; within the {REFUND_DAYS} days of purchase."
