"""Several models as one."""

from __future__ import annotations

import logging
from dataclasses import replace

import pytest

from bot.errors import ModelError
from bot.fallback import Fallback, ready
from bot.model import Model, ModelRequest, ModelResponse
from memory.messages import Message, assistant, user
from tests.fakes import FakeClock, ScriptedModel, Step, fails, hangs, says

REQUEST = ModelRequest("Be brief.", (user("Hi."), assistant("Hi."), user("Well?")))
DOWN = ModelError("one: 503", retryable=True)
NO_KEY = ModelError("one: 401", retryable=False, kind="account")
WRONG = ModelError("one: 400", retryable=False)
BLOCKED = ModelError("one: blocked", retryable=False, kind="blocked")
TOO_LONG = ModelError("one: too long", retryable=False, kind="too_long")


def fallen(*scripts: tuple[Step, ...]) -> tuple[Fallback, list[ScriptedModel]]:
    """One model for each script."""
    models = [ScriptedModel(*steps) for steps in scripts]
    return Fallback(models), models


async def heard(model: Model) -> tuple[list[str], Message]:
    *pieces, response = [piece async for piece in model.stream(REQUEST)]
    assert isinstance(response, ModelResponse)
    return [str(piece) for piece in pieces], response.message


async def error_of(model: Model) -> ModelError:
    with pytest.raises(ModelError) as failed:
        await heard(model)
    return failed.value


def asked(models: list[ScriptedModel]) -> list[int]:
    """How often each was asked."""
    return [len(model.requests) for model in models]


async def test_one_model_is_asked_and_answers() -> None:
    fallback, _ = fallen((says("Well", "."),))

    assert await heard(fallback) == (["Well", "."], assistant("Well."))
    assert fallback.name == "scripted"
    await fallback.close()


@pytest.mark.parametrize("error", [DOWN, NO_KEY, WRONG])
async def test_the_next_model_is_asked_when_one_fails(error: ModelError) -> None:
    fallback, _ = fallen((fails(error=error),), (says("Well."),))

    assert await heard(fallback) == (["Well."], assistant("Well."))
    assert fallback.name == "scripted, scripted"
    await fallback.close()


async def test_nothing_is_handed_on_after_text_was_heard() -> None:
    fallback, models = fallen((fails("We", error=DOWN),), ())

    assert await error_of(fallback) is DOWN
    assert asked(models) == [1, 0]


async def test_what_a_provider_blocked_is_not_taken_to_another() -> None:
    fallback, models = fallen((fails(error=BLOCKED),), ())

    assert await error_of(fallback) is BLOCKED
    assert asked(models) == [1, 0]


async def test_of_several_failures_the_one_that_a_person_can_wait_for_is_told() -> None:
    fallback, _ = fallen((fails(error=DOWN),), (fails(error=NO_KEY),))

    assert await error_of(fallback) is DOWN


async def test_the_operator_hears_of_every_model_that_failed(
    caplog: pytest.LogCaptureFixture,
) -> None:
    fallback, _ = fallen((fails(error=NO_KEY),), (fails(error=DOWN),))
    await error_of(fallback)

    assert [(record.levelno, record.getMessage()) for record in caplog.records] == [
        (logging.ERROR, "one of the models failed: one: 401"),
        (logging.WARNING, "one of the models failed: one: 503"),
    ]


async def test_a_single_model_that_failed_is_told_of_once(
    caplog: pytest.LogCaptureFixture,
) -> None:
    fallback, _ = fallen((fails(error=NO_KEY),))
    await error_of(fallback)

    assert caplog.records == []  # the agent tells it


async def test_a_model_that_failed_is_asked_last_until_it_has_rested() -> None:
    clock = FakeClock(now=100)
    models = [ScriptedModel(fails(error=DOWN), says("1")), ScriptedModel(says("2"), says("2"))]
    fallback = Fallback(models, rest_seconds=60, clock=clock)

    answers = []
    for seconds in (0, 59, 1):
        clock.advance(seconds)
        answers.append((await heard(fallback))[0])

    assert answers == [["2"], ["2"], ["1"]]
    await fallback.close()


async def test_a_model_may_be_asked_before_others_while_it_does_not_rest() -> None:
    clock = FakeClock(now=100)
    models = [ScriptedModel(says("1")), ScriptedModel(says("2"), fails(error=DOWN))]
    models[1].name = "other"
    fallback = Fallback(models, clock=clock)
    request = replace(REQUEST, first="other")

    answers = [[piece async for piece in fallback.stream(request)] for _ in "12"]

    assert [pieces[0] for pieces in answers] == ["2", "1"]
    assert fallback.ready() == ["scripted"]
    await fallback.close()


async def test_models_that_rest_are_ready_only_when_all_do() -> None:
    fallback, [model, _] = fallen((fails(error=DOWN),), (fails(error=DOWN),))
    before = ready(fallback)
    await error_of(fallback)

    assert before == ready(fallback) == ["scripted", "scripted"]
    assert ready(model) == ("scripted",)


async def test_models_that_all_rest_are_asked_all_the_same() -> None:
    fallback, _ = fallen((fails(error=DOWN), says("1")), (fails(error=DOWN),))
    await error_of(fallback)

    assert (await heard(fallback))[0] == ["1"]
    await fallback.close()


async def test_what_is_too_long_is_made_shorter_once() -> None:
    fallback, [model] = fallen((fails(error=TOO_LONG), says("Well.")))

    assert (await heard(fallback))[0] == ["Well."]
    assert model.requests == [REQUEST, ModelRequest("Be brief.", (user("Well?"),))]


async def test_what_is_still_too_long_is_handed_on_as_it_was() -> None:
    fallback, models = fallen(
        (fails(error=TOO_LONG), fails(error=TOO_LONG), says("1")), (says("2"),)
    )

    assert [(await heard(fallback))[0] for _ in "12"] == [["2"], ["1"]]
    assert models[1].requests == [REQUEST]


async def test_what_cannot_be_made_shorter_is_not_asked_again() -> None:
    model = ScriptedModel(fails(error=TOO_LONG))
    pieces = Fallback([model]).stream(ModelRequest("", (user("Well?"),)))
    with pytest.raises(ModelError):
        await anext(pieces)

    assert len(model.requests) == 1


async def test_leaving_early_closes_the_request() -> None:
    fallback, [model] = fallen((hangs("We"),))
    stream = fallback.stream(REQUEST)
    await anext(stream)
    await stream.aclose()

    assert model.open_streams == 0


class Lid(ScriptedModel):
    """Notes that it was closed, and fails if it is to."""

    def __init__(self, *, jams: bool = False) -> None:
        super().__init__()
        self.is_closed = False
        self._jams = jams

    async def close(self) -> None:
        self.is_closed = True
        if self._jams:
            raise OSError


async def test_every_model_is_closed_also_when_one_cannot_be() -> None:
    models = [Lid(), Lid(jams=True), Lid()]
    with pytest.raises(OSError, match=r"^$"):
        await Fallback(models).close()

    assert all(model.is_closed for model in models)
