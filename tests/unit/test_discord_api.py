"""Requests to Discord: when they are made, and how often."""

import asyncio
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field

import pytest

from adapters.chat.sending import NotNow, Pace
from adapters.discord.answers import Answer, DiscordError
from adapters.discord.api import Api, Request
from tests.faults.virtual import VirtualLoop, run

MUST, MAY = Pace(lambda: None, 4_000), Pace(lambda: None, 4_000, must=False)
AWAY = DiscordError("HTTP 503", status=503, unknown=True)
NO_CONNECTION = DiscordError("no connection")


def too_many(seconds: float, *, everywhere: bool = False) -> DiscordError:
    return DiscordError("rate limited", retry_after=seconds, is_global=everywhere)


def to(channel: str) -> Request:
    return Request("POST", "/channels/{channel_id}/messages", {"channel_id": channel})


@dataclass
class Script:
    """A line on which these things happen, and after them nothing special."""

    outcomes: list[Answer | DiscordError] = field(default_factory=list)
    at: list[float] = field(default_factory=list)

    async def carry(self, request: Request, within_ms: int) -> Answer:
        del request, within_ms
        self.at.append(asyncio.get_running_loop().time())
        outcome = self.outcomes.pop(0) if self.outcomes else Answer("done")
        if isinstance(outcome, DiscordError):
            raise outcome
        return outcome


def played(play: Callable[[Script, Api], Awaitable[None]]) -> Callable[[], None]:
    def test() -> None:
        async def main(_loop: VirtualLoop) -> None:
            script = Script()
            await play(script, Api(script))

        run(main)

    test.__name__ = play.__name__
    return test


@played
async def test_after_the_last_call_that_a_rate_allows_the_next_one_waits(
    script: Script, api: Api
) -> None:
    script.outcomes = [Answer(pause=5)]
    for _ in range(3):
        await api.call(to("1"), MUST)
    await api.call(to("2"), MAY)

    assert script.at == [0, 5, 5, 5]


@played
async def test_what_need_not_be_made_is_not_made_then(script: Script, api: Api) -> None:
    script.outcomes = [Answer(pause=5)]
    await api.call(to("1"), MAY)
    with pytest.raises(NotNow):
        await api.call(to("1"), MAY)
    await api.call(to("2"), MAY)

    assert script.at == [0, 0]


@pytest.mark.parametrize(("everywhere", "second"), [(False, 0), (True, 9)])
def test_a_429_closes_one_place_or_everything(everywhere: bool, second: float) -> None:  # noqa: FBT001
    @played
    async def play(script: Script, api: Api) -> None:
        script.outcomes = [too_many(9, everywhere=everywhere)]
        with pytest.raises(DiscordError):
            await api.call(to("1"), MUST)
        await api.call(to("2"), MUST)
        await api.call(to("1"), MUST)

        assert script.at == [0, second, 9]

    play()


@played
async def test_nobody_means_more_than_five_minutes(script: Script, api: Api) -> None:
    script.outcomes = [too_many(100_000)]
    with pytest.raises(DiscordError):
        await api.call(to("1"), MUST)
    await api.call(to("1"), MUST)

    assert script.at == [0, 300]


@played
async def test_what_passes_is_tried_again_within_its_time(script: Script, api: Api) -> None:
    script.outcomes = [AWAY, AWAY, AWAY]

    assert await api.call(to("1"), MUST) == "done"
    assert script.at == [0, 0.5, 1.5, 3.5]


@played
async def test_what_does_not_pass_in_its_time_is_given_up(script: Script, api: Api) -> None:
    script.outcomes = [AWAY, NO_CONNECTION, NO_CONNECTION, NO_CONNECTION]
    with pytest.raises(DiscordError, match="no connection") as error:
        await api.call(to("1"), MUST)

    assert error.value.unknown  # the first one may have arrived
    assert script.at == [0, 0.5, 1.5, 3.5]


@played
async def test_a_refusal_for_good_is_not_tried_again(script: Script, api: Api) -> None:
    script.outcomes = [DiscordError("no", permanent=True)]
    with pytest.raises(DiscordError):
        await api.call(to("1"), MUST)

    assert script.at == [0]


@played
async def test_what_was_closed_long_ago_is_not_kept(script: Script, api: Api) -> None:
    script.outcomes = [Answer(pause=1) for _ in range(3_000)]
    for channel in range(2_100):
        await api.call(to(str(channel)), MUST)
        await asyncio.sleep(0.05)

    assert len(script.at) == 2_100


@played
async def test_no_second_sees_more_calls_than_discord_takes(script: Script, api: Api) -> None:
    async with asyncio.TaskGroup() as group:
        for channel in range(100):
            group.create_task(api.call(to(str(channel)), MUST))

    assert [script.at.count(second) for second in (0, 1, 2)] == [45, 45, 10]


@played
async def test_what_is_only_shown_leaves_room_for_what_must_be_sent(
    script: Script, api: Api
) -> None:
    for channel in range(30):
        await api.call(to(str(channel)), MAY)
    with pytest.raises(NotNow):
        await api.call(to("30"), MAY)
    await api.call(to("31"), MUST)

    assert len(script.at) == 31
