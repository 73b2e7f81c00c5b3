"""The forget table as cases, for every adapter: a scene plays the lines, the forget, and all that
might bring back what was said.

An adapter writes a `ForgetScene` on its own wire, with a process that remembers in `witness.url`
and asks `witness.model`, and hands both to `play` with each of `cases()`.
"""

from __future__ import annotations

import asyncio
import re
import tomllib
from collections.abc import AsyncIterator, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, Literal, Protocol

from bot.model import ModelRequest, ModelResponse
from memory.database import Database, Row, Transaction
from memory.messages import Text
from tests.fakes import ScriptedModel, says

FILE = Path(__file__).with_name("conversation") / "forget_rules.toml"
CHANNEL = "channel"
"""The name of no thread: the channel `here`, outside of its threads."""

ASKED = "what did we say?"
CLOSED = "was forgotten."  # what stands in place of an answer

Kind = Literal["thread", "private", "direct"]
By = Literal["mention", "slash"]

_LINE = re.compile(r"(?P<who>\w+)(?: in (?P<place>[\w/]+))?(?:: ?(?P<words>.*))?")


@dataclass(frozen=True, slots=True)
class Line:
    """`words` hold mentions as `@Nimbus`; `place` is the name of a thread, perhaps after that of
    its channel (`other/tea`)."""

    who: str
    words: str
    place: str

    @classmethod
    def parse(cls, text: str) -> Line:
        found = _LINE.fullmatch(text)
        assert found, text
        return cls(found["who"], found["words"] or "", found["place"] or "here")

    @property
    def is_answer(self) -> bool:
        return self.who == "Nimbus"


@dataclass(frozen=True, slots=True)
class Case:
    """`settings` as in `Settings`, where people are called as in the scene; the words of `forget`
    are the command. `asks` is empty where nothing has to be confirmed."""

    claim: str
    place: Kind
    settings: Mapping[str, Any]
    before: Sequence[Line]
    forget: Line
    by: By
    asks: str
    confirm: bool
    told: str
    gone: Sequence[str]
    kept: Sequence[str]
    needs: frozenset[str]
    quick: bool

    def __str__(self) -> str:
        return f"{self.claim}, by {self.by}"


class ForgetScene(Protocol):
    """A workspace with Ann, Bob, Cy, Root and the channels `here` and `other`, in which the case's
    words are said, and one process at a time that listens there.

    Its threads are made as they are named: the first line of one begins it, at the top of its
    channel. In direct messages a thread is only meant where the case needs such.
    """

    async def start(self) -> None:
        """Start the process, which listens when this returns."""
        ...

    async def stop(self) -> None:
        """End the process as a deployment does."""
        ...

    async def say(self, line: Line) -> None:
        """Write the line; return when the process has taken what the platform tells of it."""
        ...

    async def shows(self, place: str, text: str) -> None:
        """Wait until a message of Nimbus has this in its text, in the thread."""
        ...

    async def forget(self, forget: Line, by: By) -> str:
        """Give the command there, as a message or as a slash command: what is told to who gave it
        (and to nobody else, where the platform can do that)."""
        ...

    async def press(self, forget: Line, *, confirm: bool) -> str:
        """Press a button under what was just told: what stands there instead, or is told then."""
        ...

    async def repeat(self) -> None:
        """Let the platform tell once more of every line that was said, of what became of it, and
        of a forget that was a message; in order. Return when that was taken."""
        ...

    async def edit(self) -> None:
        """Let everybody edit every line that they have said, so that it is longer and keeps its
        words; return when that was taken."""
        ...

    async def quiet(self) -> None:
        """Wait until nothing is on its way between the platform and the process."""
        ...


class Parrot(ScriptedModel):
    """Repeats what it was asked, and the word `slowly` takes as long as nobody says `go_on`."""

    def __init__(self) -> None:
        super().__init__(*[says("(unused)")] * 99)
        self._may_go_on = asyncio.Event()

    def go_on(self) -> None:
        self._may_go_on.set()

    async def stream(self, request: ModelRequest) -> AsyncIterator[str | ModelResponse]:
        question = [part for part in request.messages[-1].parts if isinstance(part, Text)][-1].text
        text = f"You said: {question}"
        async for response in super().stream(request):
            if isinstance(response, ModelResponse):
                yield text
                if "slowly" in question:
                    await self._may_go_on.wait()
                yield says(text).response


@dataclass
class Witness:
    """Who knows what the model was told, and what stands in the files of the database, which is
    SQLite and is opened for looking only."""

    url: str
    database: Database
    model: Parrot = field(default_factory=Parrot)

    def knows(self, word: str) -> bool:
        """Whether the word stands anywhere in the files."""
        file = Path(self.url.removeprefix("sqlite:///"))
        files = file.parent.glob(f"{file.name}*")
        return any(word.encode() in each.read_bytes() for each in files)

    async def settled(self) -> None:
        """Wait until nothing waits for an answer and no turn is open."""
        while await self.database.read(_open):  # noqa: ASYNC110 - a row tells nobody
            await asyncio.sleep(0.005)

    async def drop_marks(self) -> None:
        """Let a week pass: no message is known as one that was told of before."""
        await self.database.write(lambda tx: tx.execute("DELETE FROM seen"))

    def told_after(self, requests: int) -> str:
        """All that the model was sent since then."""
        return repr([request.messages for request in self.model.requests[requests:]])


async def _open(tx: Transaction) -> list[Row]:
    return await tx.fetch(
        """
        SELECT place FROM turns WHERE state IN ('running', 'sending')
        UNION ALL SELECT conversation FROM messages WHERE state = 'waiting'
        """
    )


def cases(*, without: Sequence[str] = ()) -> list[Case]:
    """All of them, but for those that need what a platform does not have. In the file nobody says
    who needs slash commands in threads."""
    read = tomllib.loads(FILE.read_text("utf-8"))["case"]
    return [case for each in read for case in _cases(each) if not case.needs & set(without)]


async def play(case: Case, scene: ForgetScene, witness: Witness) -> None:
    """Start the process, play the case, and try in every way to bring back what is gone."""
    await scene.start()
    await _speak(case, scene, witness)
    requests = len(witness.model.requests)
    told = await scene.forget(case.forget, case.by)
    if case.asks:
        assert case.asks in told
        told = await scene.press(case.forget, confirm=case.confirm)
    assert case.told in told, told
    await _end_slow_answers(case, scene, witness)
    _look(case, witness)
    await _bring_back(case, scene, witness)
    await scene.stop()
    _look(case, witness)
    await witness.drop_marks()
    await scene.start()
    await _bring_back(case, scene, witness)
    await scene.stop()
    _look(case, witness)
    assert not [word for word in case.gone if word in witness.told_after(requests)]


async def _speak(case: Case, scene: ForgetScene, witness: Witness) -> None:
    for line in case.before:
        if line.is_answer:
            await _answered(scene, witness)
            continue
        await scene.say(line)
        if "slowly" in line.words:
            await scene.shows(line.place, f"You said: {line.words.removeprefix('@Nimbus ')}")


async def _end_slow_answers(case: Case, scene: ForgetScene, witness: Witness) -> None:
    """What was shown of an erased answer is closed at once; every other one is finished."""
    for line in case.before:
        if "slowly" in line.words and any(word in line.words for word in case.gone):
            await scene.shows(line.place, CLOSED)
    witness.model.go_on()
    await _answered(scene, witness)


async def _bring_back(case: Case, scene: ForgetScene, witness: Witness) -> None:
    """Tell of everything again, change everything, and ask in every thread for what was said."""
    was_asked = witness.knows(ASKED)
    await scene.repeat()
    await scene.edit()
    await _answered(scene, witness)
    assert witness.knows(ASKED) == was_asked  # a forget that is told again takes nothing new
    for place in dict.fromkeys(line.place for line in case.before if not line.is_answer):
        who = next(line.who for line in case.before if line.place == place)
        await scene.say(Line(who, f"@Nimbus {ASKED}", place))
        await _answered(scene, witness)
    assert witness.knows(ASKED)


async def _answered(scene: ForgetScene, witness: Witness) -> None:
    await witness.settled()
    await scene.quiet()


def _look(case: Case, witness: Witness) -> None:
    assert [word for word in case.gone if witness.knows(word)] == []
    assert [word for word in case.kept if not witness.knows(word)] == []


def _cases(read: Mapping[str, Any]) -> Iterator[Case]:
    """One for each way in which the forget is given."""
    forget = Line.parse(read["forget"])
    forget = replace(forget, words=forget.words or "forget")
    place: Kind = read.get("place", "thread")
    for by in read["by"]:
        needs = {read["needs"]} if "needs" in read else set()
        if by == "slash" and place != "direct" and forget.place != CHANNEL:
            needs.add("slash commands in threads")
        yield Case(
            claim=read["claim"],
            place=place,
            settings=read.get("settings", {}),
            before=[Line.parse(text) for text in read["before"]],
            forget=forget,
            by=by,
            asks=read.get("asks", "") if by == "slash" else "",
            confirm=read.get("confirm", True),
            told=read["told"],
            gone=read.get("gone", ()),
            kept=read.get("kept", ()),
            needs=frozenset(needs),
            quick=read.get("quick", False),
        )
