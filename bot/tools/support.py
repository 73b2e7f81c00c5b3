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
        """Look up one order of the customer: item, price, payment, status, date of purchase and
        its support tickets."""
        order = await self._own_order(context, order_id)
        return _described(order, await self._shop.tickets(_customer(context)))

    async def check_refund_eligibility(
        self, context: ToolContext, order_id: OrderId
    ) -> dict[str, object]:
        """Check whether an order of the customer can be refunded today, why or why not, and how
        many days are left. Changes nothing."""
        order = await self._own_order(context, order_id)
        eligible, reason = _judged(order)
        return {
            "order_id": order.id,
            "item": order.item,
            "eligible": eligible,
            "reason": reason,
            "days_since_purchase": order.days_since_purchase,
            "limit_days": REFUND_DAYS,
            "days_left": REFUND_DAYS - order.days_since_purchase if eligible else 0,
        }

    async def create_support_ticket(
        self,
        context: ToolContext,
        category: Category,
        summary: Summary,
        order_id: OrderId | None = None,
    ) -> dict[str, object]:
        """Open a support ticket for the customer, for example a refund request. Use it only after
        the customer has clearly asked for it or agreed to it, and only once for each request."""
        if order_id is not None:
            await self._own_order(context, order_id)
        ticket = await self._shop.open_ticket(
            _customer(context),
            request_key=context.call_key,
            category=category,
            summary=summary,
            order_id=order_id,
        )
        return {
            "ticket": ticket.number,
            "status": "open",
            "category": ticket.category,
            "order_id": ticket.order_id,
            "summary": ticket.summary,
        }

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
    }


def _judged(order: Order) -> tuple[bool, str]:
    days = order.days_since_purchase
    bought = f"Bought {days} {'day' if days == 1 else 'days'} ago"
    if not order.paid:
        return False, "The order is not paid, so there is nothing to refund."
    if days > REFUND_DAYS:
        return False, f"{bought}; a refund is possible within {REFUND_DAYS} days of purchase."
    return True, f"{bought} and paid; within the {REFUND_DAYS} days of purchase."
