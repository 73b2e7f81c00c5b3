"""Before anything starts: what is wrong is said in words that tell what to click."""

from __future__ import annotations

from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import pytest
from aiohttp import web

from adapters.slack.checks import (
    EVENTS,
    OPTIONAL_SCOPES,
    SCOPES,
    complaints,
    identify,
    try_socket,
    why_away,
)
from adapters.slack.events import Installation
from adapters.slack.web import SlackError, open_client, refusal
from bot.errors import ConfigError
from bot.health import Health, State
from tests.servers.slack import faults
from tests.servers.slack.people import Workspace
from tests.servers.slack.server import Slack, serving

ROOT = Path(__file__).resolve().parent.parent.parent


@pytest.fixture
async def slack() -> AsyncIterator[Slack]:
    async with serving() as server:
        yield server


@pytest.fixture
def home(slack: Slack) -> Workspace:
    return slack.workspace()


async def identified(slack: Slack, token: str, number: int = 1) -> Installation:
    async with open_client(token, slack.api_url) as client:
        return await identify(client, number, Health())


async def connected(slack: Slack, home: Workspace, app_token: str, number: int = 1) -> None:
    async with open_client(home.bot_token, slack.api_url) as client:
        await try_socket(client, app_token, number)


def said(error: pytest.ExceptionInfo[ConfigError]) -> str:
    [problem] = error.value.problems
    return problem


def test_a_pair_of_tokens_is_fine() -> None:
    assert complaints(["xoxb-1"], ["xapp-1"]) == []
    assert complaints(["xoxb-1", "xoxe.xoxb-1"], ["xapp-1", "xapp-2"]) == []


def test_swapped_tokens_are_both_named_and_never_repeated() -> None:
    bot, app = complaints(["xapp-secret"], ["xoxb-secret"])

    assert bot.startswith("SLACK_BOT_TOKEN holds an app-level token")
    assert "OAuth & Permissions" in bot
    assert app.startswith("SLACK_APP_TOKEN holds a bot token")
    assert "App-Level Tokens" in app
    assert "secret" not in bot + app


def test_something_else_than_tokens_is_named() -> None:
    bot, app = complaints(["hello"], ["hello"])

    assert "SLACK_BOT_TOKEN must hold a token that begins with xoxb-" in bot
    assert "SLACK_APP_TOKEN must hold a token that begins with xapp-" in app


def test_tokens_come_in_pairs() -> None:
    [problem] = complaints(["xoxb-1", "xoxb-2"], ["xapp-1"])

    assert "there are 2 and 1" in problem


async def test_a_token_tells_who_we_are(slack: Slack, home: Workspace) -> None:
    us = await identified(slack, home.bot_token)

    assert us == Installation(home.team, home.team, home.bot.id, home.bot.bot_id)


async def test_in_an_organisation_the_organisation_is_the_workspace(
    slack: Slack, home: Workspace
) -> None:
    body = {"ok": True, "user_id": "U1", "bot_id": "B1", "team_id": "T1", "enterprise_id": "E1"}
    slack.decide(answered({**body, "is_enterprise_install": True}))
    assert await identified(slack, home.bot_token) == Installation(
        "E1", "T1", "U1", "B1", enterprise="E1", is_org=True
    )

    slack.decide(answered({**body, "is_enterprise_install": False}))
    assert (await identified(slack, home.bot_token)).workspace == "T1"


async def test_an_unknown_token_is_refused_with_the_place_to_find_it(slack: Slack) -> None:
    with pytest.raises(ConfigError) as error:
        await identified(slack, "xoxb-wrong", 2)

    assert said(error).startswith("Slack refuses SLACK_BOT_TOKEN (number 2) (invalid_auth).")
    assert "Bot User OAuth Token" in said(error)


async def test_a_removed_app_has_to_be_installed_again(slack: Slack, home: Workspace) -> None:
    home.token_error = "account_inactive"

    with pytest.raises(ConfigError) as error:
        await identified(slack, home.bot_token)

    assert "Install it again" in said(error)


@pytest.mark.parametrize(
    ("missing", "words"),
    [
        (["users:read"], "lacks the scope users:read."),
        (["im:history", "commands"], "lacks the scopes commands, im:history."),
    ],
)
async def test_missing_scopes_are_named_with_what_to_click(
    slack: Slack, home: Workspace, missing: list[str], words: str
) -> None:
    home.scopes -= set(missing)

    with pytest.raises(ConfigError) as error:
        await identified(slack, home.bot_token)

    assert words in said(error)
    assert "Bot Token Scopes" in said(error)
    assert "Reinstall to Workspace" in said(error)


async def test_while_slack_is_away_it_is_asked_again(slack: Slack, home: Workspace) -> None:
    slack.decide(faults.nth(1, faults.Fate(before=faults.broken())))
    health = Health()

    async with open_client(home.bot_token, slack.api_url) as client:
        us = await identify(client, 1, health, first_pause=0)

    assert us.team == home.team
    assert health.states["Slack 1"] == State("lost", "HTTP 500")


async def test_as_long_as_slack_is_away_the_log_says_so_again(
    slack: Slack, home: Workspace, caplog: pytest.LogCaptureFixture
) -> None:
    slack.decide(faults.first(2, faults.Fate(before=faults.broken()), "auth.test"))
    async with open_client(home.bot_token, slack.api_url) as client:
        await identify(client, 1, Health(), first_pause=0)

    assert caplog.text.count("Slack 1 is away: HTTP 500") == 2


async def test_an_address_that_is_not_slacks_api_is_named(slack: Slack, home: Workspace) -> None:
    async def lost(_request: faults.Request) -> web.Response:
        return web.Response(status=404, text="no such page")

    slack.decide(faults.nth(1, faults.Fate(before=lost)))
    health = Health()
    async with open_client(home.bot_token, slack.api_url) as client:
        await identify(client, 1, health, first_pause=0)

    address = slack.api_url.removeprefix("http://")
    assert health.states["Slack 1"].why == (
        f"what answers at SLACK_API_URL ({address}) is not Slack's API (HTTP 404)"
    )


@pytest.mark.parametrize(
    ("error", "address", "words"),
    [
        (refusal(404, "", {}), "https://me:secret@a.example/x/", "SLACK_API_URL (a.example/x/)"),
        (SlackError("no connection"), "http://a.example:1/api/", "to SLACK_API_URL (a.example:1"),
    ],
)
def test_an_address_that_may_be_wrong_is_named_without_its_password(
    error: SlackError, address: str, words: str
) -> None:
    assert words in why_away(error, address)
    assert "secret" not in why_away(error, address)


@pytest.mark.parametrize("code", ["no connection", "no answer", "internal_error"])
def test_where_slack_itself_is_away_no_setting_is_named(code: str) -> None:
    assert why_away(SlackError(code), "https://slack.com/api/") == code


@pytest.mark.parametrize("status", [429, 502])
def test_what_passes_is_not_the_addresss_fault(status: int) -> None:
    assert why_away(refusal(status, "", {}), "http://a.example/api/") == f"HTTP {status}"


async def test_slack_is_asked_again_no_sooner_than_it_says(slack: Slack, home: Workspace) -> None:
    limited = faults.Fate(before=faults.limited_in_scaled_time(0.05))
    slack.decide(faults.nth(1, limited))

    async with open_client(home.bot_token, slack.api_url) as client:
        await identify(client, 1, Health(), first_pause=0)

    first, second = slack.requests
    assert second.at - first.at >= 50


async def test_a_right_app_token_opens_a_socket(slack: Slack, home: Workspace) -> None:
    await connected(slack, home, home.app_token)

    assert [each.method for each in slack.requests] == ["apps.connections.open"]


async def test_a_bot_token_opens_no_socket(slack: Slack, home: Workspace) -> None:
    with pytest.raises(ConfigError) as error:
        await connected(slack, home, home.bot_token)

    assert said(error).startswith("SLACK_APP_TOKEN is not an app-level token.")


async def test_an_unknown_app_token_is_named(slack: Slack, home: Workspace) -> None:
    with pytest.raises(ConfigError) as error:
        await connected(slack, home, "xapp-1-A1-wrong", 2)

    assert "does not know SLACK_APP_TOKEN (number 2)" in said(error)


async def test_an_app_token_needs_its_one_scope(slack: Slack, home: Workspace) -> None:
    home.app_token_connects = False

    with pytest.raises(ConfigError) as error:
        await connected(slack, home, home.app_token)

    assert "lacks the scope connections:write" in said(error)


async def test_socket_mode_must_be_on(slack: Slack, home: Workspace) -> None:
    home.hub.enabled = False

    with pytest.raises(ConfigError) as error:
        await connected(slack, home, home.app_token)

    assert "Socket Mode is off" in said(error)
    assert "Enable Socket Mode" in said(error)


async def test_a_socket_that_fails_for_a_while_stops_no_start(
    slack: Slack, home: Workspace
) -> None:
    slack.decide(faults.always(faults.Fate(before=faults.broken())))

    await connected(slack, home, home.app_token)


def test_the_manifest_asks_for_what_is_checked_and_for_nothing_else() -> None:
    text = (ROOT / "slack-manifest.yaml").read_text()

    assert listed(text, "bot:") == sorted([*SCOPES, *OPTIONAL_SCOPES])
    assert listed(text, "bot_events:") == sorted(EVENTS)


def listed(text: str, heading: str) -> list[str]:
    """The items under a heading of the manifest."""
    lines = text.splitlines()
    start = next(number for number, line in enumerate(lines) if line.strip() == heading) + 1
    items = []
    for line in lines[start:]:
        if not line.strip().startswith("- "):
            break
        items.append(line.strip().removeprefix("- "))
    return items


def answered(body: dict[str, Any]) -> faults.Fates:
    async def instead(_request: faults.Request) -> web.Response:
        return web.json_response(body, headers={"x-oauth-scopes": ",".join(SCOPES)})

    return faults.always(faults.Fate(before=instead))
