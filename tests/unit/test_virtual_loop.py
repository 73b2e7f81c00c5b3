"""The loop in which time jumps, on which every simulated schedule stands."""

import asyncio

import pytest

from tests.faults.virtual import BEGINNING, DeadlockError, Process, VirtualLoop, run


def test_a_pause_takes_no_time_and_moves_the_clock() -> None:
    async def main(loop: VirtualLoop) -> int:
        await asyncio.sleep(3_600)
        return loop.milliseconds()

    assert run(main) == BEGINNING + 3_600_000


def test_timers_go_off_in_their_order() -> None:
    async def main(loop: VirtualLoop) -> list[tuple[str, float]]:
        seen: list[tuple[str, float]] = []

        async def wait(name: str, seconds: float) -> None:
            await asyncio.sleep(seconds)
            seen.append((name, loop.time()))

        await asyncio.gather(wait("late", 2), wait("soon", 1))
        return seen

    assert run(main) == [("soon", 1.0), ("late", 2.0)]


def test_who_waits_for_nothing_is_told() -> None:
    async def main(_loop: VirtualLoop) -> None:
        await asyncio.Event().wait()

    with pytest.raises(DeadlockError):
        run(main)


def test_a_frozen_process_does_nothing_and_then_all_that_was_due() -> None:
    async def main(loop: VirtualLoop) -> list[tuple[str, float]]:
        seen: list[tuple[str, float]] = []

        async def beat(name: str) -> None:
            for _ in range(2):
                await asyncio.sleep(10)
                seen.append((name, loop.time()))

        frozen, other = Process("frozen"), Process("other")
        beats = [loop.start(frozen, beat("frozen")), loop.start(other, beat("other"))]
        await asyncio.sleep(5)
        loop.freeze(frozen, 40)
        await asyncio.wait(beats)
        return seen

    assert run(main) == [("other", 10.0), ("other", 20.0), ("frozen", 45.0), ("frozen", 55.0)]


def test_a_timeout_that_was_cancelled_in_a_frozen_process_stays_so() -> None:
    async def main(loop: VirtualLoop) -> str:
        process = Process("a")

        async def hurry() -> str:
            async with asyncio.timeout(10):
                await asyncio.sleep(5)
            await asyncio.sleep(10)
            return "not disturbed"

        task = loop.start(process, hurry())
        await asyncio.sleep(7)
        loop.freeze(process, 20)
        return await task

    assert run(main) == "not disturbed"


def test_what_a_process_starts_belongs_to_it() -> None:
    async def main(loop: VirtualLoop) -> int:
        process = Process("a")

        async def parent() -> None:
            async with asyncio.TaskGroup() as tasks:
                tasks.create_task(asyncio.sleep(1))

        await loop.start(process, parent())
        return len(process.tasks)

    assert run(main) == 2
