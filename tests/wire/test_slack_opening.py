"""From tokens to a platform: all that is wrong with them is said at once."""

from __future__ import annotations

from collections.abc import AsyncIterator

import pytest

from adapters.slack.opening import Slack as SlackSettings
from adapters.slack.opening import open_slack
from bot.errors import ConfigError
from bot.health import Health
from tests.fakes import FakeClock
from tests.servers.slack.people import Workspace
from tests.servers.slack.server import Slack, serving


@pytest.fixture
async def slack() -> AsyncIterator[Slack]:
    async with serving() as server:
        yield server


@pytest.fixture
def home(slack: Slack) -> Workspace:
    return slack.workspace()


async def test_all_that_is_wrong_with_the_tokens_is_said_at_once(
    slack: Slack, home: Workspace
) -> None:
    home.scopes.remove("commands")
    other = slack.workspace("other")
    settings = SlackSettings(
        [home.bot_token, other.bot_token], [home.app_token, "xapp-1-wrong"], slack.api_url
    )

    with pytest.raises(ConfigError) as error:
        async with open_slack(settings, Health(), FakeClock()):
            pass
    first, second = error.value.problems
    assert "lacks the scope commands" in first
    assert "SLACK_APP_TOKEN (number 2)" in second

    with pytest.raises(ConfigError, match="there are 1 and 0"):
        async with open_slack(
            SlackSettings([home.bot_token], [], slack.api_url), Health(), FakeClock()
        ):
            pass
