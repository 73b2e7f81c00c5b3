"""What is not read back, and what is read later: forgets, mutes, and failures."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from bot.rules import Rules
from memory import leases
from tests.conversation.stories.away import (
    LATE,
    MINUTE,
    again,
    away,
    back,
    behind,
    caught_up,
    shown,
    unheard,
)
from tests.conversation.stories.house import BOB, ELSEWHERE, PLACE
from tests.conversation.stories.test_overhearing import CY
from tests.fakes import after, says
from tests.played_network import ARRIVES, UNAVAILABLE

pytestmark = pytest.mark.inline


@pytest.mark.slow
async def test_without_observing_nothing_of_it_is_kept(tmp_path: Path) -> None:
    async with away(tmp_path, rules=Rules(observe=False)) as house:
        unheard(house, "one")
        unheard(house, "two", BOB)
        await house.wait(16 * MINUTE)
        await caught_up(house)

        assert shown(house)[-1] == LATE
        assert house.rows("SELECT 1 FROM messages WHERE state = 'observed'") == []


async def test_where_it_is_muted_only_the_newest_mention_is_kept(tmp_path: Path) -> None:
    async with away(tmp_path) as house:
        await house.open()
        await house.say("mute")
        await house.wait(1)
        await house.crash()
        for text in ("one", "two"):
            unheard(house, text)
        unheard(house, "chatter", mentions_us=False)
        await house.wait(16 * MINUTE)
        await caught_up(house)

        assert shown(house)[-1] == LATE
        kept = house.rows("SELECT content FROM messages WHERE role = 'user' AND turn = 2")
        assert len(kept) == 1
        assert "two" in kept[0]["content"]


@pytest.mark.slow
async def test_what_was_said_before_an_unmute_is_not_read(tmp_path: Path) -> None:
    async with away(tmp_path) as house:
        await house.open()
        await house.say("mute")
        await house.wait(1)
        await house.chat("while it is muted")
        await house.wait(1)
        await house.say("unmute")
        await house.crash()
        await caught_up(house)

        assert house.rows("SELECT 1 FROM messages WHERE state = 'observed'") == []


@pytest.mark.slow
async def test_nothing_said_before_a_forget_is_read_back(tmp_path: Path) -> None:
    """R1"""
    async with away(tmp_path, says("Two.")) as house:
        unheard(house, "secret")
        await house.wait(1)
        await house.open()
        await house.forget()
        await house.wait(1)
        await house.say("two")
        await house.quiet()
        await house.crash()
        catch_up = await back(house)
        await again(house, catch_up, since=1)

        assert shown(house) == ["Hi", "secret", "two", "> Two."]
        assert house.rows("SELECT 1 FROM messages WHERE state = 'observed'") == []


@pytest.mark.slow
async def test_a_forget_that_was_said_meanwhile_takes_effect(tmp_path: Path) -> None:
    async with away(tmp_path) as house:
        unheard(house, "secret", BOB, mentions_us=False)
        await house.wait(1)
        unheard(house, "forget")
        await house.wait(16 * MINUTE)
        await caught_up(house)

        assert shown(house)[2:] == ["secret", "forget"]
        assert house.rows("SELECT 1 FROM conversations") == []


async def test_strangers_and_bots_are_as_unwelcome_as_ever(tmp_path: Path) -> None:
    async with away(tmp_path) as house:
        unheard(house, "one", BOB, author="guest")
        unheard(house, "two", CY, author="bot")
        unheard(house, "", BOB, hidden=True)
        await house.wait(16 * MINUTE)
        await caught_up(house)

        assert shown(house)[2:] == ["one", "two", ""]
        assert behind(house) == 0


@pytest.mark.slow
async def test_where_nobody_was_answered_is_not_read(tmp_path: Path) -> None:
    async with away(tmp_path) as house:
        unheard(house, "one", place=ELSEWHERE)
        await caught_up(house)

        assert house.shown(ELSEWHERE) == ["one"]
        assert [each.place for each in house.platform.requests if each.kind == "read"][-1:] == [
            str(PLACE)
        ]


async def test_a_lost_connection_is_caught_up_with(tmp_path: Path) -> None:
    async with away(tmp_path, says("One."), says("Two.")) as house:
        catch_up = await caught_up(house)
        lost_at = house.loop.milliseconds()
        await house.wait(1)
        unheard(house, "one")
        await house.wait(1)
        await house.say("two", BOB)
        await house.quiet()
        catch_up.connected("played", lost_at + 1_900)
        catch_up.connected("played", None)
        await again(house, catch_up, lost_at)

        assert shown(house)[2:] == ["one", "two", "> One.", "> Two."]


async def test_what_cannot_be_read_is_read_after_the_next_connection(tmp_path: Path) -> None:
    async with away(tmp_path, says("One.")) as house:
        unheard(house, "one")
        house.platform.fate = lambda request: UNAVAILABLE if request.kind == "read" else ARRIVES
        catch_up = await caught_up(house)
        assert behind(house) == 1

        house.platform.fate = lambda _request: ARRIVES
        await again(house, catch_up)
        await again(house, catch_up)

        assert shown(house) == ["Hi", "> Hello.", "one", "> One."]


async def test_a_database_that_is_away_is_waited_for(tmp_path: Path) -> None:
    async with away(tmp_path, says("One.")) as house:
        lost_at = house.loop.milliseconds()
        await house.wait(1)
        unheard(house, "one")
        catch_up = await back(house)
        house.worker.database.away = True
        catch_up.connected("played", lost_at)
        await house.wait(10)
        house.worker.database.away = False
        await house.wait(10)
        await house.quiet()

        assert shown(house)[2:] == ["one", "> One."]


async def test_one_process_at_a_time_catches_up(tmp_path: Path) -> None:
    async with away(tmp_path, says("One.")) as house:
        unheard(house, "one")
        catch_up = await back(house)
        await house.worker.database.write(
            lambda tx: leases.acquire(tx, "catch-up", "run:9", 20_000)
        )
        await again(house, catch_up)
        assert shown(house)[2:] == ["one"]

        await house.wait(20)
        await house.quiet()

        assert shown(house)[2:] == ["one", "> One."]


@pytest.mark.slow
async def test_a_worker_that_dies_over_it_leaves_it_to_the_next(tmp_path: Path) -> None:
    async with away(tmp_path, says("One."), says("Two.")) as house:
        house.platform.fate = lambda request: (
            replace(ARRIVES, lands_after=3) if request.kind == "read" else ARRIVES
        )
        unheard(house, "one")
        catch_up = await back(house)
        catch_up.connected("played", None)
        await house.wait(3)
        await house.say("two", BOB)
        await house.crash()
        await caught_up(house, name="run:3")
        await house.wait(30)
        await house.quiet()

        assert sorted(shown(house)[4:]) == ["> One.", "> Two."]


async def test_a_stop_that_comes_too_late_stops_nothing(tmp_path: Path) -> None:
    async with away(tmp_path, after(60, says("Done."))) as house:
        unheard(house, "stop")
        await house.wait(16 * MINUTE)
        catch_up = await back(house)
        await house.say("Do it")
        catch_up.connected("played", None)
        await house.quiet()

        assert shown(house)[2:] == ["stop", "Do it", "> Done."]


async def test_what_was_answered_then_does_not_stand_for_what_was_missed(tmp_path: Path) -> None:
    async with away(tmp_path, says("Two.")) as house:
        catch_up = await caught_up(house)
        lost_at = house.loop.milliseconds()
        await house.wait(1)
        unheard(house, "one")
        await house.say("two", BOB)
        await house.wait(16 * MINUTE)
        await again(house, catch_up, lost_at)

        assert shown(house)[2:] == ["one", "two", "> Two.", LATE]
