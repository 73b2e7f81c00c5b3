"""The page on which a person talks to the bot with no workspace."""

from __future__ import annotations

from collections.abc import AsyncIterator
from dataclasses import dataclass, field

import aiohttp
import pytest

from tests.servers.slack.page import furnish, routes
from tests.servers.slack.people import Workspace
from tests.servers.slack.server import Slack, serving
from tests.servers.slack.world import Json
from tests.wire.slack_app import listening, web_client
from tests.wire.slack_server.hearing import Ears

pytestmark = pytest.mark.slow

GO = {"type": "button", "action_id": "go", "text": {"type": "plain_text", "text": "Go"}}


@dataclass
class Browser:
    """The page as Ann sees it."""

    slack: Slack
    session: aiohttp.ClientSession
    state: Json = field(default_factory=dict)

    @property
    def home(self) -> Workspace:
        return self.slack.workspaces[0]

    async def look(self, *, since: int = -1) -> Json:
        async with self.session.get(f"/page/state?since={since}") as response:
            self.state = await response.json()
        channel: Json = self.state["channels"][0]
        return channel

    async def act(self, do: str, **more: object) -> str:
        """The problem, if there is one."""
        who, channel = self.state["who"], self.state["channels"][0]["id"]
        body = {"who": who, "channel": channel, "do": do, **more}
        async with self.session.post("/page/act", json=body) as response:
            problem: str = (await response.json()).get("problem", "")
        return problem


@pytest.fixture
async def page() -> AsyncIterator[Browser]:
    async with serving(pages=routes) as slack:
        furnish(slack)
        base = slack.api_url.removesuffix("/api/")
        async with aiohttp.ClientSession(base) as session:
            browser = Browser(slack, session)
            await browser.look()
            yield browser


async def test_the_page_is_there(page: Browser) -> None:
    async with page.session.get("/") as response:
        assert "<title>A small chat</title>" in await response.text()
    assert [one["name"] for one in page.state["channels"]] == ["general", "secret", "Nimbus"]


async def test_what_is_typed_is_said_edited_and_deleted(page: Browser) -> None:
    await page.act("say", text="@nimbus 1 < 2?")
    [said] = (await page.look())["messages"]
    assert said["text"] == f"{page.home.mention} 1 &lt; 2?"

    await page.act("say", text="And @bob?", thread=said["ts"])
    await page.act("edit", ts=said["ts"], text="Never mind.")
    await page.act("delete", ts=said["ts"])
    gone, reply = (await page.look())["messages"]
    assert (gone["gone"], gone["edited"]) == (True, True)
    assert reply["thread"] == said["ts"]


async def test_the_page_waits_for_what_is_new(page: Browser) -> None:
    await page.look(since=page.state["version"] - 1)
    await page.act("open")

    shown = await page.look(since=page.state["version"])
    assert shown["messages"] == []


async def test_what_slack_does_not_let_people_do_is_told(page: Browser) -> None:
    await page.act("say", text="Hello?")
    [said] = (await page.look())["messages"]

    assert "thread" in await page.act("say", text="/nimbus forget", thread=said["ts"])
    assert await page.act("delete", ts="1") == "there is nothing like that"


async def test_a_command_and_its_button_reach_the_app(page: Browser) -> None:
    home = page.home
    async with listening(page.slack, home, Ears()):
        await page.act("say", text="/nimbus help")
        async with web_client(page.slack, home.bot_token) as client:
            await client.chat_postEphemeral(
                channel=page.state["channels"][0]["id"],
                user=page.state["who"],
                text="Sure?",
                blocks=[{"type": "actions", "elements": [GO]}],
            )
        [whisper] = (await page.look())["whispers"]
        assert page.state["connections"] == 1
        await page.act("click", ts=whisper["ts"], action="go")

    assert whisper["buttons"] == [{"action": "go", "text": "Go"}]
    assert [each.kind for each in home.hub.deliveries] == ["slash_commands", "interactive"]
