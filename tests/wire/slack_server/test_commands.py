"""Slash commands and buttons on the loopback."""

from __future__ import annotations

from collections.abc import AsyncIterator, Awaitable, Callable
from typing import Any

import pytest
from slack_bolt.async_app import AsyncApp

from tests.fakes import FakeClock
from tests.servers.slack.people import NotPossible, Person, Workspace
from tests.servers.slack.server import Slack
from tests.servers.slack.socket import Pace
from tests.servers.slack.world import Channel, Json
from tests.wire.slack_app import listening
from tests.wire.slack_server.hearing import Ears

pytestmark = pytest.mark.slow

Talk = Callable[..., Awaitable[Any]]


@pytest.fixture
def pace() -> Pace:
    return Pace(ack_seconds=0.2)


@pytest.fixture
def ears() -> Ears:
    return Ears()


@pytest.fixture
async def app(slack: Slack, home: Workspace, ears: Ears) -> AsyncIterator[AsyncApp]:
    async with listening(slack, home, ears) as app:
        yield app


async def test_a_slash_command_is_answered_to_the_person_only(
    slack: Slack, app: AsyncApp, ann: Person, channel: Channel
) -> None:
    async def listener(ack: Talk, respond: Talk, command: Json) -> None:
        await ack(f"Heard {command['text']}.")
        await respond("Done.")

    app.command("/nimbus")(listener)
    await ann.commands(channel, "/nimbus forget me")
    await slack.until(lambda: ann.whispers[1:])

    assert {each.text for each in ann.whispers} == {"Heard forget me.", "Done."}
    assert channel.messages == []


async def test_an_answer_may_be_for_everybody(
    slack: Slack, home: Workspace, app: AsyncApp, ann: Person, channel: Channel
) -> None:
    async def listener(ack: Talk) -> None:
        await ack("Hear, hear.", response_type="in_channel")

    app.command("/nimbus")(listener)
    await ann.commands(channel, "/nimbus")
    await slack.until(lambda: channel.messages)

    assert home.shown(channel) == ["> Hear, hear."]


async def test_a_command_that_nobody_acknowledges_fails_where_it_was_typed(
    slack: Slack, home: Workspace, ann: Person, channel: Channel
) -> None:
    await ann.commands(channel, "/nimbus help")
    home.hub.haunt()
    await ann.commands(channel, "/nimbus help")
    await slack.until(lambda: ann.whispers[1:])

    texts = [each.text for each in ann.whispers]
    assert [text.split("“")[1] for text in texts] == ["dispatch_failed”", "operation_timeout”"]


async def test_there_are_no_slash_commands_in_threads(
    home: Workspace, ann: Person, channel: Channel
) -> None:
    root = await ann.says(channel, "Hello?")

    with pytest.raises(NotPossible):
        await ann.commands(channel, "/nimbus forget", thread=root.ts)
    home.scopes.remove("commands")
    with pytest.raises(NotPossible):
        await ann.commands(channel, "/nimbus forget")


CONFIRM = {
    "type": "actions",
    "elements": [
        {
            "type": "button",
            "action_id": "forget:yes",
            "value": "2",
            "text": {"type": "plain_text", "text": "Forget 2 conversations"},
        }
    ],
}


async def test_a_button_on_a_whisper_is_pressed_and_the_whisper_replaced(
    slack: Slack, app: AsyncApp, ann: Person, channel: Channel
) -> None:
    pressed: list[Json] = []

    async def listener(ack: Talk, respond: Talk, body: Json) -> None:
        await ack()
        pressed.append(body)
        await respond("Forgotten.", replace_original=True)

    app.action("forget:yes")(listener)
    await app.client.chat_postEphemeral(
        channel=channel.id, user=ann.id, text="Sure?", blocks=[CONFIRM]
    )
    await ann.clicks(ann.whispers[0], "forget")
    await slack.until(lambda: ann.whispers[0].text == "Forgotten.")

    [body] = pressed
    assert body["container"]["is_ephemeral"] is True
    assert "message" not in body
    assert body["actions"][0]["value"] == "2"
    assert len(ann.whispers) == 1
    with pytest.raises(NotPossible):
        await ann.clicks(ann.whispers[0], "forget")


async def test_a_button_on_a_message_is_pressed_and_the_message_deleted(
    slack: Slack, home: Workspace, app: AsyncApp, ann: Person, channel: Channel
) -> None:
    async def listener(ack: Talk, respond: Talk) -> None:
        await ack()
        await respond("Changed.", replace_original=True)
        await respond(delete_original=True)

    app.action("forget:yes")(listener)
    await app.client.chat_postMessage(channel=channel.id, text="Sure?", blocks=[CONFIRM])
    [message] = home.own(channel)
    await ann.clicks(message, "forget")
    await slack.until(lambda: not channel.messages)

    assert message.text == "Changed."


async def test_a_response_url_is_good_for_five_answers_in_half_an_hour(
    app: AsyncApp, ann: Person, channel: Channel, time: FakeClock
) -> None:
    statuses: list[int] = []

    async def listener(ack: Talk, respond: Talk) -> None:
        statuses.extend([(await respond("x")).status_code for _ in range(6)])
        await ack()

    app.command("/nimbus")(listener)
    slack_told = await ann.commands(channel, "/nimbus")
    await ann.workspace.hub.pulse.until(lambda: slack_told.acked, 5)
    assert statuses == [200] * 5 + [404]

    time.advance(30 * 60_000)
    key = next(iter(ann.workspace.urls))
    assert ann.workspace.urls[key].expires <= time()
