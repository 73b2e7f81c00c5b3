"""Every cell of the failure matrix: outcome, sentence, what was stored, requests, acts."""

from __future__ import annotations

import pytest

from bot.model import Usage
from bot.patience import Patience
from tests.wire.apis import APIS
from tests.wire.matrix import Api, Cell, Name, Told, told

pytestmark = pytest.mark.slow

IMPATIENT = Patience(silence_seconds=0.1)

CELLS = {
    "429, a short pause": Cell(("busy for 7 s", "text"), pauses=(7.0,)),
    "429, a long pause": Cell(("busy for 90 s",), "api_error", "busy", pauses=()),
    "429, once": Cell(("busy", "text")),
    "429, again and again": Cell(("busy",) * 3, "api_error", "busy"),
    "5xx, once": Cell(("down", "text")),
    "5xx, again and again": Cell(("down",) * 3, "api_error", "busy"),
    "reset, once": Cell(("reset", "text")),
    "reset, again and again": Cell(("reset",) * 3, "api_error"),
    "bad key": Cell(("bad key",), "api_error", "account"),
    "no quota": Cell(("no quota",), "api_error", "account"),
    "unknown model": Cell(("unknown model",), "api_error", "account"),
    "too long": Cell(("too long",), "api_error", "too_long"),
    "refusal": Cell(("refusal",), "refused", said="No."),
    "blocked": Cell(("blocked",), "api_error", "blocked"),
    "only thought": Cell(("only thought",), "empty"),
    "cut off": Cell(("cut off",), "api_error", said="Hel"),
    "no finish reason": Cell(("ends without a reason",), "api_error", said="Hel"),
    "silence, once": Cell(("ends in silence", "text")),
    "silence, again and again": Cell(("ends in silence",) * 3, "api_error"),
    "error event, once": Cell(("error event", "text")),
    "error event, again and again": Cell(("error event",) * 3, "api_error"),
    "error event after text": Cell(("error event after text",), "api_error", said="Hel"),
    "empty": Cell(("empty",), "empty"),
}

CALL = 'calls act({"order_id": 1})'
DONE = 'act returns "done"'


@pytest.fixture(params=APIS, ids=lambda api: api.name)
def api(request: pytest.FixtureRequest) -> Api:
    given: Api = request.param
    return given


def check(found: Told, cell: Cell, *, acted: bool) -> None:
    assert found.turn.outcome == cell.outcome
    assert found.messages[-1].text == found.sentence(cell)
    assert found.shown == found.sentence(cell)
    steps = [CALL, DONE] if acted else []
    assert found.stored == ["user: And 1042?", *steps, f"assistant: {found.sentence(cell)}"]
    assert len(found.requests) == len(cell.answers) + acted
    assert found.runs == [1] * acted
    if cell.pauses is not None:
        assert tuple(found.pauses) == cell.pauses
    assert len(found.pauses) == len(cell.answers) - 1


@pytest.mark.parametrize("name", CELLS)
async def test_what_fails_at_the_first_request(name: str, api: Api, sqlite_url: str) -> None:
    check(await told(api, sqlite_url, CELLS[name]), CELLS[name], acted=False)


@pytest.mark.slow  # the same failures, one request later
@pytest.mark.parametrize("name", CELLS)
async def test_what_fails_after_a_tool_has_acted(name: str, api: Api, sqlite_url: str) -> None:
    found = await told(api, sqlite_url, CELLS[name], before=["call"])

    check(found, CELLS[name], acted=True)


async def test_a_server_that_stalls_is_asked_three_times(api: Api, sqlite_url: str) -> None:
    cell = Cell(("stall",) * 3, "api_error", patience=IMPATIENT)

    check(await told(api, sqlite_url, cell), cell, acted=False)


async def test_what_is_too_long_with_its_history_is_sent_shorter_once(
    api: Api, sqlite_url: str
) -> None:
    cell = Cell(("too long", "text"))
    found = await told(api, sqlite_url, cell, earlier=["text"])

    assert found.shown == "Hello."
    assert len(found.requests) == 3
    assert len(str(found.requests[2])) < len(str(found.requests[1]))


@pytest.mark.parametrize("name", ["two calls", "two calls in pieces", "two calls without ids"])
async def test_calls_side_by_side_run_once_each(name: Name, api: Api, sqlite_url: str) -> None:
    found = await told(api, sqlite_url, Cell((name, "text")))

    assert (found.turn.outcome, found.shown) == ("answered", "Hello.")
    assert found.stored[1:3] == [CALL, CALL.replace("1", "2")]
    assert found.stored[3:] == [DONE, DONE, "assistant: Hello."]
    assert (sorted(found.runs), len(found.requests)) == ([1, 2], 2)
    assert len({call.id for message in found.messages for call in message.calls}) == 2


async def test_a_call_with_broken_arguments_is_told_the_model_and_not_run(
    api: Api, sqlite_url: str
) -> None:
    found = await told(api, sqlite_url, Cell(("a call with broken arguments", "text")))

    assert (found.turn.outcome, found.shown) == ("answered", "Hello.")
    assert found.messages[2].results[0].is_error
    assert (found.runs, len(found.requests)) == ([], 2)


async def test_tokens_are_stored_with_the_turn(api: Api, sqlite_url: str) -> None:
    found = await told(api, sqlite_url, Cell(("text, counted",)))

    assert found.usage == Usage(100, 80, 30, 12)
    assert (found.turn.outcome, found.shown, found.runs) == ("answered", "Hello.", [])
