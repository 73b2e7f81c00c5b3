"""Slack on the loopback, driven by Slack's own libraries: what is said, told and answered."""

from __future__ import annotations

import pytest

from tests.servers.slack.people import Workspace
from tests.servers.slack.server import Slack
from tests.servers.slack.world import Json
from tests.wire.slack_app import listening, web_client

pytestmark = pytest.mark.slow


async def test_a_mention_is_told_twice_and_answered_in_its_thread(
    slack: Slack, home: Workspace
) -> None:
    ann = home.person("Ann")
    channel = home.channel("general", ann)
    heard: list[Json] = []

    async def hears(body: Json) -> None:
        heard.append(body)

    async with listening(slack, home, hears) as app:
        asked = await ann.says(channel, "<@bot> Hello?")
        await slack.until(lambda: slack.quiet)
        await app.client.chat_postMessage(channel=channel.id, thread_ts=asked.ts, text="Hi.")
        await slack.until(lambda: home.shown(channel, asked.ts)[1:])

    assert [body["event"]["type"] for body in heard] == ["app_mention", "message"]
    assert len({body["event_id"] for body in heard}) == 2
    assert {body["event"]["ts"] for body in heard} == {asked.ts}
    assert home.shown(channel, asked.ts) == [f"{home.mention} Hello?", "> Hi."]


async def test_who_the_app_is_and_what_it_may(slack: Slack, home: Workspace) -> None:
    async with web_client(slack, home.bot_token) as client:
        answer = await client.auth_test()

    assert (answer["team_id"], answer["user_id"]) == (home.team, home.bot.id)
    assert answer.headers["x-oauth-scopes"].split(",") == sorted(home.scopes)
