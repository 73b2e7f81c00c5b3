"""What is heard in one place is done in its order."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable

import pytest

from adapters.discord.lanes import Lanes


def noting(done: list[str], name: str, gate: asyncio.Event) -> Callable[[], Awaitable[None]]:
    async def work() -> None:
        await gate.wait()
        done.append(name)

    return work


def opened() -> asyncio.Event:
    gate = asyncio.Event()
    gate.set()
    return gate


async def test_one_place_is_in_order_and_waits_for_no_other() -> None:
    done: list[str] = []
    first = asyncio.Event()

    async def begin() -> None:
        first.set()

    async with Lanes() as lanes:
        lanes.put("a", noting(done, "a1", first))
        lanes.put("a", noting(done, "a2", first))
        lanes.put("b", noting(done, "b1", opened()))
        lanes.put("b", begin)

    assert done == ["b1", "a1", "a2"]


async def test_what_fails_is_logged_and_the_next_is_done(
    caplog: pytest.LogCaptureFixture,
) -> None:
    async def fail() -> None:
        raise ValueError("broken")

    done: list[str] = []
    async with Lanes() as lanes:
        lanes.put("a", fail)
        lanes.put("a", noting(done, "a2", opened()))

    assert done == ["a2"]
    assert "broken" in caplog.text


async def test_what_takes_too_long_is_ended() -> None:
    done: list[str] = []
    async with Lanes(drain=0.001) as lanes:
        lanes.put("a", noting(done, "a1", asyncio.Event()))

    assert done == []


async def test_nothing_to_end_takes_no_time() -> None:
    async with Lanes():
        pass


async def test_more_than_can_be_kept_is_not_taken(caplog: pytest.LogCaptureFixture) -> None:
    done: list[str] = []
    async with Lanes(most=2) as lanes:
        for name in ("a1", "a2", "a3"):
            lanes.put("a", noting(done, name, opened()))

    assert done == ["a1", "a2"]
    assert "Too much waits" in caplog.text
