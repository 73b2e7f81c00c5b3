"""What was forgotten of a chain of replies stays forgotten, where no threads are made."""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass, field

import pytest

from bot.settings import Settings
from memory.engines import open_database
from tests.forget_rules import CHANNEL, Case, Line, Witness, cases, play
from tests.servers.discord.server import serving
from tests.servers.discord.world import Message
from tests.wire.test_discord_forgets import DiscordForgets


@dataclass
class ChainForgets(DiscordForgets):
    """A thread of the case is a chain: its first line stands at the top of the channel, every other
    one replies to the newest answer."""

    chains: defaultdict[str, set[str]] = field(default_factory=lambda: defaultdict(set))

    async def _write(self, line: Line, words: str) -> Message:
        channel = self.channels[line.place.rpartition("/")[0] or "here"]
        answers = [
            each
            for each in self.bot.own(channel)
            if each.replies_to in self.chains[line.place] and "You said" in each.content
        ]
        to = answers[-1] if answers else None
        message = await self.people[line.who].says(channel, words, to=to)
        self.threads.setdefault(line.place, message)
        self.chains[line.place].add(message.id)
        return message

    def _settings(self) -> Settings:
        return super()._settings().model_copy(update={"discord_threads": "never"})


class ThisWeek(Witness):
    """Marks stay: a reply that is edited after they went is dropped for its age, which no test of
    the wire can wait for."""

    async def drop_marks(self) -> None: ...


def chained() -> list[Case]:
    """Those in which all is said to Nimbus, and nobody needs a thread."""
    return [
        case
        for case in cases(without=["threads in direct messages"])
        if case.place == "thread" and (case.by == "mention" or case.forget.place == CHANNEL)
        if all("@Nimbus" in line.words or line.is_answer for line in case.before)
        if not any("slowly" in line.words for line in case.before)
    ]


@pytest.mark.slow
@pytest.mark.parametrize("case", chained(), ids=str)
async def test_what_is_forgotten_stays_forgotten(case: Case, sqlite_url: str) -> None:
    database = await open_database(sqlite_url)
    witness = ThisWeek(sqlite_url, database)
    async with serving() as discord:
        bot = discord.bot()
        scene = ChainForgets(discord, bot, discord.guild("acme", bot), case, witness)
        try:
            await play(case, scene, witness)
        finally:
            await scene.stop()
            await database.close()
        assert discord.checked == []
