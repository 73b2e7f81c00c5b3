"""The page on which a person talks to the bot with no Discord."""

from __future__ import annotations

from collections.abc import AsyncIterator
from dataclasses import dataclass, field

import aiohttp
import pytest
from discord import Interaction, app_commands, ui

from tests.servers.discord.page import furnish, routes
from tests.servers.discord.server import Discord, serving
from tests.servers.discord.world import Json
from tests.wire.discord_app import Client, listening

pytestmark = pytest.mark.slow


@dataclass
class Browser:
    """The page as Ann sees it."""

    discord: Discord
    session: aiohttp.ClientSession
    state: Json = field(default_factory=dict)

    async def look(self, channel: str = "general") -> Json:
        async with self.session.get("/page/state?since=-1") as response:
            self.state = await response.json()
        found: Json = next(each for each in self.state["channels"] if each["name"] == channel)
        return found

    async def act(self, do: str, channel: str = "general", **more: object) -> str:
        """The problem, if there is one."""
        place = (await self.look(channel))["id"]
        body = {"who": self.state["who"], "channel": place, "do": do, **more}
        async with self.session.post("/page/act", json=body) as response:
            problem: str = (await response.json()).get("problem", "")
        return problem


@pytest.fixture
async def page() -> AsyncIterator[Browser]:
    async with serving(pages=routes) as discord:
        furnish(discord)
        async with aiohttp.ClientSession(discord.api_url.removesuffix("/api/v10")) as session:
            yield Browser(discord, session)


async def test_the_page_is_there(page: Browser) -> None:
    await page.look()
    async with page.session.get("/") as response:
        assert "<title>A small chat</title>" in await response.text()
    names = [one["name"] for one in page.state["channels"]]
    assert names == ["general", "secret", "questions", "Nimbus"]


async def test_what_is_typed_is_said_edited_and_deleted(page: Browser) -> None:
    await page.act("say", text="@nimbus 1 < 2?")
    [said] = (await page.look())["messages"]
    assert said["text"] == f"{page.discord.bots[0].mention} 1 < 2?"

    await page.act("reply", ts=said["ts"], text="And 2 < 3?")
    await page.act("edit", ts=said["ts"], text="Never mind.")
    first, reply = (await page.look())["messages"]
    assert (first["text"], first["edited"], reply["text"]) == ("Never mind.", True, "And 2 < 3?")
    await page.act("delete", ts=said["ts"])
    assert (await page.look())["messages"] == [reply]


async def test_what_is_typed_under_a_message_is_said_in_its_thread(page: Browser) -> None:
    await page.act("say", text="Hello?")
    [root] = (await page.look())["messages"]
    problem = await page.act("say", text="/nimbus forget", thread=root["ts"])
    await page.act("say", text="Anyone?", thread=root["ts"])
    await page.act("say", text="@bob?", thread=root["ts"])
    _, *replies = (await page.look())["messages"]

    assert problem == "there is no thread yet"
    assert {each["thread"] for each in replies} == {root["ts"]}
    assert replies[0]["text"] == "Anyone?"
    [thread] = [each for each in page.discord.realm.channels() if each.is_thread]
    assert thread.id == root["ts"]


async def test_what_is_typed_in_a_forum_is_a_post(page: Browser) -> None:
    await page.act("say", "questions", text="How?")
    [post] = (await page.look("questions"))["messages"]
    await page.act("say", "questions", text="Please", thread=post["ts"])
    _, more = (await page.look("questions"))["messages"]

    assert (post["thread"], post["text"]) == ("", "How?")
    assert (more["thread"], more["text"]) == (post["ts"], "Please")


async def test_what_discord_does_not_let_people_do_is_told(page: Browser) -> None:
    assert "no command" in await page.act("say", text="/nimbus help")
    assert await page.act("delete", ts="1") == "there is nothing like that"
    assert await page.act("open") == ""


async def test_a_command_and_its_button_reach_the_bot(page: Browser) -> None:
    client, [bot] = Client(), page.discord.bots
    tree = app_commands.CommandTree(client)

    class Sure(ui.View):
        @ui.button(label="Yes", custom_id="yes")
        async def yes(self, interaction: Interaction[Client], button: object) -> None:
            del button
            await interaction.response.edit_message(content="Gone.", view=None)

    @tree.command(name="forget", description="Forgets")
    async def forget(interaction: Interaction[Client]) -> None:
        await interaction.response.send_message("Sure?", view=Sure(), ephemeral=True)

    async with listening(page.discord, bot, client):
        await tree.sync()
        await page.act("say", text="/forget")
        await page.discord.until(lambda: page.discord.quiet)
        [whisper] = (await page.look())["whispers"]
        await page.act("click", ts=whisper["ts"], action="yes")
        await page.discord.until(lambda: page.discord.quiet)
        assert page.state["connections"] == 1
        [after] = (await page.look())["whispers"]

    assert whisper["buttons"] == [{"action": "yes", "text": "Yes"}]
    assert (after["text"], after["buttons"]) == ("Gone.", [])


async def test_who_types_is_seen(page: Browser) -> None:
    direct = await page.look("Nimbus")
    async with listening(page.discord, page.discord.bots[0]) as client:
        await client.http.send_typing(int(direct["id"]))
        seen = (await page.look("Nimbus"))["statuses"]

    assert seen == {"": "is typing …"}
