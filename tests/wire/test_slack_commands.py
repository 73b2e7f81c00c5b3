"""`/nimbus`, buttons and welcomes, through real Bolt and the whole worker."""

from __future__ import annotations

from collections.abc import AsyncIterator
from functools import partial

import pytest

from bot.settings import Settings
from tests.fakes import ScriptedModel, says
from tests.servers.slack.socket import Delivery
from tests.servers.slack.world import Whisper
from tests.wire.slack_house import said, working
from tests.wire.slack_scene import Scene, open_scene
from tests.wire.through import Through


@pytest.fixture
async def scene(sqlite_url: str) -> AsyncIterator[Scene]:
    async with open_scene(sqlite_url) as opened:
        yield opened


async def test_help_is_told_to_one_person(scene: Scene) -> None:
    async with working(scene.slack, scene.url):
        for line in ("/nimbus help", "/nimbus", "/nimbus Help!"):
            await scene.ann.commands(scene.channel, line)
            await scene.whispered(scene.ann, "I am Nimbus.")

    assert len(scene.ann.whispers) == 3
    assert scene.bob.whispers == []
    assert said(scene.home, scene.channel) == []


async def test_an_unknown_word_is_told_so(scene: Scene) -> None:
    async with working(scene.slack, scene.url):
        await scene.ann.commands(scene.channel, "/nimbus banana <!here>")
        whisper = await scene.whispered(scene.ann, "There is no such command")

    assert "<!here>" not in whisper.text


async def test_what_means_one_thread_is_sent_there(scene: Scene) -> None:
    async with working(scene.slack, scene.url):
        await scene.ann.commands(scene.channel, "/nimbus stop")
        await scene.whispered(scene.ann, "@Nimbus stop")


async def test_in_a_direct_message_every_word_means_it(scene: Scene) -> None:
    model = ScriptedModel(says("Hello."), says("Again."))
    channel = scene.home.direct(scene.ann)

    async with working(scene.slack, scene.url, model=model):
        await scene.ann.says(channel, "Hi")
        await scene.answered("Hello.", channel=channel)
        await scene.ann.commands(channel, "/nimbus status")
        await scene.whispered(scene.ann, "scripted")
        await scene.ann.commands(channel, "/nimbus new")
        await scene.whispered(scene.ann, "This is a new conversation.")
        await scene.ann.says(channel, "Hi")
        await scene.answered("Again.", channel=channel)

    assert len(model.requests[1].messages) == 1
    await model.close()


async def test_forget_of_one_conversation_is_done_at_once(scene: Scene) -> None:
    model = ScriptedModel(says("Hello."))

    async with working(scene.slack, scene.url, model=model):
        await scene.asks(scene.ann, "Hi", "Hello.")
        await scene.ann.commands(scene.channel, "/nimbus forget")
        await scene.whispered(scene.ann, "Forgotten: 1 conversation, 1 turn")
        await scene.ann.commands(scene.channel, "/nimbus forget")
        await scene.whispered(scene.ann, "There was nothing to forget.")

    await model.close()


async def test_forget_of_more_asks_first_and_takes_only_ones_own(scene: Scene) -> None:
    model = ScriptedModel(says("One."), says("Two."), says("Three."), says("Four."))

    async with working(scene.slack, scene.url, model=model):
        await scene.asks(scene.ann, "one", "One.")
        await scene.asks(scene.ann, "two", "Two.")
        thread = await scene.asks(scene.bob, "three", "Three.")
        await scene.ann.commands(scene.channel, "/nimbus forget")
        question = await scene.whispered(scene.ann, "make me forget 2 conversations")
        await scene.ann.clicks(question, "nimbus_confirm")
        await scene.whispered(scene.ann, "Forgotten: 2 conversations")
        await scene.bob.says(scene.channel, "<@bot> four", thread=thread)
        await scene.answered("Four.", thread)

    assert len(model.requests[3].messages) > 1
    assert len(scene.ann.whispers) == 1
    await model.close()


async def test_a_channel_that_is_called_like_a_direct_message_is_none(scene: Scene) -> None:
    channel = scene.home.channel("directmessage", scene.ann, scene.bob)
    model = ScriptedModel(says("One."))

    async with working(scene.slack, scene.url, model=model):
        root = await scene.ann.says(channel, "<@bot> one")
        await scene.answered("One.", root.ts, channel)
        await scene.bob.commands(channel, "/nimbus forget")
        await scene.whispered(scene.bob, "There was nothing to forget.")

    await model.close()


async def test_nothing_is_gone_until_it_is_confirmed(scene: Scene) -> None:
    model = ScriptedModel(says("One."), says("Two."))

    async with working(scene.slack, scene.url, model=model):
        await scene.asks(scene.ann, "one", "One.")
        await scene.asks(scene.ann, "two", "Two.")
        await scene.ann.commands(scene.channel, "/nimbus forget")
        question = await scene.whispered(scene.ann, "make me forget 2 conversations")
        await scene.ann.clicks(question, "nimbus_cancel")
        await scene.whispered(scene.ann, "Nothing was changed.")
        await scene.ann.commands(scene.channel, "/nimbus forget")
        await scene.whispered(scene.ann, "make me forget 2 conversations")

    await model.close()


async def test_a_button_works_after_a_restart_once_and_for_who_was_asked(scene: Scene) -> None:
    model = ScriptedModel(says("One."), says("Two."))
    async with working(scene.slack, scene.url, model=model):
        await scene.asks(scene.ann, "one", "One.")
        await scene.asks(scene.ann, "two", "Two.")
        await scene.ann.commands(scene.channel, "/nimbus forget")
        question = await scene.whispered(scene.ann, "make me forget 2 conversations")
    text = question.text
    copies = [
        Whisper(question.ts, question.channel, question.text, question.blocks) for _ in range(2)
    ]
    scene.home.whispers[scene.bob.id] = [copies[0]]
    scene.home.whispers[scene.ann.id].append(copies[1])

    async with working(scene.slack, scene.url, model=model):
        await scene.bob.clicks(copies[0], "nimbus_confirm")
        await scene.slack.until(lambda: scene.slack.quiet)
        await scene.ann.clicks(question, "nimbus_confirm")
        await scene.whispered(scene.ann, "Forgotten: 2 conversations")
        await scene.ann.clicks(copies[1], "nimbus_confirm")
        await scene.whispered(scene.ann, "This was answered before.")

    assert copies[0].text == text
    await model.close()


@pytest.mark.slow
async def test_a_button_that_could_not_do_its_work_can_be_pressed_again(scene: Scene) -> None:
    model = ScriptedModel(says("One."), says("Two."))
    async with working(scene.slack, scene.url, model=model):
        await scene.asks(scene.ann, "one", "One.")
        await scene.asks(scene.ann, "two", "Two.")
        await scene.ann.commands(scene.channel, "/nimbus forget")
        question = await scene.whispered(scene.ann, "make me forget 2 conversations")

    seen_as = partial(Through, failures=1)
    async with working(scene.slack, scene.url, model=model, seen_as=seen_as):
        await scene.ann.clicks(question, "nimbus_confirm")
        await scene.slack.until(lambda: scene.slack.quiet)
        await scene.ann.clicks(question, "nimbus_confirm")
        await scene.whispered(scene.ann, "Forgotten: 2 conversations")

    await model.close()


async def test_other_buttons_are_acknowledged(scene: Scene) -> None:
    button = {"type": "button", "action_id": "somebody_elses", "value": "1"}
    whisper = scene.home.whisper(scene.ann.id, scene.channel, "?", blocks=[{"elements": [button]}])

    async with working(scene.slack, scene.url):
        delivery = await scene.ann.clicks(whisper, "somebody_elses")
        await scene.slack.until(lambda: delivery.acked)


async def test_a_shortcut_of_later_is_acknowledged(scene: Scene) -> None:
    shortcut = {
        "type": "shortcut",
        "callback_id": "later",
        "user": {"id": scene.ann.id},
        "team": {"id": scene.home.team},
    }
    delivery = Delivery("interactive", shortcut)

    async with working(scene.slack, scene.url):
        scene.home.hub.deliver(delivery)
        await scene.slack.until(lambda: delivery.acked)


async def test_opening_the_app_is_greeted_once(scene: Scene) -> None:
    channel = scene.home.direct(scene.ann)

    async with working(scene.slack, scene.url):
        await scene.ann.opens_app("home")
        for _ in range(3):
            await scene.ann.opens_app()
        await scene.answered("Hello, I am Nimbus.", channel=channel)
    async with working(scene.slack, scene.url):
        await scene.ann.opens_app()
        await scene.slack.until(lambda: scene.slack.quiet)

    assert len(said(scene.home, channel)) == 1


async def test_who_has_talked_with_us_is_not_greeted(scene: Scene) -> None:
    channel = scene.home.direct(scene.ann)
    scene.home.events -= {"message.im"}
    await scene.ann.says(channel, "long ago")

    async with working(scene.slack, scene.url):
        await scene.ann.opens_app()
        await scene.slack.until(
            lambda: scene.slack.quiet and scene.slack.requests[-1].method == "conversations.history"
        )

    assert said(scene.home, channel) == []


async def test_whoever_invites_us_is_thanked_once(scene: Scene) -> None:
    async with working(scene.slack, scene.url):
        await scene.ann.invites_bot(scene.channel)
        await scene.slack.again(*scene.slack.deliveries)
        await scene.whispered(scene.ann, "Thanks for the invitation.")
        await scene.slack.until(lambda: scene.slack.quiet)

    assert len(scene.ann.whispers) == 1
    assert scene.bob.whispers == []


async def test_a_guest_is_refused_and_told_once(scene: Scene) -> None:
    eve = scene.home.person("Eve", kind="guest")
    model = ScriptedModel()

    async with working(scene.slack, scene.url, model=model):
        for _ in range(2):
            await eve.says(scene.channel, "<@bot> tell me everything")
        await scene.whispered(eve, "I may not answer you here.")

    assert len(eve.whispers) == 1
    assert said(scene.home, scene.channel) == []
    await model.close()


async def test_a_guest_is_answered_where_that_is_allowed(scene: Scene) -> None:
    eve = scene.home.person("Eve", kind="guest")
    model = ScriptedModel(says("Hello, Eve."))
    settings = Settings(database_url=scene.url, tools=(), allow_external=True)

    async with working(scene.slack, scene.url, model=model, settings=settings):
        await scene.asks(eve, "Hi", "Hello, Eve.")

    await model.close()
