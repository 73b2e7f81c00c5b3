"""A thread, a channel or a workspace is gone: its conversations go along and stay away."""

from pathlib import Path

import pytest

from bot.platform import Present, Removed
from bot.wording import FORGOTTEN
from memory.keys import PlaceKey
from tests.conversation.stories.house import BOB, ELSEWHERE, PLACE, House, living
from tests.fakes import hangs, says

pytestmark = pytest.mark.inline

HANGING = PlaceKey("played", "W", "-", "7")
STRANGE = PlaceKey("played", "V", "C", "1")


def removed(house: House, *, workspace: str = "W", channel: str = "", thread: str = "") -> Removed:
    at = house.loop.milliseconds() + 1
    return Removed("played", workspace, at, channel=channel, thread=thread)


def places(house: House) -> list[str]:
    return [row["place"] for row in house.rows("SELECT place FROM conversations ORDER BY place")]


async def test_a_channel_takes_its_threads_along(tmp_path: Path) -> None:
    answers = [says(f"Answer {number}.") for number in range(3)]
    async with living(tmp_path, *answers) as house:
        await house.say("one")
        await house.say("two", place=HANGING, parent="C")
        await house.say("three", place=STRANGE)
        await house.quiet()

        assert (await house.tell(removed(house, channel="C"))).how == "done"
        assert places(house) == [str(STRANGE)]
        assert (await house.tell(removed(house, channel="C"))).how == "ignored"


async def test_a_thread_goes_alone(tmp_path: Path) -> None:
    async with living(tmp_path, says("One."), says("Two.")) as house:
        await house.say("one")
        await house.say("two", place=ELSEWHERE)
        await house.quiet()
        await house.tell(removed(house, channel="C", thread="1"))

        assert places(house) == [str(ELSEWHERE)]


async def test_a_workspace_takes_everything_along_that_runs_and_waits(tmp_path: Path) -> None:
    async with living(tmp_path, hangs("Your secret is")) as house:
        old = house.platform.say(PLACE, BOB, "What is my secret?")
        await house.tell(old)
        await house.until(lambda: len(house.shown()) == 2)
        await house.say("And mine?")
        await house.tell(removed(house))
        await house.wait(1)

        assert house.shown()[1] == f"> {FORGOTTEN}"
        for table in ("conversations", "turns", "messages", "deliveries", "participants"):
            assert house.rows(f"SELECT * FROM {table}") == []  # noqa: S608 - names of ours
        house.reader.execute("DELETE FROM seen")
        assert (await house.tell(old)).how == "forgotten"


async def test_it_takes_as_long_as_there_is_something_to_remove(tmp_path: Path) -> None:
    async with living(tmp_path, says("One.")) as house:
        await house.say("one")
        await house.quiet()
        house.worker.database.before["Erasure._forget"] = house.nap

        assert (await house.tell(removed(house))).how == "done"
        assert places(house) == []


def present(house: House, *workspaces: str, account: str = "nimbus") -> Present:
    at = house.loop.milliseconds() + 1
    return Present("played", account, frozenset(workspaces), at)


async def test_a_workspace_that_was_left_meanwhile_is_noticed_at_the_next_start(
    tmp_path: Path,
) -> None:
    async with living(tmp_path, says("One."), says("Two.")) as house:
        await house.tell(present(house, "V", "W"))
        await house.say("one")
        await house.say("two", place=STRANGE)
        await house.quiet()
        assert (await house.tell(present(house, "V", "W", "X"))).how == "ignored"
        assert places(house) == [str(STRANGE), str(PLACE)]

        assert (await house.tell(present(house, "W"))).how == "done"

        assert places(house) == [str(PLACE)]
        [left] = house.rows("SELECT * FROM workspaces")
        assert (left["workspace"], left["removed_at"] > 0) == ("V", True)


@pytest.mark.parametrize("before", [None, "another bot"])
async def test_what_another_account_was_in_is_not_taken_for_left(
    tmp_path: Path, before: str | None
) -> None:
    """Whoever changes the token loses nothing by that."""
    async with living(tmp_path, says("One.")) as house:
        if before:
            await house.tell(present(house, "W", account=before))
        await house.say("one")
        await house.quiet()

        assert (await house.tell(present(house))).how == "ignored"

        assert places(house) == [str(PLACE)]
