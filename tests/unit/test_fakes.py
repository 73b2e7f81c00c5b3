"""The scripted model complains when a test and the code disagree."""

from dataclasses import replace

import pytest

from bot.model import ModelRequest, ModelResponse
from memory.messages import assistant, user
from tests.fakes import FakeClock, ScriptedModel, says

REQUEST = ModelRequest("", (user("Hello."),))


async def heard(model: ScriptedModel, request: ModelRequest = REQUEST) -> list[str | ModelResponse]:
    return [piece async for piece in model.stream(request)]


async def test_a_script_is_followed() -> None:
    model = ScriptedModel(says("One", " two."))

    *pieces, response = await heard(model)

    assert pieces == ["One", " two."]
    assert isinstance(response, ModelResponse)
    assert response.message == assistant("One two.")
    await model.close()


async def test_a_request_too_many_fails_also_when_nobody_lets_it_out() -> None:
    model = ScriptedModel()

    with pytest.raises(AssertionError, match="one too many"):
        await heard(model)
    with pytest.raises(AssertionError, match="one too many"):
        await model.close()


async def test_a_step_left_over_fails_at_the_end() -> None:
    with pytest.raises(AssertionError, match="was not asked for"):
        await ScriptedModel(says("One.")).close()


async def test_a_request_that_a_provider_would_refuse_fails() -> None:
    model = ScriptedModel(says("One."))

    with pytest.raises(AssertionError, match="ends with an assistant message"):
        await heard(model, replace(REQUEST, messages=(user("Hello."), assistant("Yes."))))


def test_a_clock_moves_only_when_told() -> None:
    clock = FakeClock(5)
    clock.advance(7)

    assert clock() == clock() == 12
