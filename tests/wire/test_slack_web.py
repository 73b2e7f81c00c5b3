"""What Slack refuses and what it leaves open, in our words."""

from __future__ import annotations

from collections.abc import AsyncIterator

import pytest
from aiohttp import web
from slack_sdk.web.async_client import AsyncWebClient

from adapters.slack.web import SlackError, asked, open_client
from tests.servers.slack.faults import Fate, Request
from tests.servers.slack.server import Slack, serving

JSON = "application/json"


@pytest.fixture
async def slack() -> AsyncIterator[Slack]:
    async with serving() as server:
        yield server


@pytest.fixture
async def client(slack: Slack) -> AsyncIterator[AsyncWebClient]:
    home = slack.workspace()
    async with open_client(home.bot_token, slack.api_url) as opened:
        yield opened


async def refused(client: AsyncWebClient, within_ms: int = 4_000) -> SlackError:
    with pytest.raises(SlackError) as caught:
        await asked(client.auth_test(), within_ms)
    return caught.value


def answering(response: web.Response) -> Fate:
    async def instead(_request: Request) -> web.Response:
        return response

    return Fate(before=instead)


def as_json(error: str, status: int = 200, **headers: str) -> Fate:
    body = {"ok": False, "error": error}
    return answering(web.json_response(body, status=status, headers=headers))


async def test_an_answer_comes_back(client: AsyncWebClient) -> None:
    assert (await asked(client.auth_test()))["ok"]


@pytest.mark.parametrize(  # its word, whether it stays so, whether it may have happened
    ("fate", "outcome"),
    [
        (as_json("is_archived"), ("is_archived", True, False)),
        (as_json("internal_error"), ("internal_error", False, True)),
        (as_json("service_unavailable", 503), ("service_unavailable", False, False)),
        (answering(web.Response(status=502, text="bad")), ("HTTP 502", False, True)),
        (answering(web.Response(status=403, text="no")), ("HTTP 403", False, False)),
        (answering(web.Response(text="{", content_type=JSON)), ("no answer", False, True)),
    ],
)
async def test_a_refusal_says_whether_to_try_again(
    slack: Slack, client: AsyncWebClient, fate: Fate, outcome: tuple[str, bool, bool]
) -> None:
    slack.decide(lambda _request: fate)

    error = await refused(client)

    assert (error.code, error.permanent, error.unknown) == outcome


async def test_too_many_requests_say_for_how_long(slack: Slack, client: AsyncWebClient) -> None:
    slack.decide(lambda _request: as_json("ratelimited", 429, **{"Retry-After": "30"}))

    error = await refused(client)

    assert (error.permanent, error.retry_after) == (False, 30)


async def test_a_broken_connection_leaves_open_what_happened(
    slack: Slack, client: AsyncWebClient
) -> None:
    slack.cut_network()

    assert (await refused(client)).unknown


async def test_nobody_there_means_that_nothing_happened() -> None:
    async with open_client("xoxb-1", "http://127.0.0.1:1/api/") as client:
        error = await refused(client)

    assert (error.code, error.unknown) == ("no connection", False)
