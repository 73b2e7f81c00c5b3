"""What a deleted or changed message said is in no file after the next sweep, without a forget."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.conversation.stories.house import ANN, PLACE, House, living
from tests.fakes import hangs, says

pytestmark = pytest.mark.inline

WORD = "xylophone"


def is_kept(house: House) -> bool:
    files = house.file.parent.glob(f"{house.file.name}*")
    return any(WORD.encode() in file.read_bytes() for file in files)


async def sweep(house: House) -> None:
    await house.wait(house.timing.sweep / 1000 + 1)


@pytest.mark.parametrize("what", ["deleted", "edited"])
async def test_of_an_answered_question(tmp_path: Path, what: str) -> None:
    async with living(tmp_path, says("One.")) as house:
        house.worker.start(house.worker.erasure.keep_emptying())
        said = house.platform.say(PLACE, ANN, f"my word is {WORD}")
        await house.tell(said)
        await house.quiet()
        is_deleted = what == "deleted"
        event = house.platform.delete(said) if is_deleted else house.platform.edit(said, "none")
        await house.tell(event)
        assert is_kept(house)

        await sweep(house)

        assert not is_kept(house)
        assert not house.worker.erasure.log_is_full.is_set()


async def test_of_a_question_that_is_being_answered(tmp_path: Path) -> None:
    """Its rows go when its worker has closed what it showed, which may take longer than a sweep."""
    async with living(tmp_path, hangs("Your word is")) as house:
        said = house.platform.say(PLACE, ANN, f"What does {WORD} mean?")
        await house.tell(said)
        await house.until(lambda: len(house.shown()) == 2)
        await house.worker.database.write(
            lambda tx: tx.execute("UPDATE turns SET erased = 2 WHERE state = 'running'")
        )

        assert not await house.worker.erasure.empty_log()
        await house.tell(house.platform.delete(said))
        await house.quiet()
        assert await house.worker.erasure.empty_log()

        assert not is_kept(house)
