"""What people do on the loopback, and how the app hears of it."""

from __future__ import annotations

from collections.abc import AsyncIterator

import pytest
from slack_bolt.async_app import AsyncApp
from slack_sdk.errors import SlackApiError

from tests.servers.slack.people import NotPossible, Person, Workspace
from tests.servers.slack.server import Slack
from tests.servers.slack.world import Channel, Json
from tests.wire.slack_app import listening
from tests.wire.slack_server.hearing import Ears, settle

pytestmark = pytest.mark.slow


@pytest.fixture
def ears() -> Ears:
    return Ears()


@pytest.fixture
async def app(slack: Slack, home: Workspace, ears: Ears) -> AsyncIterator[AsyncApp]:
    async with listening(slack, home, ears) as app:
        yield app


@pytest.mark.usefixtures("app")
async def test_an_edit_and_a_deletion_are_told_as_changes(
    slack: Slack, ann: Person, channel: Channel, ears: Ears
) -> None:
    said = await ann.says(channel, "Helo?")
    await ann.edits(said, "Hello?")
    await ann.deletes(said)
    await settle(slack)

    _, changed, deleted = ears.events
    assert changed["subtype"] == "message_changed"
    assert changed["previous_message"]["text"] == "Helo?"
    assert changed["message"]["text"] == "Hello?"
    assert changed["message"]["edited"]["user"] == ann.id
    assert (deleted["subtype"], deleted["deleted_ts"]) == ("message_deleted", said.ts)
    assert channel.messages == []


@pytest.mark.usefixtures("app")
async def test_an_edit_that_adds_a_mention_is_told_as_one(
    slack: Slack, ann: Person, channel: Channel, ears: Ears
) -> None:
    said = await ann.says(channel, "Hello?")
    await ann.edits(said, "<@bot> Hello?")
    await ann.edits(said, "<@bot> Hello!")
    await settle(slack)

    assert [event["type"] for event in ears.events].count("app_mention") == 1


@pytest.mark.usefixtures("app")
async def test_a_link_is_unfurled_without_an_edit(
    slack: Slack, ann: Person, channel: Channel, ears: Ears
) -> None:
    said = await ann.says(channel, "<https://example.org>")
    await ann.unfurls(said, "Example")
    await settle(slack)

    assert ears.events[1]["subtype"] == "message_changed"
    assert "edited" not in ears.events[1]["message"]
    assert ears.events[1]["message"]["text"] == said.text


@pytest.mark.usefixtures("app")
async def test_of_a_deleted_thread_a_gravestone_remains(
    slack: Slack, home: Workspace, ann: Person, channel: Channel, ears: Ears
) -> None:
    root = await ann.says(channel, "Hello?")
    await ann.says(channel, "Anyone?", thread=root.ts)
    await ann.deletes(root)
    await settle(slack)

    assert ears.events[2]["message"]["subtype"] == "tombstone"
    assert home.shown(channel, root.ts) == ["Anyone?"]


@pytest.mark.usefixtures("app")
async def test_a_reply_may_be_shown_in_the_channel_too(
    slack: Slack, ann: Person, channel: Channel, ears: Ears
) -> None:
    root = await ann.says(channel, "Hello?")
    await ann.says(channel, "Anyone?", thread=root.ts, broadcast=True)
    await settle(slack)

    assert ears.events[1]["subtype"] == "thread_broadcast"
    assert ears.events[1]["thread_ts"] == ears.events[1]["root"]["ts"] == root.ts
    assert ears.events[1]["parent_user_id"] == ann.id


async def test_the_app_hears_of_its_own_edits(
    slack: Slack, home: Workspace, app: AsyncApp, channel: Channel, ears: Ears
) -> None:
    posted = await app.client.chat_postMessage(channel=channel.id, text="Hi.")
    await app.client.chat_update(channel=channel.id, ts=posted["ts"], text="Hi there.")
    await settle(slack)

    _, echo = (each.event for each in slack.deliveries)
    assert (echo["subtype"], echo["message"]["bot_id"]) == ("message_changed", home.bot.bot_id)
    assert ears.bodies == []  # Bolt itself drops both


@pytest.mark.usefixtures("app")
async def test_in_a_direct_message_there_is_no_mention_event(
    slack: Slack, home: Workspace, ann: Person, ears: Ears
) -> None:
    await ann.says(home.direct(ann), "<@bot> Hello?")
    await settle(slack)

    assert [(event["type"], event["channel_type"]) for event in ears.events] == [("message", "im")]


@pytest.mark.usefixtures("app")
async def test_every_kind_of_channel_is_told_by_its_type_only(
    slack: Slack, home: Workspace, ann: Person, ears: Ears
) -> None:
    for channel in (home.channel("a"), home.channel("b", kind="private"), home.group(ann)):
        await ann.says(channel, "Hello?")
    await settle(slack)

    assert [event["channel_type"] for event in ears.events] == ["channel", "group", "mpim"]
    assert {event["channel"][0] for event in ears.events} == {"C"}


@pytest.mark.usefixtures("app")
async def test_the_app_hears_only_what_it_asked_for_and_where_it_is(
    slack: Slack, home: Workspace, ann: Person, ears: Ears
) -> None:
    home.events.remove("message.channels")
    home.scopes.remove("mpim:history")
    channel = home.channel("general")
    await ann.says(channel, "Hello?")
    await ann.says(home.group(ann), "Hello?")
    await ann.says(home.channel("random", bot=False), "<@bot> Hello?")
    await ann.says(channel, "<@bot> Hello?")
    await settle(slack)

    assert [event["type"] for event in ears.events] == ["app_mention"]


@pytest.mark.usefixtures("app")
async def test_strangers_and_bots_are_known_by_their_fields(
    slack: Slack, home: Workspace, channel: Channel, ears: Ears
) -> None:
    channel.shared = True
    eve, robot = home.person("Eve", kind="external"), home.person("Robot", kind="bot")
    await eve.says(channel, "Hello?")
    await robot.says(channel, "Beep.", subtype="bot_message")
    await settle(slack)

    assert ears.events[0]["team"] == home.team != ears.events[0]["user_team"] == eve.profile.team
    assert ears.events[1]["bot_id"] == robot.profile.bot_id
    assert ears.events[1]["subtype"] == "bot_message"
    assert slack.deliveries[0].payload["is_ext_shared_channel"] is True


async def test_users_info_tells_who_somebody_is(home: Workspace, app: AsyncApp) -> None:
    async def told(person: Person) -> Json:
        answer = await app.client.users_info(user=person.id)
        found: Json = answer["user"]
        return found

    assert (await told(home.person("Gus", kind="guest")))["is_restricted"] is True
    assert (await told(home.person("Eve", kind="external")))["is_stranger"] is True
    assert (await told(home.person("Ada", admin=True)))["is_admin"] is True
    ann = await told(home.person("Ann", email="ann@example.org"))
    assert ann["profile"]["email"] == "ann@example.org"
    assert (ann["is_admin"], ann["is_bot"]) == (False, False)


@pytest.mark.usefixtures("app")
async def test_the_app_is_invited_and_opened(
    slack: Slack, home: Workspace, ann: Person, ears: Ears
) -> None:
    channel = home.channel("random", ann, bot=False)
    await ann.invites_bot(channel)
    direct = await ann.opens_app()
    await settle(slack)

    invited, opened = ears.events
    assert (invited["type"], invited["user"]) == ("member_joined_channel", home.bot.id)
    assert invited["inviter"] == ann.id
    assert (opened["type"], opened["tab"]) == ("app_home_opened", "messages")
    assert opened["channel"] == direct.id


async def test_people_edit_and_delete_only_their_own_words(
    home: Workspace, ann: Person, channel: Channel
) -> None:
    said = await home.person("Bob").says(channel, "Mine.")

    with pytest.raises(NotPossible):
        await ann.edits(said, "Ours.")
    with pytest.raises(NotPossible):
        await ann.deletes(said)
    await home.person("Ada", admin=True).deletes(said)
    channel.archived = True
    with pytest.raises(NotPossible):
        await ann.says(channel, "Hello?")


async def test_names_in_a_text_become_mentions(
    home: Workspace, ann: Person, channel: Channel
) -> None:
    said = await ann.says(channel, "<@bot>, ask <@Ann>, not <@Bob>.")

    assert said.text == f"{home.mention}, ask {ann.mention}, not <@Bob>."


async def test_a_post_to_a_person_is_a_direct_message(
    home: Workspace, app: AsyncApp, ann: Person
) -> None:
    await app.client.chat_postMessage(channel=ann.id, text="Hi.")
    opened = await app.client.conversations_open(users=[ann.id])

    assert home.shown(home.direct(ann)) == ["> Hi."]
    assert opened["channel"]["id"] == home.direct(ann).id
    with pytest.raises(SlackApiError, match="not_enough_users"):
        await app.client.conversations_open(users=[ann.id, ann.id])


async def test_an_organisation_is_named_where_the_app_is_installed_for_all_of_it(
    slack: Slack, home: Workspace, app: AsyncApp, ann: Person, channel: Channel
) -> None:
    home.enterprise = slack.new_id("E")
    await ann.says(channel, "Hello?")
    command = await ann.commands(channel, "/nimbus help")
    [event, _] = slack.deliveries

    assert event.payload["authorizations"][0]["enterprise_id"] == home.enterprise
    assert command.payload["is_enterprise_install"] == "true"
    assert home.belonging()["team"] is None
    assert (await app.client.auth_test())["enterprise_id"] == home.enterprise
