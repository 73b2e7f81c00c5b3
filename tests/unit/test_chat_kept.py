"""What a platform tells is asked for once."""

import asyncio

from adapters.chat.kept import Kept
from tests.fakes import FakeClock


class Oracle:
    """Answers when it may; the first so many questions fail."""

    def __init__(self, failures: int = 0) -> None:
        self.asked: list[str] = []
        self.may = asyncio.Event()
        self._failures = failures

    async def __call__(self, key: str) -> str:
        self.asked.append(key)
        await self.may.wait()
        if len(self.asked) <= self._failures:
            raise OSError(key)
        return key.upper()


async def test_who_asks_for_the_same_meanwhile_waits_for_that_answer() -> None:
    oracle = Oracle()
    kept = Kept(FakeClock(), oracle, 9)

    async with asyncio.TaskGroup() as group:
        asking = [group.create_task(kept.get(key)) for key in ("ann", "bob", "ann", "ann")]
        await asyncio.sleep(0)
        oracle.may.set()

    assert [each.result() for each in asking] == ["ANN", "BOB", "ANN", "ANN"]
    assert sorted(oracle.asked) == ["ann", "bob"]


async def test_after_a_failure_the_next_one_asks() -> None:
    oracle = Oracle(failures=1)
    oracle.may.set()
    kept = Kept(FakeClock(), oracle, 9)

    first, second = await asyncio.gather(kept.get("ann"), kept.get("ann"), return_exceptions=True)

    assert (type(first), second) == (OSError, "ANN")


async def test_what_must_be_as_it_is_now_waits_for_nobody() -> None:
    oracle = Oracle()
    kept = Kept(FakeClock(), oracle, 9)

    async with asyncio.TaskGroup() as group:
        group.create_task(kept.get("ann"))
        group.create_task(kept.get("ann", is_fresh=True))
        await asyncio.sleep(0)
        await asyncio.sleep(0)
        oracle.may.set()

    assert oracle.asked == ["ann", "ann"]
