"""A forget that comes while any request of a mention is on its way to Slack or back."""

from __future__ import annotations

import asyncio
import itertools
from collections.abc import AsyncIterator
from dataclasses import dataclass, field

import pytest

from bot.model import ModelRequest, ModelResponse
from bot.wording import FORGOTTEN
from tests.forget_rules import Line, Parrot, cases
from tests.servers.slack import faults
from tests.servers.slack.faults import Fate, Request
from tests.wire.slack_house import said
from tests.wire.test_slack_forgets import SlackForgets, on_slack

WORDS = ("xylophone", "marimba")


class Halting(Parrot):
    """Is still talking when its first words are shown."""

    async def stream(self, request: ModelRequest) -> AsyncIterator[str | ModelResponse]:
        async for piece in super().stream(request):
            if isinstance(piece, str):
                yield piece[:3]
                await asyncio.sleep(0.1)
                yield piece[3:]
            else:
                yield piece


@dataclass
class Held:
    """The n-th request is held, before Slack has it or after, until it may go on."""

    number: int
    is_after: bool
    method: str = ""
    may_go_on: asyncio.Event = field(default_factory=asyncio.Event)

    def fates(self) -> faults.Fates:
        fate = Fate(after=self._hold) if self.is_after else Fate(before=self._hold)
        return faults.nth(self.number, fate)

    async def _hold(self, request: Request) -> None:
        self.method = request.method
        await self.may_go_on.wait()


async def forgotten_at(scene: SlackForgets, held: Held) -> bool:
    """Ann asks in a thread where Bob has spoken, and makes it forgotten at that moment, after which
    what was shown is closed. False: there was no such request."""
    ann, channel, place = scene.people["ann"], scene.channels["here"], str(held.number)
    await scene.start()
    await scene.say(Line("bob", f"my word is {WORDS[0]}", place))
    thread = scene.threads[place].ts

    def answers() -> list[str]:
        return [text for text in said(scene.home, channel, thread) if WORDS[1] in text]

    scene.slack.decide(held.fates())
    await ann.says(channel, f"<@bot> mine is {WORDS[1]}", thread=thread)
    await scene.slack.until(lambda: held.method or (answers() and scene.slack.quiet))
    was_reached = bool(held.method)
    if was_reached:
        told = len(ann.whispers)
        await ann.says(channel, "<@bot> forget", thread=thread)
        await scene.slack.until(lambda: len(ann.whispers) > told)
        held.may_go_on.set()
        await scene.quiet()
        await scene.slack.until(lambda: set(said(scene.home, channel, thread)) <= {FORGOTTEN})
        await scene.quiet()
    await scene.stop()
    return was_reached


@pytest.mark.slow
@pytest.mark.parametrize("is_after", [False, True])
async def test_nothing_is_left(sqlite_url: str, *, is_after: bool) -> None:
    methods: list[str] = []
    async with on_slack(cases()[0], sqlite_url) as scene:
        scene.witness.model = Halting()
        for number in itertools.count(1):
            held = Held(number, is_after)
            if not await forgotten_at(scene, held):
                break
            assert not [word for word in WORDS if scene.witness.knows(word)]
            methods.append(held.method)
    assert {"conversations.replies", "chat.postMessage", "chat.update"} <= set(methods)
