"""Who asks in other words than the command's to be forgotten is told the command, and nothing goes:
a model has no way to erase what was said."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from bot.prompts import system_prompt
from bot.settings import Settings
from memory.database import Database, Transaction
from tests.fakes import says
from tests.house import House, open_house
from tests.seat import seated

ASKED = "My name is Robin. Can I get a refund for order 1042?"
WISHES = [
    "Forget all of this, please.",  # which is no yes to the ticket that was offered
    "I'd like my messages to be deleted",
    "Remove all the data you have about me",
    "Please forget everything I said",
    "Can you delete our conversation?",
    "erase all my messages please",
    "I want you to forget what I told you.",
    "Delete my data!",
    "Would you please erase this chat?",
    "Wipe your memory of me",
    "clear the history",
    "Please delete everything we talked about",
    "Could you forget this conversation",
    "forget about me",
    "forget what I said about order 1042",
]
CLAIMS = re.compile(
    r"\b(?:i(?:'ve| have)?|(?:has|have) been|(?:is|are|was|were)(?: now)?) "
    r"(?:forgotten|erased|deleted|wiped|cleared|removed)\b|\bforgotten\b|\bdone\b",
    re.IGNORECASE,
)


QUICK = 3


@pytest.mark.parametrize(
    "wish",
    [*WISHES[:QUICK], *(pytest.param(each, marks=pytest.mark.slow) for each in WISHES[QUICK:])],
)
async def test_the_offline_model_names_the_command_and_claims_nothing(
    tmp_path: Path, wish: str
) -> None:
    async with open_house(tmp_path) as house:
        await house.say(ASKED)
        before = await everything(house)
        answer = await house.say(wish)

        assert "`forget`" in answer
        assert not CLAIMS.search(answer)
        assert (await everything(house))[: len(before)] == before


async def everything(house: House) -> list[str]:
    """What was said, and then what is known, as it is stored."""

    async def read(tx: Transaction) -> list[str]:
        said = await tx.fetch("SELECT content FROM messages ORDER BY position")
        return [row["content"] for row in said]

    return await house.parts.database.read(read)


async def test_no_tool_erases_what_was_said_and_the_prompt_names_what_does(
    file: Database,
) -> None:
    """Whatever a model claims, nothing has gone."""
    steps = says("Hello, Robin."), says("Done! I have erased everything.")
    async with seated(file, *steps, settings=Settings()) as seat:
        await seat.place.ask("My secret is xylophone.")
        await seat.place.ask("Please forget everything I said")

        request = seat.model.requests[-1]
        erasing = re.compile("forget|erase|delete|remove|wipe|clear")
        tools = {tool.name for tool in request.tools if erasing.search(tool.name)}
        assert tools == {"forget_fact"}  # a note; what was said stays
        assert "You cannot erase what was said, and must not say that you did." in request.system
        assert "`/nimbus forget`" in request.system
        assert "`forget` in the terminal" in request.system
        said = await file.read(lambda tx: tx.fetch("SELECT content FROM messages"))
        assert "xylophone" in repr(said)


@pytest.mark.parametrize("notes", [False, True])
def test_the_prompt_says_so_with_and_without_notes(*, notes: bool) -> None:
    prompt = system_prompt("Nimbus", "Be kind.", notes=notes)

    assert "You cannot erase what was said, and must not say that you did." in prompt
