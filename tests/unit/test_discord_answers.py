"""What Discord answers, told in our words."""

import json

import pytest

from adapters.discord.answers import Answer, DiscordError, read_answer, refusal
from tests.servers.discord.calls import REFUSALS

VIA = {"Via": "1.1 google"}


def refused(status: int, body: object, headers: dict[str, str] | None = None) -> DiscordError:
    text = body if isinstance(body, str) else json.dumps(body)
    with pytest.raises(DiscordError) as error:
        read_answer(status, headers or {}, text)
    return error.value


@pytest.mark.parametrize(
    ("status", "body", "data"), [(200, '{"id": "1"}', {"id": "1"}), (204, "", None)]
)
def test_what_worked_is_what_was_told(status: int, body: str, data: object) -> None:
    assert read_answer(status, {}, body) == Answer(data)


@pytest.mark.parametrize(("remaining", "pause"), [("0", 2.5), ("1", 0.0)])
def test_the_last_call_that_a_rate_allows_is_followed_by_a_pause(
    remaining: str, pause: float
) -> None:
    headers = {"X-RateLimit-Remaining": remaining, "X-RateLimit-Reset-After": "2.5"}

    assert read_answer(200, headers, "{}").pause == pause


@pytest.mark.parametrize(
    ("code", "words"),
    [
        (10003, "the channel or thread is gone"),
        (10008, "the message is gone"),
        (30046, "an old message may not be edited any more"),
        (50001, "we may not see the channel"),
        (50007, "the person takes no direct messages from us"),
        (50013, "a permission is missing there"),
        (50035, "the message has a form that Discord does not take"),
        (50083, "the thread is archived"),
        (160004, "the message has a thread already"),
        (160005, "the thread is locked"),
        (50024, "a channel of this kind does not take that"),
        (10013, "code 10013"),
    ],
)
def test_a_refusal_has_words_and_is_for_good(code: int, words: str) -> None:
    status, message = REFUSALS[code]
    error = refused(status, {"code": code, "message": message}, VIA)

    assert str(error) == f"{words} (HTTP {status})"
    assert (error.permanent, error.unknown, error.retry_after) == (True, False, None)


def test_a_token_that_is_no_longer_valid_is_told_as_such() -> None:
    error = refused(401, {"message": "401: Unauthorized", "code": 0})

    assert (str(error), error.permanent) == ("the token is not valid any more (HTTP 401)", True)


@pytest.mark.parametrize(
    ("status", "body", "unknown"),
    [
        (500, "<html>", True),
        (503, {"code": 130000, "message": "overloaded"}, True),
        (403, "<html>a wall</html>", False),
        (403, "[]", False),
    ],
)
def test_what_passes_is_not_for_good(status: int, body: object, unknown: bool) -> None:  # noqa: FBT001
    error = refused(status, body)

    assert (error.permanent, error.unknown) == (False, unknown)


@pytest.mark.parametrize(
    ("headers", "seconds", "is_global"),
    [
        ({**VIA, "Retry-After": "2.5"}, 2.5, False),
        (VIA, 7.0, False),
        ({**VIA, "X-RateLimit-Global": "true"}, 7.0, True),
        ({}, 7.0, True),
    ],
)
def test_a_429_says_how_long_and_for_what(
    headers: dict[str, str],
    seconds: float,
    is_global: bool,  # noqa: FBT001
) -> None:
    error = refused(429, {"message": "slow down", "retry_after": 7.0}, headers)

    assert (error.permanent, error.unknown) == (False, False)
    assert (error.retry_after, error.is_global) == (seconds, is_global)


def test_a_429_without_a_word_is_for_a_second() -> None:
    assert refused(429, "<html>").retry_after == 1


def test_a_rate_that_the_library_tells_is_not_for_good() -> None:
    assert not refusal(429, 0).permanent
