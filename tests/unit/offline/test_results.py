"""What tools say, and fail to say, comes out in plain words."""

from __future__ import annotations

import pytest

from memory.messages import assistant, user
from tests.unit.offline.asking import ASKED, ELIGIBLE, answer, call, result


@pytest.mark.parametrize(
    ("error", "said"),
    [
        ("This customer has no order 1042.", "I find no order 1042 of yours."),
        ("The shop cannot be reached right now.", "“The shop cannot be reached right now.”"),
        ("The person asking is not linked to a customer", "you are not linked to a customer"),
    ],
)
async def test_an_error_of_a_tool_is_told_in_words(error: str, said: str) -> None:
    failed = result(f'{{"error": "{error}"}}', is_error=True)
    checked = await answer(ASKED, call("check_refund_eligibility"), failed)
    looked = await answer(user("Where is 1042?"), call("get_order"), failed)

    assert said in checked.text
    assert said in looked.text


@pytest.mark.parametrize(
    "text", ["not json", "[]", "{}", '{"orders": 1}', '{"order_id": true}', "[" * 5_000, "null"]
)
@pytest.mark.parametrize(
    ("asked", "name", "arguments"),
    [
        ("Can I return 1042?", "check_refund_eligibility", '{"order_id": 1042}'),
        ("Where is 1042?", "get_order", '{"order_id": 1042}'),
        ("list my orders", "list_orders", "{}"),
        ("where is the lamp?", "list_orders", "{}"),
        ("what is the return policy", "list_orders", "{}"),
    ],
)
async def test_a_result_that_cannot_be_read_is_said(
    text: str, asked: str, name: str, arguments: str
) -> None:
    said = await answer(user(asked), call(name, arguments), result(text))

    assert said.text
    assert said.calls == ()


async def test_what_was_opened_is_told_and_a_failure_too() -> None:
    asked = user("open a request for 1042")
    act = call("create_support_ticket")
    nothing = ('{"order_id": 1042, "tickets": []}', "I could not open a refund request")
    ticket = ('{"order_id": 1042, "open_ticket": "T-0007"}', "Ticket T-0007 is open")
    unclear = ("{}", "I do not know whether a refund request for order 1042 was opened")

    done = await answer(asked, act, result('{"ticket": "T-0001"}'))
    failed = (asked, act, result('{"error": "nothing is known of its result"}', is_error=True))
    look = await answer(*failed)

    assert done.text == "Done: I opened ticket T-0001, a refund request for order 1042."
    assert [each.name for each in look.calls] == ["get_order"]
    for shown, said in (nothing, ticket, unclear):
        told = await answer(*failed, call("get_order", id="c2"), result(shown, id="c2"))
        assert said in told.text


async def test_an_attempt_that_was_cut_off_is_looked_for_before_the_next() -> None:
    unknown = '{"error": "unknown whether this was done before the restart"}'
    history = (
        user("open a request for 1042"),
        call("create_support_ticket"),
        result(unknown, is_error=True),
        assistant("I was interrupted."),
        user("open a request for 1042"),
    )
    look = await answer(*history)
    none = result('{"order_id": 1042, "tickets": []}', id="c2")
    check = await answer(*history, call("get_order", id="c2"), none)

    assert [each.name for each in look.calls] == ["get_order"]
    assert [each.name for each in check.calls] == ["check_refund_eligibility"]


async def test_a_ticket_of_a_compacted_turn_is_not_opened_again() -> None:
    told = "Done: I opened ticket T-0001, a refund request for order 1042."
    said = await answer(user("yes"), assistant(told), user("open a refund request for it"))

    assert said.text == "There is ticket T-0001 for order 1042 already, so I opened no other one."


@pytest.mark.parametrize("eligible", ["true", "false"])
async def test_a_request_of_another_conversation_is_neither_offered_nor_opened_again(
    eligible: str,
) -> None:
    opened = ELIGIBLE.replace("{", '{"open_ticket": "T-0003", ').replace("true", eligible)
    checked = (call("check_refund_eligibility"), result(opened))
    told = await answer(ASKED, *checked)
    asked = await answer(user("open a refund request for 1042"), *checked)

    assert told.text.endswith("Ticket T-0003 is open for order 1042 already.")
    assert asked.text == "There is ticket T-0003 for order 1042 already, so I opened no other one."


async def test_the_shop_knows_tickets_of_other_conversations() -> None:
    rows = '{"orders": [{"order_id": 1042, "item": "x", "tickets": ["T-0003"]}]}'
    said = await answer(user("is there a ticket?"), call("list_orders", "{}"), result(rows))

    assert said.text == "Yes, there is ticket T-0003 for order 1042."


async def test_a_single_order_needs_no_name_and_none_is_said() -> None:
    one = result('{"orders": [{"order_id": 1042, "item": "lamp"}]}')
    none = result('{"orders": []}')
    asked = (user("can I get a refund?"), call("list_orders", "{}"))

    assert [each.arguments for each in (await answer(*asked, one)).calls] == ['{"order_id": 1042}']
    assert (await answer(*asked, none)).text == "I find no orders of yours."


@pytest.mark.parametrize(
    ("asked", "said"),
    [
        ("where are all my orders?", "I find no orders of yours."),
        ("is the newest one refundable?", "I find no orders of yours."),
        ("list my orders", "I find no orders of yours."),
    ],
)
async def test_a_customer_without_orders_is_told_so(asked: str, said: str) -> None:
    nothing = result('{"orders": []}')

    assert (await answer(user(asked), call("list_orders", "{}"), nothing)).text == said


async def test_there_may_be_no_other_order_or_several() -> None:
    history = (ASKED, assistant("Order 1042 is fine."), user("and my other order?"))
    asked = (*history, call("list_orders", "{}"))
    alone = result('{"orders": [{"order_id": 1042}]}')
    three = result('{"orders": [{"order_id": 1}, {"order_id": 1042}, {"order_id": 3}]}')

    assert (await answer(*asked, alone)).text == "I find no other order of yours than 1042."
    assert (await answer(*asked, three)).text == "Which order do you mean: 1 or 3?"


async def test_two_that_can_be_refunded_are_told_and_neither_is_chosen() -> None:
    other = ELIGIBLE.replace("1042", "1044")
    said = await answer(
        user("Can I return 1042 and 1044?"),
        call("check_refund_eligibility"),
        result(ELIGIBLE),
        call("check_refund_eligibility", '{"order_id": 1044}', id="c2"),
        result(other, id="c2"),
    )
    yes = await answer(user("Can I return 1042 and 1044?"), said, user("yes"))

    assert "I can open a refund request for 1042 and 1044." in said.text
    assert yes.calls == ()
