"""A word to one person that does not arrive costs nothing else."""

from __future__ import annotations

from collections.abc import AsyncIterator

import pytest

from tests.fakes import ScriptedModel, says
from tests.servers.slack import faults
from tests.servers.slack.people import Person, Workspace
from tests.servers.slack.server import Slack, serving
from tests.wire.slack_house import answered, said, working


@pytest.fixture
async def slack() -> AsyncIterator[Slack]:
    async with serving() as server:
        yield server


@pytest.fixture
def home(slack: Slack) -> Workspace:
    return slack.workspace()


@pytest.fixture
def ann(home: Workspace) -> Person:
    return home.person("Ann")


@pytest.mark.parametrize("act", [faults.broken(), faults.dropped])
async def test_an_answer_to_a_command(
    slack: Slack, home: Workspace, ann: Person, sqlite_url: str, act: faults.Act
) -> None:
    channel = home.channel("general", ann)
    slack.decide(faults.always(faults.Fate(before=act), "response_url"))

    async with working(slack, sqlite_url):
        delivery = await ann.commands(channel, "/nimbus help")
        await slack.until(lambda: slack.quiet and slack.requests[-1].method == "response_url")

    assert delivery.acked
    assert ann.whispers == []


async def test_a_greeting(slack: Slack, home: Workspace, ann: Person, sqlite_url: str) -> None:
    channel = home.direct(ann)
    broken = faults.Fate(before=faults.broken())
    slack.decide(faults.always(broken, "conversations.history"))

    async with working(slack, sqlite_url):
        await ann.opens_app()
        await slack.until(
            lambda: slack.quiet and slack.requests[-1].method == "conversations.history"
        )

    assert said(home, channel) == []


async def test_thanks(slack: Slack, home: Workspace, ann: Person, sqlite_url: str) -> None:
    channel = home.channel("general", ann)
    refused = faults.Fate(before=faults.refused("channel_not_found"))
    slack.decide(faults.always(refused, "chat.postEphemeral"))

    async with working(slack, sqlite_url):
        await ann.invites_bot(channel)
        await slack.until(lambda: slack.quiet and slack.requests[-1].method == "chat.postEphemeral")

    assert ann.whispers == []


@pytest.mark.parametrize("act", [faults.broken(), faults.limited_in_scaled_time(0.2)])
async def test_whether_somebody_is_a_guest(
    slack: Slack, home: Workspace, ann: Person, sqlite_url: str, act: faults.Act
) -> None:
    channel = home.channel("general", ann)
    slack.decide(faults.always(faults.Fate(before=act), "users.info"))
    model = ScriptedModel(says("Hello."))

    async with working(slack, sqlite_url, model=model):
        root = await ann.says(channel, "<@bot> Hi")
        await answered(slack, home, channel, root.ts, text="Hello.")

    await model.close()


async def test_a_workspace_without_a_token_is_acknowledged_and_not_answered(
    slack: Slack, home: Workspace, ann: Person, sqlite_url: str
) -> None:
    channel = home.channel("general", ann)

    async with working(slack, sqlite_url):
        home.team = "T0ELSEWHERE"
        await ann.says(channel, "<@bot> Hi")
        await slack.until(lambda: slack.quiet)

    assert said(home, channel) == []
