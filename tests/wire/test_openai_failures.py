"""How a call of OpenAI fails, and what is tried again."""

import asyncio
import json
import re
from collections.abc import Sequence

import pytest

from bot.errors import ModelError
from bot.patience import Patience
from tests.servers.openai.wire import Answer, Failure, Stream, broken, chunk, says
from tests.wire.asking import HELLO, asked, error_of, heard, model_at
from tests.wire.pauses import Pauses

pytestmark = pytest.mark.slow

BUSY = Failure(429, "rate_limit_exceeded", "requests")
DOWN = Failure(503, None, "server_error")
BROKEN_OFF = broken({"content": "Hel"}, end="eof")
SILENT = broken(end="eof")


def busy(**headers: str) -> Failure:
    named = {name.replace("_", "-"): value for name, value in headers.items()}
    return Failure(429, "rate_limit_exceeded", "requests", headers=named)


def event(code: str | None, kind: str = "server_error") -> Stream:
    """An error in the middle of a stream."""
    error = {"error": {"message": "Oh.", "type": kind, "code": code}}
    return Stream((chunk({"role": "assistant"}), f"data: {json.dumps(error)}\n\n"))


@pytest.mark.parametrize(
    "first",
    [
        BUSY,
        DOWN,
        Failure(500),
        Failure(408),
        Failure(409),
        SILENT,
        broken(end="cut"),
        event(None),
        Stream(("data: {no json\n\n",)),
        Stream(('data: "no chunk"\n\n',)),
        Stream(('data: {"choices": 5}\n\n',)),
        Stream((chunk({}, "error"),)),
    ],
)
async def test_what_may_pass_is_tried_again(first: Answer) -> None:
    async with asked(first, says("Hi.")) as (server, model):
        pieces, _ = await heard(model)

    assert pieces == ["Hi."]
    assert server.requests[0] == server.requests[1]


async def test_after_three_attempts_it_is_given_up() -> None:
    error = await error_of(BUSY, BUSY, BUSY)

    assert (error.kind, error.retryable) == ("busy", True)


async def test_pauses_grow_and_are_shortened_at_random() -> None:
    pauses = Pauses()
    await error_of(DOWN, DOWN, DOWN, pauses=pauses)

    first, second = pauses.seconds
    assert 0.375 < first <= 0.5
    assert 0.75 < second <= 1.0


@pytest.mark.parametrize(
    ("headers", "seconds"),
    [
        ({"retry_after": "7"}, 7.0),
        ({"retry_after_ms": "250", "retry_after": "7"}, 0.25),
        ({"retry_after": "-1"}, 0.0),
        (
            {
                "retry_after": "Mon, 30 Nov 2026 12:00:09 GMT",
                "date": "Mon, 30 Nov 2026 12:00:00 GMT",
            },
            9.0,
        ),
    ],
)
async def test_a_pause_that_the_server_asks_for_is_kept(
    headers: dict[str, str], seconds: float
) -> None:
    pauses = Pauses()
    async with asked(busy(**headers), says("Hi."), pauses=pauses) as (_, model):
        await heard(model)

    assert pauses.seconds == [seconds]


async def test_a_pause_that_makes_no_sense_is_chosen_by_ourselves() -> None:
    pauses = Pauses()
    async with asked(busy(retry_after="soon"), says("Hi."), pauses=pauses) as (_, model):
        await heard(model)

    assert 0.375 < pauses.seconds[0] <= 0.5


async def test_a_pause_that_is_too_long_for_a_person_is_not_made() -> None:
    error = await error_of(busy(retry_after="90"))

    assert (error.kind, error.retryable, error.retry_after) == ("busy", True, 90.0)


@pytest.mark.parametrize(
    ("answer", "kind"),
    [
        (Failure(401, "invalid_api_key"), "account"),
        (Failure(403, "unsupported_country_region_territory"), "account"),
        (Failure(404, "model_not_found"), "account"),
        (Failure(429, "insufficient_quota", "insufficient_quota"), "account"),
        (event("insufficient_quota"), "account"),
        (Failure(400, "context_length_exceeded"), "too_long"),
        (Failure(400, type="exceed_context_size_error"), "too_long"),
        (Failure(413), "too_long"),
        (Failure(400, message="This model's maximum context length is 8192 tokens."), "too_long"),
        (Failure(500, message="Context size has been exceeded."), "too_long"),
        (event("context_length_exceeded"), "too_long"),
        (Failure(400, "content_policy_violation"), "blocked"),
        (Failure(400, "content_filter"), "blocked"),
        (Failure(400), "failed"),
        (Failure(422), "failed"),
        (event(None, "invalid_request_error"), "failed"),
    ],
)
async def test_what_will_not_pass_is_not_tried_again(answer: Answer, kind: str) -> None:
    error = await error_of(answer)

    assert (error.kind, error.retryable) == (kind, False)


async def test_a_key_that_is_refused_is_the_operators_business() -> None:
    async with asked() as (server, _), model_at(server.base_url, api_key="sk-wrong") as model:
        with pytest.raises(ModelError) as failed:
            await heard(model)

    assert (failed.value.kind, failed.value.retryable) == ("account", False)


async def test_a_server_that_is_not_there_fails_after_its_attempts() -> None:
    pauses = Pauses()
    async with model_at("http://127.0.0.1:9/v1", pauses=pauses) as model:
        with pytest.raises(ModelError) as failed:
            await heard(model)

    assert (failed.value.kind, failed.value.retryable) == ("failed", True)
    assert str(failed.value) == "openai:gpt-test at 127.0.0.1:9: no connection: Connection refused"
    assert len(pauses.seconds) == 2


async def test_a_server_that_is_silent_is_not_waited_for_for_ever() -> None:
    patience = Patience(silence_seconds=0.05, attempts=1)
    async with asked(broken(end="hang"), patience=patience) as (server, model):
        with pytest.raises(ModelError, match="timed out"):
            await heard(model)
        await server.left()


@pytest.mark.parametrize(
    "answer",
    [BROKEN_OFF, broken({"content": "Hel"}, end="cut"), broken({"content": "H"}, end="done")],
)
async def test_nothing_is_tried_again_once_text_was_heard(answer: Answer) -> None:
    pieces: list[object] = []
    async with asked(answer) as (server, model):
        with pytest.raises(ModelError):
            pieces.extend([piece async for piece in model.stream(HELLO)])

    assert len(server.requests) == 1


async def test_an_error_after_text_was_heard_still_says_whether_another_model_may_do_better() -> (
    None
):
    error = await error_of(BROKEN_OFF)

    assert (error.kind, error.retryable) == ("failed", True)


async def test_what_the_server_wrote_is_not_in_the_error() -> None:
    answer = Failure(400, "odd", message="Incorrect: sk-secret, 'Hello?'")
    error = await error_of(answer)

    assert re.fullmatch(
        r"openai:gpt-test at 127.0.0.1:\d+: 400 invalid_request_error odd req_1", str(error)
    )


async def test_a_model_that_is_not_known_is_told_as_that() -> None:
    error = await error_of(Failure(404))

    assert error.kind == "account"
    assert "the model, or the address itself, is not known there" in str(error)


async def test_whatever_an_address_makes_the_sdk_raise_is_a_failure_of_the_model() -> None:
    async with model_at("http://127.0.0.1:99999/v1", api_key="sk-secret") as model:
        with pytest.raises(ModelError, match="openai:gpt-test at ") as failed:
            await heard(model)

    assert "sk-secret" not in str(failed.value)


async def test_cancelling_closes_the_connection() -> None:
    spoken = asyncio.Event()
    async with asked(broken({"content": "Hel"}, end="hang")) as (server, model):

        async def listen() -> None:
            async for _ in model.stream(HELLO):
                spoken.set()

        task = asyncio.create_task(listen())
        await spoken.wait()
        task.cancel()
        await server.left()

    assert await outcomes(task) == [asyncio.CancelledError]


async def test_leaving_the_stream_early_closes_the_connection() -> None:
    async with asked(broken({"content": "Hel"}, end="hang")) as (server, model):
        stream = model.stream(HELLO)
        assert await anext(stream) == "Hel"
        await stream.aclose()

        await server.left()


async def outcomes(*tasks: asyncio.Task[None]) -> Sequence[type[object]]:
    done = await asyncio.gather(*tasks, return_exceptions=True)
    return [type(result) for result in done]
