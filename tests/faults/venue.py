"""Where a run is played: a platform in this process, the people on it, and our outlet to it."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Protocol

from bot.caller import Caller
from bot.commands import FORGETS
from bot.lease import Clock
from bot.main import Parts
from bot.platform import Event, Inbound, Outlet
from memory.keys import PersonKey, PlaceKey
from tests.faults.points import Gate, Kind
from tests.faults.stores import ON_SQLITE, Engine
from tests.faults.virtual import VirtualLoop
from tests.played_platform import Posted

Order = Callable[[Parts], Awaitable[object]]
"""A command, as a process is told of it."""


async def ordered(parts: Parts, word: str, caller: Caller) -> object:
    if word in FORGETS:
        return await parts.commands.forget(word, caller)
    return await parts.commands.run(word, caller)


class Sending(Protocol):
    def __call__(self, what: str, turn: str, text: str = "", part: int = 0) -> None: ...


@dataclass(frozen=True, slots=True)
class Around:
    """What a venue stands in. `sending` hears of each request as it leaves.

    `remembers`: for how many milliseconds the platform knows a post by its key; `characters` in
    one message and `throttle` between two edits are of the played platform only.
    """

    loop: VirtualLoop
    gate: Gate
    sending: Sending
    remembers: int
    characters: int
    throttle: int


class Venue(Protocol):
    """`places` are two threads and Ann's direct messages, each with those who can speak there;
    `beginning` is where the example conversation is begun."""

    @property
    def beginning(self) -> PlaceKey: ...

    @property
    def places(self) -> Mapping[PlaceKey, Sequence[PersonKey]]: ...

    def outlet(self, clock: Clock) -> Outlet:
        """As a fresh process makes it."""
        ...

    async def say(
        self, place: PlaceKey, person: PersonKey, text: str, *, calls: bool = True
    ) -> Sequence[Inbound]:
        """A person writes, and mentions us if that `calls`; all events that tell of it."""
        ...

    async def edit(self, said: Inbound, text: str, *, calls: bool = True) -> Sequence[Event]:
        """Its author changes a message."""
        ...

    async def delete(self, said: Inbound) -> Sequence[Event]:
        """Its author deletes a message."""
        ...

    async def command(self, word: str, place: PlaceKey, person: PersonKey) -> Order: ...

    def is_open(self, place: PlaceKey, /) -> bool:
        """Whether people can go on there."""
        ...

    def silence(self, process: str) -> None:
        """It does not renew its statuses any more, so that the platform clears them."""
        ...

    # At the end

    def posted(self) -> Sequence[Posted]:
        """All that we ever posted, in the order of each place."""
        ...

    def busy(self) -> Sequence[str]:
        """Where something is still said to be going on."""
        ...

    def pieces(self, answer: str) -> Sequence[str]:
        """The messages that an answer comes to."""
        ...

    def problems(self) -> Sequence[str]:
        """What we sent and should not have."""
        ...


@dataclass(frozen=True, slots=True)
class Frame:
    """A platform to play on. `people` are Ann and Bob, who may forget everything everywhere, and
    Cas; `calls` are the kinds of our calls to it; `filler` makes more than one message of an
    answer."""

    platform: str
    build: Callable[[Around], Venue]
    people: tuple[PersonKey, PersonKey, PersonKey]
    calls: frozenset[Kind]
    filler: str
    engine: Engine = ON_SQLITE

    @property
    def name(self) -> str:
        return (
            self.platform if self.engine is ON_SQLITE else f"{self.platform} on {self.engine.name}"
        )

    @property
    def again(self) -> str:
        """How `python3 dev.py faults` is told to play here."""
        engine = "" if self.engine is ON_SQLITE else f" --engine {self.engine.name}"
        return f"--on {self.platform}{engine}"
