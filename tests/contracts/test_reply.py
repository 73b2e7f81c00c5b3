"""What every platform's reply must do, whatever the network does."""

from collections.abc import AsyncIterator

import pytest

from bot.errors import DeliveryError
from memory.errors import Superseded
from tests.contracts.discord_stage import DiscordStage
from tests.contracts.stages import NetStage, PlayedStage, SlackStage, Stage, TerminalStage
from tests.played_network import REFUSED, RESPONSE_LOST

LONG = "one two three " * 1_000


OPENED = {"slack": SlackStage.open, "discord": DiscordStage.here, "wire": DiscordStage.open}


@pytest.fixture(params=["played", "slack", "discord", pytest.param("wire", marks=pytest.mark.slow)])
async def stage(request: pytest.FixtureRequest) -> AsyncIterator[NetStage]:
    if request.param == "played":
        yield PlayedStage()
    else:
        async with OPENED[request.param]() as opened:
            yield opened


@pytest.fixture(params=[PlayedStage, TerminalStage])
def any_stage(request: pytest.FixtureRequest) -> Stage:
    made: Stage = request.param()
    return made


async def test_what_was_shown_grows_into_the_answer(any_stage: Stage) -> None:
    async with any_stage.reply() as reply:
        await reply.show("Let me")
        await reply.show("Let me see")
        await reply.finish("Let me see: no.")

    assert any_stage.standing() == ["Let me see: no."]


async def test_an_answer_is_given_once_though_it_is_finished_twice(any_stage: Stage) -> None:
    async with any_stage.reply() as reply:
        first = await reply.finish("No.")
        second = await reply.finish("No.")

    assert any_stage.standing() == ["No."]
    assert list(first) == list(second) == list(reply.sent)
    assert [part.ends_at for part in first] == [3]


async def test_what_is_found_is_not_given_again(any_stage: Stage) -> None:
    async with any_stage.reply() as reply:
        await reply.finish("No.")
    async with any_stage.reply(await any_stage.look()) as reply:
        await reply.finish("No.")

    assert any_stage.standing() == ["No."]


async def test_closing_says_nothing_where_nothing_was_shown(any_stage: Stage) -> None:
    async with any_stage.reply() as reply:
        await reply.close("Forgotten.")

    assert any_stage.standing() == []


async def test_closing_ends_what_was_shown_with_a_line(any_stage: Stage) -> None:
    async with any_stage.reply() as reply:
        await reply.show("Let me")
        await reply.close("Forgotten.")

    assert any_stage.standing()[-1] == "Forgotten."


async def test_nothing_is_sent_when_the_guard_objects(any_stage: Stage) -> None:
    def guard() -> None:
        raise Superseded("late")

    async with any_stage.reply(guard=guard) as reply:
        with pytest.raises(Superseded):
            await reply.finish("No.")

    assert any_stage.standing() == []


async def test_what_was_shown_becomes_the_answer(stage: NetStage) -> None:
    async with stage.reply() as reply:
        await reply.show("Let me")
        await reply.show("Let me see")
        await reply.finish("No.")

        assert stage.standing() == ["No."]


async def test_an_answer_is_posted_once_though_it_is_finished_twice(stage: NetStage) -> None:
    async with stage.reply() as reply:
        first = await reply.finish(LONG)
        second = await reply.finish(LONG)

        assert "".join(stage.standing()) == LONG
        assert list(first) == list(second) == list(reply.sent)


async def test_a_long_answer_has_parts_that_end_where_they_say(stage: NetStage) -> None:
    async with stage.reply() as reply:
        parts = await reply.finish(LONG)

        assert len(parts) > 1
        assert parts[-1].ends_at == len(LONG)
        assert stage.standing()[0] == LONG[: parts[0].ends_at]


async def test_a_reply_goes_on_from_what_was_sent(stage: NetStage) -> None:
    async with stage.reply() as reply:
        await reply.show(LONG)
        sent = reply.sent
    async with stage.reply(sent) as reply:
        await reply.finish("Short.")

    assert stage.standing() == ["Short."]


async def test_parts_that_are_left_over_are_removed(stage: NetStage) -> None:
    async with stage.reply() as reply:
        sent = await reply.finish(LONG)
    async with stage.reply(sent) as reply:
        await reply.finish("Short.")

    assert stage.standing() == ["Short."]


async def test_a_first_message_without_a_response_is_not_sent_again(stage: NetStage) -> None:
    async with stage.reply() as reply:
        stage.next_fate(RESPONSE_LOST)
        with pytest.raises(DeliveryError) as lost:
            await reply.show("Let me see")
        with pytest.raises(DeliveryError) as again:
            await reply.finish("No.")

    assert lost.value.unknown
    assert again.value.unknown
    assert stage.standing() == ["Let me see"]


async def test_what_was_found_is_finished_and_not_posted_again(stage: NetStage) -> None:
    async with stage.reply() as reply:
        stage.next_fate(RESPONSE_LOST)
        with pytest.raises(DeliveryError):
            await reply.finish("No.")
    async with stage.reply(await stage.look()) as reply:
        await reply.finish("No.")

    assert stage.standing() == ["No."]


async def test_a_refusal_leaves_nothing_unknown(stage: NetStage) -> None:
    async with stage.reply() as reply:
        stage.next_fate(REFUSED)
        with pytest.raises(DeliveryError) as refused:
            await reply.finish("No.")

    assert refused.value.permanent
    assert not refused.value.unknown
    assert stage.standing() == []


async def test_closing_puts_a_line_in_place_of_all_that_was_shown(stage: NetStage) -> None:
    async with stage.reply() as reply:
        await reply.finish(LONG)
        await reply.close("Forgotten.")

    assert stage.standing() == ["Forgotten."]


async def test_the_status_is_cleared_whatever_happened(stage: NetStage) -> None:
    with pytest.raises(Superseded):
        await lose_the_turn_while_busy(stage)

    assert not await stage.busy()


async def lose_the_turn_while_busy(stage: NetStage) -> None:
    async with stage.reply():
        assert await stage.busy()
        raise Superseded("taken")
