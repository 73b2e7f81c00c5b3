"""The tool loop at the support desk, on a real shop."""

import json
from collections.abc import Awaitable, Callable
from datetime import date
from pathlib import Path
from typing import Any, TypeVar

import pytest

from bot.tools.shop import Shop
from bot.tools.support import desk_tools
from memory.messages import Message
from tests.agent_stage import Stage, call
from tests.fakes import ScriptedModel, asks, says

T = TypeVar("T")

WISH = '{"category": "refund", "summary": "Refund of the headphones.", "order_id": 1042}'
OPEN = call("create_support_ticket", WISH)


class Crash(BaseException): ...


async def crash_after(work: Callable[[], T], /) -> T:
    work()
    raise Crash


async def at_once(work: Callable[[], T], /) -> T:
    return work()


def desk(folder: Path, *model: Any, run: Callable[..., Awaitable[Any]] = at_once) -> Stage:
    shop = Shop(folder / "shop.db", run=run, today=lambda: date(2026, 11, 30))
    return Stage(ScriptedModel(*model), tuple(desk_tools(shop)))


async def tickets(folder: Path) -> list[str]:
    return [ticket.number for ticket in await Shop(folder / "shop.db").tickets("demo")]


@pytest.mark.inline
async def test_both_orders_are_checked_side_by_side(tmp_path: Path) -> None:
    checks = [
        call("check_refund_eligibility", f'{{"order_id": {number}}}', id=str(number))
        for number in (1042, 1043, 2051)
    ]
    stage = desk(tmp_path, asks(*checks), says("1042 can be refunded."))

    await stage.answer()

    told = [json.loads(text) for text in stage.results()]
    assert [result.get("eligible") for result in told] == [True, False, None]
    assert told[2] == {"error": "This customer has no order 2051."}


@pytest.mark.inline
async def test_a_ticket_that_is_asked_for_three_times_over_is_told_plainly(tmp_path: Path) -> None:
    again = [asks(call("create_support_ticket", WISH, id=f"c{n}")) for n in range(3)]
    stage = desk(tmp_path, *again, says("Done."))

    await stage.answer()

    assert "use the earlier result" in stage.results()[2]
    assert "has an open refund ticket already: T-0001" in stage.results()[1]
    assert await tickets(tmp_path) == ["T-0001"]


@pytest.mark.inline
async def test_a_crash_between_effect_and_result_leaves_one_ticket(tmp_path: Path) -> None:
    stored: list[Message] = []
    before = desk(tmp_path, asks(OPEN), run=crash_on_second_visit())
    before.recorded = stored
    with pytest.raises(Crash):
        await before.answer()
    assert await tickets(tmp_path) == ["T-0001"]

    after = desk(tmp_path, says("T-0001 is open."))
    after.progress.steps += stored
    await after.answer()

    assert json.loads(after.results()[0])["ticket"] == "T-0001"
    assert await tickets(tmp_path) == ["T-0001"]


def crash_on_second_visit() -> Callable[..., Awaitable[Any]]:
    """The desk looks for the order first and then opens the ticket."""
    runs = iter([at_once, crash_after])

    async def run(work: Callable[[], T], /) -> T:
        return await next(runs)(work)

    return run
