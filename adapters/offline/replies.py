"""What is said: each answer of the offline model in one place."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from adapters.offline.desk import Order, Verdict

_LONGEST_QUOTE = 300


def hello() -> str:
    return f"Hello! {_SCOPE}"


def fine() -> str:
    return f"I am well, thank you. {_SCOPE}"


def you_are_welcome() -> str:
    return "You are welcome."


def goodbye() -> str:
    return "Goodbye!"


def okay() -> str:
    return "All right. What else would you like to know?"


def who() -> str:
    return f"I am the offline model: a small program without a language model behind it. {_SCOPE}"


def capabilities() -> str:
    return f"I am the offline model. {_SCOPE}"


def not_understood() -> str:
    return f"That I did not understand: I am the offline model. {_SCOPE}"


def partly_not_understood() -> str:
    return "The rest I did not understand: I am only the offline model."


def cannot() -> str:
    return f"That I cannot do or find out. {_SCOPE}"


_SCOPE = (
    "I understand questions about your orders: which there are, the details of one, whether it can "
    "be refunded, and opening a refund request. And I can tell you what was said in this "
    "conversation."
)


def without_tools() -> str:
    return (
        "I am the offline model, and the tool for that is not switched on. I can do nothing about "
        "it but talk about what was said in this conversation."
    )


def out_of_steps() -> str:
    return "I could not look that up within the steps that I may take. Please ask once more."


def failed(error: str) -> str:
    if "not linked" in error:
        return (
            "I see no orders of yours: you are not linked to a customer of the shop. Whoever runs "
            "this bot can link you."
        )
    return f"I could not find that out; the shop's answer was: {quoted(error)}"


def unreadable() -> str:
    return "The shop answered something that I cannot read."


def not_yours(number: int) -> str:
    return f"I find no order {number} of yours."


def no_such_item(names: Iterable[str], orders: Sequence[Order]) -> str:
    return f"I find no order of yours that fits {quoted(' '.join(names))}. {order_list(orders)}"


def nothing_like_it(names: Iterable[str]) -> str:
    return (
        f"I find no order of yours that fits {quoted(' '.join(names))}, and nothing else that I "
        f"understand: I am the offline model. {_SCOPE}"
    )


def no_orders() -> str:
    return "I find no orders of yours."


def no_other(number: int) -> str:
    return f"I find no other order of yours than {number}."


def nothing_to_point_at() -> str:
    return (
        "I do not know which order you mean. Please tell me its number, or ask me for your orders."
    )


def which(orders: Sequence[Order], numbers: Sequence[int] = ()) -> str:
    if not (orders or numbers):
        return no_orders()
    choices = [_short(order) for order in orders] or [str(number) for number in numbers]
    return f"Which order do you mean: {' or '.join(choices)}?"


def order_list(orders: Sequence[Order]) -> str:
    if not orders:
        return no_orders()
    lines = [f"- Order {_short(order)}: {_state(order)}" for order in orders]
    return "\n".join([f"You have {count(len(orders), 'order')}:", *lines])


def details(order: Order) -> str:
    tickets = f" Tickets: {', '.join(order.tickets)}." if order.tickets else ""
    return f"Order {_short(order)}: {_state(order)}.{tickets}"


def eligible(verdict: Verdict) -> str:
    left = "" if verdict.left is None else f", so {_left(verdict.left)}"
    return (
        f"Yes, order {_named(verdict.order, verdict.item)} is eligible for a refund. You bought it "
        f"{_ago(verdict.days)}, and the limit is {_limit(verdict.limit)}{left}."
    )


def not_eligible(verdict: Verdict) -> str:
    order = _named(verdict.order, verdict.item)
    if verdict.days is None or verdict.limit is None or verdict.days <= verdict.limit:
        return f"No, order {order} is not eligible for a refund. {verdict.reason}"
    return (
        f"No, order {order} is not eligible for a refund. You bought it {_ago(verdict.days)}, and "
        f"the limit is {_limit(verdict.limit)}."
    )


def offer(number: int) -> str:
    return f"Shall I open a refund request for order {number}?"


def offers(numbers: Sequence[int]) -> str:
    return (
        f"I can open a refund request for {listed(numbers)}. Tell me for which one, such as: open a"
        f" request for {numbers[0]}."
    )


def opened(number: int, ticket: str) -> str:
    return f"Done: I opened ticket {ticket}, a refund request for order {number}."


def already_open(number: int, ticket: str) -> str:
    return f"There is ticket {ticket} for order {number} already, so I opened no other one."


def is_open(number: int, ticket: str) -> str:
    return f"Ticket {ticket} is open for order {number} already."


def so_not_opened() -> str:
    return "So I opened no request for it."


def not_opened(number: int, error: str) -> str:
    return f"I could not open a refund request for order {number}; the answer was: {quoted(error)}"


def open_is_unknown(number: int) -> str:
    return (
        f"I do not know whether a refund request for order {number} was opened, so I open no other "
        "one. Please ask again later."
    )


def unclear(number: int | None) -> str:
    if number is None:
        return "I am not sure what you want. Please say it in one sentence."
    return f"I am not sure whether that is a yes, so I have opened nothing. {offer(number)}"


def nothing_offered() -> str:
    return "I had not offered anything, so I do not know what your yes is for."


def declined(number: int | None) -> str:
    if number is None:
        return "All right, I do nothing."
    return f"All right, I open no refund request for order {number}."


def on_hold() -> str:
    return "All right, I wait. Nothing was opened."


def ticket_known(tickets: dict[int, str]) -> str:
    told = [f"ticket {ticket} for order {number}" for number, ticket in tickets.items()]
    return f"Yes, there is {listed(told)}."


def ticket_unknown() -> str:
    return "No, I find no ticket that was opened."


def policy(days: int) -> str:
    return f"An order can be refunded when it is paid and was bought within the last {days} days."


def no_policy() -> str:
    return "The limit I only learn with an order: ask me whether one of yours can be refunded."


def erasing() -> str:
    return (
        "I cannot erase anything myself. Use the command `forget` (in Slack and Discord: "
        "`/nimbus forget`): it erases this conversation for good; `forget me` erases all that is "
        "kept about you. The command `help` tells how long anything is kept."
    )


def noted() -> str:
    return "All right. I know it for as long as it stands in this conversation."


def today(date: str) -> str:
    return f"It is {date}."


def no_date() -> str:
    return "I do not know the date."


def quoted(text: str) -> str:
    plain = " ".join(text.replace("“", "'").replace("”", "'").split())
    return f"“{plain[:_LONGEST_QUOTE]}{'…' if len(plain) > _LONGEST_QUOTE else ''}”"


def _short(order: Order) -> str:
    return _named(order.number, order.item)


def _named(number: int, item: str) -> str:
    return f"{number} ({item})" if item else str(number)


def _state(order: Order) -> str:
    paid = "paid" if order.paid else "not paid"
    bought = f"bought {_ago(order.days)}" + (f" ({order.bought_on})" if order.bought_on else "")
    return ", ".join(part for part in (order.price, paid, order.status, bought) if part)


def _ago(days: int | None) -> str:
    return "on a day that I do not know" if days is None else f"{count(days, 'day')} ago"


def _left(days: int) -> str:
    return f"{count(days, 'day')} {'is' if days == 1 else 'are'} left"


def _limit(days: int | None) -> str:
    return "not known to me" if days is None else count(days, "day")


def count(number: int, noun: str) -> str:
    return f"{number} {noun}" if number == 1 else f"{number} {noun}s"


def listed(things: Sequence[object]) -> str:
    return " and ".join(str(thing) for thing in things)
