"""What every platform's reply must do, whatever the network does."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Protocol

import pytest

from bot.errors import DeliveryError
from bot.platform import Delivery, Reply, SentPart
from memory.errors import Superseded
from tests.played_platform import ARRIVES, REFUSED, RESPONSE_LOST, Fate, PlayedPlatform, Request

LONG = "one two three " * 10


class Stage(Protocol):
    """A platform and one turn on it."""

    def reply(
        self, sent: Sequence[SentPart] = (), guard: Callable[[], None] = lambda: None
    ) -> Reply: ...

    async def look(self) -> Sequence[SentPart]: ...

    def next_fate(self, fate: Fate) -> None: ...

    def standing(self) -> list[str]: ...

    def busy(self) -> bool: ...


@dataclass
class PlayedStage:
    fates: list[Fate] = field(default_factory=list)
    platform: PlayedPlatform = field(init=False)

    def __post_init__(self) -> None:
        self.platform = PlayedPlatform(lambda: 0, characters=100, remembers=0, fate=self._fate)

    def _fate(self, _request: Request) -> Fate:
        return self.fates.pop() if self.fates else ARRIVES

    def _delivery(self, sent: Sequence[SentPart], guard: Callable[[], None]) -> Delivery:
        return Delivery("t1", {"place": "p"}, guard, send_ms=0, sent=sent)

    def reply(
        self, sent: Sequence[SentPart] = (), guard: Callable[[], None] = lambda: None
    ) -> Reply:
        return self.platform.reply(self._delivery(sent, guard))

    async def look(self) -> Sequence[SentPart]:
        own = await self.platform.own_messages({"place": "p"}, 0)
        return [SentPart(message.remote_id) for message in own if message.turn == "t1"]

    def next_fate(self, fate: Fate) -> None:
        self.fates.append(fate)

    def standing(self) -> list[str]:
        return [posted.text for posted in self.platform.own("t1")]

    def busy(self) -> bool:
        return bool(self.platform.statuses)


@pytest.fixture
def stage() -> Stage:
    return PlayedStage()


async def test_what_was_shown_becomes_the_answer(stage: Stage) -> None:
    async with stage.reply() as reply:
        await reply.show("Let me")
        await reply.show("Let me see")
        await reply.finish("No.")

        assert stage.standing() == ["No."]


async def test_an_answer_is_posted_once_though_it_is_finished_twice(stage: Stage) -> None:
    async with stage.reply() as reply:
        first = await reply.finish(LONG)
        second = await reply.finish(LONG)

        assert "".join(stage.standing()) == LONG
        assert list(first) == list(second) == list(reply.sent)


async def test_a_long_answer_has_parts_that_end_where_they_say(stage: Stage) -> None:
    async with stage.reply() as reply:
        parts = await reply.finish(LONG)

        assert len(parts) == 2
        assert parts[-1].ends_at == len(LONG)
        assert stage.standing()[0] == LONG[: parts[0].ends_at]


async def test_a_reply_goes_on_from_what_was_sent(stage: Stage) -> None:
    async with stage.reply() as reply:
        await reply.show(LONG)
        sent = reply.sent
    async with stage.reply(sent) as reply:
        await reply.finish("Short.")

    assert stage.standing() == ["Short."]


async def test_parts_that_are_left_over_are_removed(stage: Stage) -> None:
    async with stage.reply() as reply:
        sent = await reply.finish(LONG)
    async with stage.reply(sent) as reply:
        await reply.finish("Short.")

    assert stage.standing() == ["Short."]


async def test_a_first_message_without_a_response_is_not_sent_again(stage: Stage) -> None:
    async with stage.reply() as reply:
        stage.next_fate(RESPONSE_LOST)
        with pytest.raises(DeliveryError) as lost:
            await reply.show("Let me see")
        with pytest.raises(DeliveryError) as again:
            await reply.finish("No.")

    assert lost.value.unknown
    assert again.value.unknown
    assert stage.standing() == ["Let me see"]


async def test_what_was_found_is_finished_and_not_posted_again(stage: Stage) -> None:
    async with stage.reply() as reply:
        stage.next_fate(RESPONSE_LOST)
        with pytest.raises(DeliveryError):
            await reply.finish("No.")
    async with stage.reply(await stage.look()) as reply:
        await reply.finish("No.")

    assert stage.standing() == ["No."]


async def test_a_refusal_leaves_nothing_unknown(stage: Stage) -> None:
    async with stage.reply() as reply:
        stage.next_fate(REFUSED)
        with pytest.raises(DeliveryError) as refused:
            await reply.finish("No.")

    assert refused.value.permanent
    assert not refused.value.unknown
    assert stage.standing() == []


async def test_closing_puts_a_line_in_place_of_all_that_was_shown(stage: Stage) -> None:
    async with stage.reply() as reply:
        await reply.finish(LONG)
        await reply.close("Forgotten.")

    assert stage.standing() == ["Forgotten."]


async def test_closing_posts_nothing_where_nothing_was_shown(stage: Stage) -> None:
    async with stage.reply() as reply:
        await reply.close("Forgotten.")

    assert stage.standing() == []


async def test_the_status_is_cleared_whatever_happened(stage: Stage) -> None:
    with pytest.raises(Superseded):
        await lose_the_turn_while_busy(stage)

    assert not stage.busy()


async def lose_the_turn_while_busy(stage: Stage) -> None:
    async with stage.reply():
        assert stage.busy()
        raise Superseded("taken")


async def test_nothing_is_sent_when_the_guard_objects(stage: Stage) -> None:
    def guard() -> None:
        raise Superseded("late")

    async with stage.reply(guard=guard) as reply:
        with pytest.raises(Superseded):
            await reply.finish("No.")

    assert stage.standing() == []
