"""`/nimbus` and buttons, as people use them."""

from __future__ import annotations

from collections.abc import AsyncIterator

import pytest

from adapters.discord.buttons import stop_button
from adapters.discord.commands import WORDS
from bot import wording
from bot.platform import Answer
from memory.keys import PlaceKey
from tests.servers.discord import faults
from tests.servers.discord.world import Message
from tests.wire.discord_house import listening, until
from tests.wire.discord_scene import Scene, open_scene

TURN = "0123456789abcdef0123456789abcdef"


@pytest.fixture
async def scene() -> AsyncIterator[Scene]:
    async with open_scene() as scene:
        yield scene


def labels(message: Message) -> list[str]:
    return [each["label"] for row in message.components for each in row["components"]]


async def test_a_command_is_answered_to_who_gave_it(scene: Scene) -> None:
    async with listening(scene.discord, scene.desk):
        await scene.ann.commands(scene.channel, "/nimbus help")

        assert (await scene.whispered(scene.ann)).content == "Done."
    [called] = scene.desk.called
    assert called.words == "help"
    assert called.place == PlaceKey("discord", scene.home.id, scene.channel.id, "")
    assert (called.person.user, called.surface) == (scene.ann.id, "public")


async def test_a_command_tells_in_which_thread_or_direct_messages(scene: Scene) -> None:
    thread = await scene.ann.starts_thread(scene.channel, "lunch")
    direct = scene.bot.direct(scene.ann)
    async with listening(scene.discord, scene.desk):
        await scene.ann.commands(thread, "/nimbus stop")
        await scene.whispered(scene.ann)
        await scene.ann.commands(direct, "/nimbus new")
        await until(lambda: len(scene.desk.called) == 2)

    inside, alone = scene.desk.called
    assert inside.place == PlaceKey("discord", scene.home.id, "-", thread.id)
    assert (inside.address["parent"], inside.surface) == (scene.channel.id, "public")
    assert (alone.place, alone.surface) == (PlaceKey("discord", "@me", direct.id, ""), "direct")


@pytest.mark.parametrize("word", ["stop", "mute"])
async def test_what_means_one_conversation_is_said_in_its_thread(scene: Scene, word: str) -> None:
    async with listening(scene.discord, scene.desk):
        await scene.ann.commands(scene.channel, f"/nimbus {word}")
        told = await scene.whispered(scene.ann)

    assert told.content == wording.in_its_thread("Nimbus", word)
    assert scene.desk.called == []


async def test_a_forget_of_much_is_asked_back_and_done_once_it_is_confirmed(scene: Scene) -> None:
    scene.desk.answer = Answer("Sure?", asks=True)
    async with listening(scene.discord, scene.desk):
        await scene.ann.commands(scene.channel, "/nimbus forget")
        asked = await scene.whispered(scene.ann)
        assert (asked.content, labels(asked)) == ("Sure?", ["Forget", "Keep"])

        await scene.ann.clicks(asked, "nimbus:forget")
        await scene.discord.until(lambda: asked.content == "Gone.")

    assert labels(asked) == []
    assert scene.desk.confirmed == scene.desk.called


async def test_a_forget_may_be_taken_back(scene: Scene) -> None:
    scene.desk.answer = Answer("Sure?", asks=True)
    async with listening(scene.discord, scene.desk):
        await scene.ann.commands(scene.channel, "/nimbus forget")
        asked = await scene.whispered(scene.ann)
        await scene.ann.clicks(asked, "nimbus:keep")
        await scene.discord.until(lambda: asked.content == wording.KEPT)

    assert (labels(asked), scene.desk.confirmed) == ([], [])


@pytest.mark.slow
async def test_a_button_is_understood_by_the_next_process(scene: Scene) -> None:
    scene.desk.answer = Answer("Sure?", asks=True)
    async with listening(scene.discord, scene.desk):
        await scene.ann.commands(scene.channel, "/nimbus forget")
        asked = await scene.whispered(scene.ann)
    async with listening(scene.discord, scene.desk):
        await scene.ann.clicks(asked, "nimbus:forget")
        await scene.discord.until(lambda: asked.content == "Gone.")

    assert scene.desk.confirmed == scene.desk.called


async def test_a_forget_that_somebody_else_asked_for_is_not_done(scene: Scene) -> None:
    """Nobody else sees the button; whoever sends its id all the same is told nothing."""
    asked = await posted(scene, f"nimbus:forget:{scene.ann.id}:1")
    async with listening(scene.discord, scene.desk):
        await scene.bob.clicks(asked, "nimbus:forget")
        await scene.discord.until(lambda: scene.discord.quiet)

    assert scene.desk.confirmed == []


async def test_an_answer_is_stopped_by_its_button(scene: Scene) -> None:
    answer = await posted(scene, stop_button(TURN)["custom_id"])
    async with listening(scene.discord, scene.desk):
        await scene.bob.clicks(answer, "nimbus:stop")
        await scene.whispered(scene.bob)

    [called] = scene.desk.called
    assert (called.words, called.turn, called.person.user) == ("stop", TURN, scene.bob.id)
    assert labels(answer) == ["Stop"]  # by which the answer would be found again


async def test_a_button_whose_turn_has_ended_goes_when_it_is_pressed(scene: Scene) -> None:
    """Its worker died before it could take the button away."""
    answer = await posted(scene, stop_button(TURN)["custom_id"])
    scene.desk.answer = Answer("Nothing to stop.", comes_late=True)
    async with listening(scene.discord, scene.desk):
        await scene.bob.clicks(answer, "nimbus:stop")
        await scene.discord.until(lambda: not answer.components)

    assert answer.content == "So far"


async def test_a_button_of_somebody_else_does_nothing(scene: Scene) -> None:
    strange = await posted(scene, "strange")
    async with listening(scene.discord, scene.desk):
        await scene.bob.clicks(strange, "strange")
        await scene.ann.commands(scene.channel, "/nimbus help")
        await until(lambda: scene.desk.called)

    assert len(scene.desk.called) == 1


async def test_a_command_is_tried_again_and_told_when_it_is_given_up(scene: Scene) -> None:
    scene.desk.failures = 2
    async with listening(scene.discord, scene.desk):
        await scene.ann.commands(scene.channel, "/nimbus help")
        assert (await scene.whispered(scene.ann)).content == "Done."

        scene.desk.failures = 10_000
        await scene.ann.commands(scene.channel, "/nimbus help")
        assert (await scene.whispered(scene.ann, 2)).content == wording.NOT_DONE


async def test_a_command_that_is_told_again_is_done_once(scene: Scene) -> None:
    async with listening(scene.discord, scene.desk):
        await scene.ann.commands(scene.channel, "/nimbus help")
        await scene.whispered(scene.ann)
        await scene.discord.again(scene.discord.deliveries[-1])
        await scene.bob.commands(scene.channel, "/nimbus help")
        await scene.whispered(scene.bob)

    assert [each.person.user for each in scene.desk.called] == [scene.ann.id, scene.bob.id]


async def test_a_command_is_done_although_its_answer_does_not_arrive(scene: Scene) -> None:
    late = faults.Fate(before=faults.refused(10062))
    scene.discord.decide(faults.always(late, "POST interactions/*/*/callback"))
    async with listening(scene.discord, scene.desk):
        await scene.ann.commands(scene.channel, "/nimbus forget")
        await until(lambda: scene.desk.called)


async def test_discord_is_told_of_the_command_only_when_it_changed(scene: Scene) -> None:
    def puts() -> list[str]:
        methods = (each.method for each in scene.discord.requests)
        return [each for each in methods if each.startswith("PUT")]

    for _ in range(2):
        async with listening(scene.discord, scene.desk, waits=False):
            assert puts() == ["PUT applications/*/commands"]
    offered = scene.bot.app.commands[""][0]
    assert [each["name"] for each in offered["options"]] == list(WORDS)

    offered["description"] = "something older"
    async with listening(scene.discord, scene.desk, waits=False):
        assert len(puts()) == 2


async def posted(scene: Scene, custom_id: str) -> Message:
    """A message of the bot with a button."""
    message = scene.discord.realm.new_message(scene.channel, scene.bot.user, "So far")
    button = {"type": 2, "style": 2, "label": "Stop", "custom_id": custom_id}
    message.components = [{"type": 1, "components": [button]}]
    return scene.discord.realm.post(message)


@pytest.mark.slow
async def test_many_at_once_are_promised_an_answer_in_time(scene: Scene) -> None:
    people = [scene.discord.person(f"P{number}", scene.home) for number in range(20)]
    slow = faults.Fate(before=faults.delayed(0.3))
    scene.discord.decide(faults.always(slow, "POST interactions/*/*/callback"))
    async with listening(scene.discord, scene.desk):
        for person in people:
            await person.commands(scene.channel, "/nimbus help")
        await scene.discord.until(lambda: scene.discord.quiet)

    assert [each.whispers[-1].content for each in people if each.whispers] == ["Done."] * 20
