"""Slash commands and buttons on the loopback, by discord.py's own tree and views."""

from __future__ import annotations

from collections.abc import AsyncIterator

import pytest
from discord import (
    ButtonStyle,
    DMChannel,
    HTTPException,
    Interaction,
    NotFound,
    Object,
    Thread,
    app_commands,
    ui,
)

from tests.servers.discord.homes import Bot, Server
from tests.servers.discord.permissions import May
from tests.servers.discord.server import Discord
from tests.servers.discord.world import Channel
from tests.servers.people import NotPossible
from tests.wire.discord_app import Client, client_of, listening
from tests.wire.discord_server.scene import Scene

pytestmark = pytest.mark.slow


class Commands(app_commands.Group):
    """Each does one thing that an interaction can be answered with."""

    heard: list[Interaction[Client]]

    @app_commands.command(description="Answers at once")
    async def status(self, interaction: Interaction[Client]) -> None:
        self.heard.append(interaction)
        await interaction.response.send_message("Fine.", ephemeral=True)

    @app_commands.command(description="Thinks first")
    async def forget(self, interaction: Interaction[Client], what: str = "all") -> None:
        self.heard.append(interaction)
        await interaction.response.defer(ephemeral=True, thinking=True)
        await interaction.edit_original_response(content=f"Forgotten: {what}.", view=confirmation())

    @app_commands.command(description="Says nothing")
    async def silent(self, interaction: Interaction[Client]) -> None:
        self.heard.append(interaction)


def confirmation() -> ui.View:
    view = ui.View(timeout=None)
    view.add_item(ui.Button(label="Yes", custom_id="forget:yes", style=ButtonStyle.danger))
    view.add_item(ui.Button(label="No", custom_id="forget:no", disabled=True))
    return view


@pytest.fixture
def commands() -> Commands:
    made = Commands(name="nimbus", description="What Nimbus can do")
    made.heard = []
    return made


@pytest.fixture
async def ears(
    discord: Discord, bot: Bot, channel: Channel, commands: Commands
) -> AsyncIterator[Client]:
    """A client that has told Discord its commands, for everywhere."""
    del channel
    client = Client()
    tree = app_commands.CommandTree(
        client,
        allowed_contexts=app_commands.AppCommandContext(guild=True, dm_channel=True),
        allowed_installs=app_commands.AppInstallationType(guild=True, user=False),
    )
    tree.add_command(commands)
    async with listening(discord, bot, client):
        await tree.sync()
        yield client


async def test_a_command_is_answered_so_that_only_its_user_sees_it(scene: Scene) -> None:
    used = await scene.ann.commands(scene.channel, "/nimbus status")
    await scene.discord.until(lambda: scene.discord.quiet and scene.ann.whispers)

    assert [each.content for each in scene.ann.whispers] == ["Fine."]
    assert used.answered == 4
    assert scene.channel.messages == []
    assert scene.client.texts == []


async def test_a_command_may_think_first_and_take_arguments(scene: Scene) -> None:
    used = await scene.ann.commands(scene.channel, "nimbus forget", what="me")
    assert not scene.discord.quiet
    await scene.discord.until(lambda: scene.discord.quiet)

    assert used.answered == 5
    assert [each.content for each in scene.ann.whispers] == ["Forgotten: me."]


async def test_commands_work_in_threads_and_direct_messages(
    scene: Scene, commands: Commands
) -> None:
    thread = await scene.ann.starts_thread(scene.channel, "Side talk")
    for place in (thread, scene.bot.direct(scene.ann)):
        await scene.ann.commands(place, "/nimbus status")
    await scene.discord.until(lambda: scene.discord.quiet and len(scene.ann.whispers) == 2)
    in_thread, alone = commands.heard

    assert isinstance(in_thread.channel, Thread)
    assert (str(in_thread.channel_id), str(in_thread.user.id)) == (thread.id, scene.ann.id)
    assert in_thread.permissions.send_messages_in_threads
    assert isinstance(alone.channel, DMChannel)
    assert (alone.guild, str(alone.user.id)) == (None, scene.ann.id)


async def test_a_button_on_what_only_one_sees_can_be_pressed(scene: Scene) -> None:
    await scene.ann.commands(scene.channel, "/nimbus forget")
    await scene.discord.until(lambda: scene.discord.quiet)
    [asked] = scene.ann.whispers

    async def on_interaction(interaction: Interaction[Client]) -> None:
        await interaction.response.edit_message(content="Gone.", view=None)

    scene.client.event(on_interaction)
    pressed = await scene.ann.clicks(asked, "forget:yes")
    await scene.discord.until(lambda: scene.discord.quiet)
    with pytest.raises(NotPossible):
        await scene.ann.clicks(asked, "forget:yes")

    assert pressed.answered == 7
    assert [(each.content, each.components) for each in scene.ann.whispers] == [("Gone.", [])]


async def test_a_button_of_a_common_message_may_be_answered_beside_it(scene: Scene) -> None:
    place = scene.client.get_partial_messageable(int(scene.channel.id))
    await place.send("Sure?", view=confirmation())
    [asked] = scene.bot.own(scene.channel)

    async def on_interaction(interaction: Interaction[Client]) -> None:
        await interaction.response.defer()
        await interaction.followup.send("Noted.", ephemeral=True)

    scene.client.event(on_interaction)
    await scene.ann.clicks(asked, "forget:yes")
    await scene.discord.until(lambda: scene.ann.whispers)
    with pytest.raises(NotPossible, match="disabled"):
        await scene.ann.clicks(asked, "forget:no")

    assert [each.content for each in scene.ann.whispers] == ["Noted."]
    assert scene.bot.shown(scene.channel) == ["> Sure?"]


async def test_an_answer_comes_in_three_seconds_once_and_for_a_quarter_of_an_hour(
    scene: Scene, commands: Commands
) -> None:
    late = await scene.ann.commands(scene.channel, "/nimbus silent")
    await scene.discord.until(lambda: commands.heard)
    scene.time.advance(3_000)
    with pytest.raises(NotFound) as too_late:
        await commands.heard[0].response.send_message("Here I am")
    assert late.has_failed(scene.time())

    await scene.ann.commands(scene.channel, "/nimbus silent")
    await scene.discord.until(lambda: len(commands.heard) == 2)
    [_, second] = commands.heard
    await second.response.send_message("Done.")
    scene.time.advance(15 * 60_000)
    with pytest.raises(HTTPException) as too_old:
        await second.followup.send("And more")

    assert (too_late.value.code, too_old.value.code) == (10062, 50027)


async def test_an_interaction_is_answered_only_once(scene: Scene, commands: Commands) -> None:
    await scene.ann.commands(scene.channel, "/nimbus silent")
    await scene.discord.until(lambda: commands.heard)
    [heard] = commands.heard
    await heard.response.send_message("Once.")
    again = {"type": 4, "data": {"content": "Twice."}}
    twice = await scene.refusal("POST", f"/interactions/{heard.id}/{heard.token}/callback", again)

    assert twice == (400, 40060)


async def test_an_answer_that_does_not_say_whom_it_calls_calls_people(
    scene: Scene, commands: Commands
) -> None:
    await scene.ann.commands(scene.channel, "/nimbus silent")
    await scene.discord.until(lambda: commands.heard)
    [heard] = commands.heard
    path = f"/interactions/{heard.id}/{heard.token}/callback"
    text = f"{scene.ann.mention} <@&{scene.home.id}>"
    await scene.call("POST", path, {"type": 4, "data": {"content": text}})
    [said] = scene.bot.own(scene.channel)

    assert said.pings == {scene.ann.id}


async def test_people_find_only_what_is_offered_there(scene: Scene) -> None:
    quiet = scene.home.channel("quiet")
    scene.home.overwrite(quiet, deny=May.USE_APPLICATION_COMMANDS)
    elsewhere = scene.discord.guild("elsewhere")
    elsewhere.admit(scene.ann)
    for place, line in (
        (scene.channel, "/nimbus"),
        (scene.channel, "/nimbus fly"),
        (scene.channel, "/other"),
        (quiet, "/nimbus status"),
        (elsewhere.channel("general"), "/nimbus status"),
    ):
        with pytest.raises(NotPossible):
            await scene.ann.commands(place, line)
    with pytest.raises(NotPossible, match="no such options"):
        await scene.ann.commands(scene.channel, "/nimbus status", what="me")

    assert scene.bot.hub.deliveries[-1].name != "INTERACTION_CREATE"


async def test_commands_keep_their_ids_when_they_are_told_again(
    discord: Discord, bot: Bot, home: Server, commands: Commands
) -> None:
    async with client_of(discord, bot) as client:
        tree = app_commands.CommandTree(client)
        tree.add_command(commands)
        first, second = await tree.sync(), await tree.sync()
        tree.copy_global_to(guild=Object(home.id))
        own = await tree.sync(guild=Object(home.id))
        fetched = await tree.fetch_commands()

    assert [each.id for each in first] == [each.id for each in second]
    assert [each.name for each in own] == ["nimbus"]
    assert [each.id for each in fetched] == [each.id for each in first]
