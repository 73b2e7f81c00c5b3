"""How a call of Gemini fails, and what is tried again."""

import asyncio
import json
import re

import pytest

from bot.errors import ModelError
from bot.patience import Patience
from tests.servers.gemini.form import Json
from tests.servers.gemini.wire import Answer, Failure, Stream, blocked, broken, chunk, says, whole
from tests.wire.asking import HELLO, heard
from tests.wire.asking_gemini import asked, error_of, model_at
from tests.wire.pauses import Pauses

BUSY = Failure(429, "RESOURCE_EXHAUSTED")
DOWN = Failure(503, "UNAVAILABLE", "The model is overloaded.")
HELLO_CUT: Json = {"text": "Hel"}


def busy(delay: str | None = None, **headers: str) -> Failure:
    info = {"@type": "type.googleapis.com/google.rpc.RetryInfo", "retryDelay": delay}
    named = {name.replace("_", "-"): value for name, value in headers.items()}
    return Failure(429, "RESOURCE_EXHAUSTED", details=(info,) if delay else (), headers=named)


def quota(name: str, value: str = "20") -> Failure:
    failure = {"violations": [{"quotaId": name, "quotaValue": value}]}
    told = {"@type": "type.googleapis.com/google.rpc.QuotaFailure", **failure}
    return Failure(429, "RESOURCE_EXHAUSTED", "You exceeded your current quota.", (told,))


def event(body: object) -> Stream:
    """An error in the middle of a stream."""
    return Stream((chunk(), f"data: {json.dumps(body)}\n\n"))


OVERLOADED = event(DOWN.body)


@pytest.mark.parametrize(
    "first",
    [
        BUSY,
        quota("GenerateRequestsPerMinutePerProjectPerModel"),
        DOWN,
        Failure(500, "INTERNAL"),
        Failure(502, "whatever"),
        Failure(504, "DEADLINE_EXCEEDED"),
        broken(end="done"),
        broken(end="cut"),
        OVERLOADED,
        event({"error": "a word"}),
        event({"error": {"message": "no code"}}),
        event([]),
        Stream(("data: {no json\n\n",)),
        Stream(('data: "no chunk"\n\n',)),
        Stream(('data: {"candidates": 5}\n\n',)),
        whole(finish="MALFORMED_FUNCTION_CALL"),
        whole(finish="MISSING_THOUGHT_SIGNATURE"),
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


@pytest.mark.parametrize(
    ("failure", "seconds"),
    [
        (busy(retry_after="7"), 7.0),
        (busy("17s"), 17.0),
        (busy("0.250s"), 0.25),
        (busy("17s", retry_after="7"), 7.0),
        (busy("17s", retry_after="soon"), 17.0),
    ],
)
async def test_a_pause_that_the_server_asks_for_is_kept(failure: Failure, seconds: float) -> None:
    pauses = Pauses()
    async with asked(failure, says("Hi."), pauses=pauses) as (_, model):
        await heard(model)

    assert pauses.seconds == [seconds]


async def test_a_pause_that_nobody_names_is_chosen_by_ourselves() -> None:
    pauses = Pauses()
    async with asked(busy(), says("Hi."), pauses=pauses) as (_, model):
        await heard(model)

    assert 0.375 < pauses.seconds[0] <= 0.5


async def test_a_pause_that_is_too_long_for_a_person_is_not_made() -> None:
    error = await error_of(busy("90s"))

    assert (error.kind, error.retryable, error.retry_after) == ("busy", True, 90.0)


@pytest.mark.parametrize(
    ("answer", "kind"),
    [
        (Failure(401, "UNAUTHENTICATED"), "account"),
        (Failure(403, "PERMISSION_DENIED"), "account"),
        (Failure(404, "NOT_FOUND"), "account"),
        (Failure(400, "FAILED_PRECONDITION"), "account"),
        (quota("GenerateRequestsPerDayPerProjectPerModel-FreeTier"), "account"),
        (quota("GenerateRequestsPerMinutePerProjectPerModel", "0"), "account"),
        (Failure(429, "RESOURCE_EXHAUSTED", "Your prepayment credits are depleted."), "account"),
        (
            Failure(400, message="The input token count (9) exceeds the maximum number of tokens"),
            "too_long",
        ),
        (Failure(413, "whatever"), "too_long"),
        (Failure(400), "failed"),
        (Failure(400, details=({"reason": 5}, {"violations": "none"})), "failed"),
        (blocked(), "blocked"),
        (blocked("SAFETY"), "blocked"),
    ],
)
async def test_what_will_not_pass_is_not_tried_again(answer: Answer, kind: str) -> None:
    error = await error_of(answer)

    assert (error.kind, error.retryable) == (kind, False)


async def test_a_key_that_is_refused_is_the_operators_business() -> None:
    async with asked() as (server, _), model_at(server.base_url, api_key="AIza-bad") as model:
        with pytest.raises(ModelError) as failed:
            await heard(model)

    assert (failed.value.kind, failed.value.retryable) == ("account", False)
    assert str(failed.value).endswith(": 400 INVALID_ARGUMENT API_KEY_INVALID")


async def test_a_server_that_is_not_there_fails_after_its_attempts() -> None:
    pauses = Pauses()
    async with model_at("http://127.0.0.1:9", pauses=pauses) as model:
        with pytest.raises(ModelError) as failed:
            await heard(model)

    assert (failed.value.kind, failed.value.retryable) == ("failed", True)
    assert (
        str(failed.value) == "gemini:gemini-test at 127.0.0.1:9: no connection: Connection refused"
    )
    assert len(pauses.seconds) == 2


async def test_a_server_that_is_silent_is_not_waited_for_for_ever() -> None:
    patience = Patience(silence_seconds=0.05, attempts=1)
    async with asked(broken(end="hang"), patience=patience) as (server, model):
        with pytest.raises(ModelError, match="timed out"):
            await heard(model)
        await server.left()


@pytest.mark.parametrize("end", ["done", "cut"])
async def test_nothing_is_tried_again_once_text_was_heard(end: str) -> None:
    pieces: list[object] = []
    answer = broken(HELLO_CUT, end="cut" if end == "cut" else "done")
    async with asked(answer) as (server, model):
        with pytest.raises(ModelError) as failed:
            pieces.extend([piece async for piece in model.stream(HELLO)])

    assert len(server.requests) == 1
    assert (failed.value.kind, failed.value.retryable) == ("failed", True)


async def test_what_the_server_wrote_is_not_in_the_error() -> None:
    error = await error_of(Failure(400, "odd: AIza-secret", "Incorrect: AIza-secret, 'Hello?'"))

    assert re.fullmatch(r"gemini:gemini-test at 127.0.0.1:\d+: 400", str(error))


async def test_cancelling_closes_the_connection() -> None:
    spoken = asyncio.Event()
    async with asked(broken(HELLO_CUT, end="hang")) as (server, model):

        async def listen() -> None:
            async for _ in model.stream(HELLO):
                spoken.set()

        task = asyncio.create_task(listen())
        await spoken.wait()
        task.cancel()
        await server.left()

    with pytest.raises(asyncio.CancelledError):
        await task


async def test_leaving_the_stream_early_closes_the_connection() -> None:
    async with asked(broken(HELLO_CUT, end="hang")) as (server, model):
        stream = model.stream(HELLO)
        assert await anext(stream) == "Hel"
        await stream.aclose()

        await server.left()


async def test_a_model_that_is_not_known_is_told_as_that() -> None:
    error = await error_of(Failure(404))

    assert error.kind == "account"
    assert "the model, or the address itself, is not known there" in str(error)


async def test_whatever_an_address_makes_the_sdk_raise_is_a_failure_of_the_model() -> None:
    async with model_at("http://127.0.0.1:99999/v1", api_key="sk-secret") as model:
        with pytest.raises(ModelError, match="gemini:gemini-test at ") as failed:
            await heard(model)

    assert "sk-secret" not in str(failed.value)
