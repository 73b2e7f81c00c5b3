"""What is wrong at the start is named, with what to click."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import AsyncExitStack
from dataclasses import replace
from pathlib import Path

import pytest

from adapters.discord.checks import PERMISSIONS, complaints, identify, invitation, why_closed
from adapters.discord.opening import open_discord
from bot.errors import ConfigError
from bot.health import Health
from bot.opening import names_platforms, open_platforms
from bot.settings import Settings
from tests.fakes import ScriptedModel, says
from tests.servers.discord import faults
from tests.servers.discord.permissions import May
from tests.wire.discord_house import answered, given_for, listening, until, working
from tests.wire.discord_scene import Scene, open_scene

RESET = "developers/applications, your app, Bot, Reset Token"


@pytest.fixture
async def scene() -> AsyncIterator[Scene]:
    async with open_scene() as scene:
        yield scene


async def refused(scene: Scene, token: str) -> str:
    with pytest.raises(ConfigError) as error:
        async with open_discord(replace(given_for(scene.discord), token=token), Health()):
            pass
    return str(error.value)


@pytest.mark.parametrize("token", ["", "Bot a.b.c", "one.two", "a.b.ç"])
def test_what_is_no_token_is_told_without_asking(token: str) -> None:
    [sentence] = complaints(token)
    assert RESET in sentence
    assert not token or token not in sentence


def test_why_a_connection_was_closed_for_good_is_said_in_words() -> None:
    assert why_closed(4004).startswith("Discord does not know DISCORD_TOKEN")
    assert why_closed(4000) == ""


async def test_the_settings_open_it(scene: Scene) -> None:
    given = {"discord_token": scene.bot.token, "discord_api_url": scene.discord.api_url}
    settings = Settings.model_validate(given)

    assert names_platforms(settings)
    async with open_platforms(settings, Health(), wait_ms=10_000) as [platform]:
        assert platform.outlet.platform == "discord"


async def test_a_wrong_token_is_named_with_what_to_click(scene: Scene) -> None:
    assert RESET in await refused(scene, "wrong")
    assert RESET in await refused(scene, "wrong.wrong.wrong")


async def test_whatever_else_refuses_the_token_is_said(scene: Scene) -> None:
    fate = faults.Fate(before=faults.refused(50001))
    scene.discord.decide(faults.always(fate, "GET oauth2/applications/@me"))

    assert "Discord refuses DISCORD_TOKEN" in await refused(scene, scene.bot.token)


async def test_an_address_that_is_not_discords_api_is_not_the_tokens_fault(scene: Scene) -> None:
    given = given_for(scene.discord)
    elsewhere = replace(given, api_url=given.api_url.removesuffix("/api/v10"))
    with pytest.raises(ConfigError, match="DISCORD_API_URL") as error:
        async with open_discord(elsewhere, Health()):
            pass

    assert "DISCORD_TOKEN" not in str(error.value)


async def test_a_discord_that_is_away_is_waited_for(scene: Scene) -> None:
    scene.discord.decide(faults.nth(1, faults.Fate(before=faults.broken(503)), "GET users/@me"))
    health = Health()
    async with AsyncExitStack() as stack:
        _, account = await identify(
            stack, scene.bot.token, scene.discord.api_url, health, first_pause=0.001
        )

    assert (account.user, account.application) == (scene.bot.id, scene.bot.app.id)
    assert health.states["Discord"].how == "lost"  # until it is listened to


async def test_without_the_intent_it_starts_and_says_what_it_cannot_do(
    scene: Scene, caplog: pytest.LogCaptureFixture
) -> None:
    scene.bot.app.content_allowed = False
    async with listening(scene.discord, scene.desk):
        await scene.ann.says(scene.channel, "<@nimbus> hello")
        await until(lambda: scene.desk.events)

    assert caplog.text.count("Message Content Intent") == 1
    assert scene.bot.hub.identifies == 1


async def test_an_app_whose_interactions_go_elsewhere_is_told(
    scene: Scene, caplog: pytest.LogCaptureFixture
) -> None:
    scene.bot.app.interactions_url = "https://example.com"
    async with listening(scene.discord, scene.desk, waits=False):
        pass

    assert "Interactions Endpoint URL" in caplog.text


async def test_a_command_that_cannot_be_offered_keeps_nothing_from_starting(
    scene: Scene, caplog: pytest.LogCaptureFixture
) -> None:
    fate = faults.Fate(before=faults.refused(50001))
    scene.discord.decide(faults.always(fate, "GET applications/*/commands"))
    async with listening(scene.discord, scene.desk, waits=False):
        pass

    assert "Not offered" in caplog.text


def test_the_readme_invites_with_what_answering_takes() -> None:
    readme = (Path(__file__).parents[2] / "README.md").read_text("utf-8")

    assert invitation("YOUR_APPLICATION_ID") in readme


async def test_the_permissions_of_the_invitation_are_enough(scene: Scene, sqlite_url: str) -> None:
    """A server in which nobody may do anything, and the bot only what it asks for."""
    scene.discord.realm.guilds[scene.home.id].roles[scene.home.id].permissions = 0
    scene.home.allow(scene.bot, May(PERMISSIONS))
    scene.home.overwrite(scene.channel, scene.ann, allow=May(PERMISSIONS))
    async with working(scene.discord, sqlite_url, model=ScriptedModel(says("Hello."))):
        asked = await scene.ann.says(scene.channel, "<@nimbus> Hello")
        await scene.discord.until(lambda: asked.thread)
        assert asked.thread is not None
        await answered(scene.discord, asked.thread, "Hello.")
