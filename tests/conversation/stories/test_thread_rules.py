"""The thread rules on the played platform."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest

from bot.platform import Accepted, Author
from bot.rules import Rules
from bot.settings import Settings
from memory.keys import PersonKey, PlaceKey, Surface
from tests.conversation.stories.house import House, living
from tests.fakes import ScriptedModel, after, says
from tests.thread_rules import Case, Line, Verdict, cases, play

pytestmark = pytest.mark.inline

KINDS: dict[str, Author] = {"gus": "guest", "eve": "external", "rob": "bot"}
SURFACES: dict[str, Surface] = {"direct": "direct", "private": "private"}
VERDICTS: dict[str, Verdict] = {
    "waiting": "answered",
    "observed": "observed",
    "ignored": "ignored",
    "refused": "refused",
    "done": "answered",
}


class Willing(ScriptedModel):
    """Always answers, after a while."""

    async def close(self) -> None: ...

    def __init__(self) -> None:
        super().__init__(*[after(1, says("Well.")) for _ in range(9)])


@dataclass
class PlayedScene:
    house: House
    case: Case
    written: list[str] = field(default_factory=list)

    async def say(self, line: Line) -> Verdict:
        self.written.append(line.who)
        accepted = await self.house.say(
            re.sub(r"@Nimbus\b", "", line.words).strip(),
            PersonKey("played", "W", line.who),
            place=self._place(),
            **self._facts(line),
        )
        return self._verdict(accepted)

    async def answered(self) -> None:
        await self.house.quiet()

    def _place(self) -> PlaceKey:
        thread = str(len(self.written)) if self.case.place == "channel" else "1"
        return PlaceKey("played", "W", "here", "" if self.case.place == "direct" else thread)

    def _facts(self, line: Line) -> dict[str, Any]:
        others = [name for name in line.mentions if name != "Nimbus"]
        replies = {"Nimbus": "us", None: None}.get(line.to, "other")
        return {
            "surface": SURFACES.get(self.case.place, "public"),
            "author": KINDS.get(line.who, "member"),
            "mentions_us": "Nimbus" in line.mentions,
            "mentions_others": bool(others),
            "replies_to": replies,
        }

    def _verdict(self, accepted: Accepted) -> Verdict:
        return VERDICTS[accepted.how]


@pytest.mark.parametrize("case", cases(), ids=str)
async def test_what_is_said_is(case: Case, tmp_path: Path) -> None:
    rules = Rules.of(Settings.model_validate(case.settings))
    async with living(tmp_path, model=Willing(), rules=rules) as house:
        assert await play(case, PlayedScene(house, case)) == case.expected
        if case.expected != "answered":
            kept = house.rows("SELECT remote_id FROM messages WHERE role = 'user'")
            said = house.platform.messages[-1].remote_id
            assert ({"remote_id": said} in kept) == (case.expected == "observed")
        await house.quiet()
