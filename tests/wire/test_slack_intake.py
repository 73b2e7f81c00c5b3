"""From a person's keyboard to one answer, through real Bolt: whatever Slack repeats, however."""

from __future__ import annotations

from collections.abc import AsyncIterator
from functools import partial

import pytest

from bot.settings import Settings
from tests.fakes import ScriptedModel, says
from tests.servers.slack.people import Person, Workspace
from tests.servers.slack.server import Slack, serving
from tests.servers.slack.socket import Delivery, Pace
from tests.servers.slack.world import Channel
from tests.wire.slack_house import answered, said, working
from tests.wire.through import Through


@pytest.fixture
async def slack() -> AsyncIterator[Slack]:
    async with serving(pace=Pace(ack_seconds=2, retry_after=(0.0, 0.05, 0.05))) as server:
        yield server


@pytest.fixture
def home(slack: Slack) -> Workspace:
    return slack.workspace()


@pytest.fixture
def ann(home: Workspace) -> Person:
    return home.person("Ann")


@pytest.fixture
def channel(home: Workspace, ann: Person) -> Channel:
    return home.channel("general", ann)


async def test_direct_messages_as_threads_are_answered_in_threads(
    slack: Slack, home: Workspace, ann: Person, sqlite_url: str
) -> None:
    model = ScriptedModel(says("One."), says("Two."))
    settings = Settings(database_url=sqlite_url, tools=(), slack_dm="threads")
    channel = home.direct(ann)

    async with working(slack, sqlite_url, model=model, settings=settings):
        first = await ann.says(channel, "first")
        await answered(slack, home, channel)
        second = await ann.says(channel, "second")
        await answered(slack, home, channel, text="Two.")

    assert home.shown(channel, first.ts) == ["first", "> One."]
    assert home.shown(channel, second.ts) == ["second", "> Two."]
    assert len(model.requests[1].messages) == 1
    await model.close()


async def test_five_copies_at_once_get_one_answer(
    slack: Slack, home: Workspace, ann: Person, channel: Channel, sqlite_url: str
) -> None:
    model = ScriptedModel(says("Hello, Ann."))

    async with working(slack, sqlite_url, model=model):
        root = await ann.says(channel, "<@bot> Hello")
        deliveries = slack.about(root)
        await slack.again(*deliveries * 5)
        await answered(slack, home, channel, root.ts)
        await slack.again(*deliveries)
        await answered(slack, home, channel, root.ts)

    assert said(home, channel, root.ts) == ["Hello, Ann."]
    await model.close()


@pytest.mark.parametrize("mention_first", [True, False])
async def test_twins_get_one_answer(
    slack: Slack,
    home: Workspace,
    ann: Person,
    channel: Channel,
    sqlite_url: str,
    *,
    mention_first: bool,
) -> None:
    home.mention_first = mention_first
    model = ScriptedModel(says("Hello, Ann."))

    async with working(slack, sqlite_url, model=model):
        root = await ann.says(channel, "<@bot> Hello")
        await answered(slack, home, channel, root.ts)

    assert said(home, channel, root.ts) == ["Hello, Ann."]
    assert len(slack.about(root)) >= 2
    await model.close()


async def test_a_copy_after_a_restart_gets_no_second_answer(
    slack: Slack, home: Workspace, ann: Person, channel: Channel, sqlite_url: str
) -> None:
    model = ScriptedModel(says("Hello, Ann."))
    async with working(slack, sqlite_url, model=model):
        root = await ann.says(channel, "<@bot> Hello")
        await answered(slack, home, channel, root.ts)

    async with working(slack, sqlite_url, model=model):
        await slack.again(*slack.about(root))
        await answered(slack, home, channel, root.ts)

    assert said(home, channel, root.ts) == ["Hello, Ann."]
    await model.close()


async def test_what_was_said_while_nobody_listened_is_answered_when_slack_says_it_again(
    slack: Slack, home: Workspace, ann: Person, channel: Channel, sqlite_url: str
) -> None:
    slack.pace.retry_after = (5.0, 5.0, 5.0)
    root = await ann.says(channel, "<@bot> Hello")
    model = ScriptedModel(says("Hello, Ann."))

    async with working(slack, sqlite_url, model=model):
        home.hub.hurry()
        await answered(slack, home, channel, root.ts)

    assert said(home, channel, root.ts) == ["Hello, Ann."]
    await model.close()


async def test_what_cannot_be_written_down_is_answered_when_slack_says_it_again(
    slack: Slack, home: Workspace, ann: Person, channel: Channel, sqlite_url: str
) -> None:
    slack.pace.ack_seconds = 0.1
    model = ScriptedModel(says("Hello, Ann."))

    async with working(slack, sqlite_url, model=model, seen_as=partial(Through, failures=3)):
        root = await ann.says(channel, "<@bot> Hello")
        await answered(slack, home, channel, root.ts)

    assert said(home, channel, root.ts) == ["Hello, Ann."]
    assert sum(len(each.envelopes) for each in slack.about(root)) > 2
    await model.close()


async def test_an_edit_before_its_message_is_the_message(
    slack: Slack, home: Workspace, ann: Person, channel: Channel, sqlite_url: str
) -> None:
    model = ScriptedModel(says("Hello, Ann."))

    async with working(slack, sqlite_url, model=model):
        home.hub.held = []
        root = await ann.says(channel, "<@bot> Hell")
        await ann.edits(root, "<@bot> Hello")
        await sent_backwards(slack, home)
        await answered(slack, home, channel, root.ts)

    assert said(home, channel, root.ts) == ["Hello, Ann."]
    assert model.requests[0].messages[-1].text.endswith("Hello")
    await model.close()


async def test_a_delete_before_its_message_leaves_nothing_to_answer(
    slack: Slack, home: Workspace, ann: Person, channel: Channel, sqlite_url: str
) -> None:
    model = ScriptedModel()

    async with working(slack, sqlite_url, model=model):
        home.hub.held = []
        root = await ann.says(channel, "<@bot> Hello")
        await ann.deletes(root)
        await sent_backwards(slack, home)
        await slack.until(lambda: slack.quiet)

    assert said(home, channel) == []
    await model.close()


async def test_what_is_not_for_us_is_acknowledged_all_the_same(
    slack: Slack, home: Workspace, ann: Person, channel: Channel, sqlite_url: str
) -> None:
    model = ScriptedModel(says("Hello, Ann."))

    async with working(slack, sqlite_url, model=model):
        chatter = await ann.says(channel, "lunch?")
        await ann.unfurls(chatter, "a page")
        await ann.edits(chatter, "lunch at noon?")
        await ann.deletes(chatter)
        home.tell("app_mention", {"type": "team_join", "user": ann.id}, channel)
        root = await ann.says(channel, "<@bot> Hello")
        await answered(slack, home, channel, root.ts)

    assert said(home, channel, root.ts) == ["Hello, Ann."]
    assert all(each.acked and not each.late for each in slack.deliveries)
    await model.close()


async def test_two_workspaces_are_served_side_by_side(
    slack: Slack, home: Workspace, ann: Person, channel: Channel, sqlite_url: str
) -> None:
    other = slack.workspace("other")
    bob = other.person("Bob")
    elsewhere = other.channel("general", bob)
    model = ScriptedModel(says("Hello."), says("Hello."))

    async with working(slack, sqlite_url, model=model) as health:
        roots = await ann.says(channel, "<@bot> Hi"), await bob.says(elsewhere, "<@bot> Hi")
        await answered(slack, home, channel, roots[0].ts)
        await answered(slack, other, elsewhere, roots[1].ts)
        assert sorted(health.states) == ["Slack 1", "Slack 2"]
        assert health.is_ready

    assert said(home, channel, roots[0].ts) == said(other, elsewhere, roots[1].ts) == ["Hello."]
    await model.close()


async def sent_backwards(slack: Slack, home: Workspace) -> None:
    """What was held back is sent, the last first, each when the one before was heard."""
    held, home.hub.held = home.hub.held or [], None
    for delivery in reversed(held):
        home.hub.send(delivery)
        await slack.until(partial(_is_settled, delivery))


def _is_settled(delivery: Delivery) -> bool:
    return delivery.settled
