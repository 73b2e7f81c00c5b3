"""The played platform as a venue."""

from __future__ import annotations

from collections.abc import Sequence

from bot.caller import Caller
from bot.lease import Clock
from bot.platform import Event, Inbound, Outlet
from memory.keys import PersonKey, PlaceKey
from tests.faults.seams import GatedPlatform
from tests.faults.venue import Around, Frame, Order, ordered
from tests.played_platform import Posted, surface_of

_ANN, _BOB, _CAS = (PersonKey("played", "W", name) for name in ("ann", "bob", "cas"))
PEOPLE = _ANN, _BOB, _CAS


class PlayedVenue:
    beginning = PlaceKey("played", "W", "D1", "")

    def __init__(self, around: Around) -> None:
        self._clock = around.loop.milliseconds
        threads = [PlaceKey("played", "W", "C", thread) for thread in ("1", "2")]
        self.places = {**dict.fromkeys(threads, PEOPLE), self.beginning: PEOPLE[:1]}
        self.platform = GatedPlatform(
            self._clock,
            characters=around.characters,
            throttle=around.throttle,
            remembers=around.remembers,
            administrators=frozenset({_ANN, _BOB}),
            gate=around.gate,
            sending=lambda one: around.sending(one.kind, one.turn, one.text, one.part),
        )

    def outlet(self, _clock: Clock) -> Outlet:
        return self.platform

    async def say(
        self, place: PlaceKey, person: PersonKey, text: str, *, calls: bool = True
    ) -> Sequence[Inbound]:
        return [self.platform.say(place, person, text, mentions_us=calls)]

    async def edit(self, said: Inbound, text: str, *, calls: bool = True) -> Sequence[Event]:
        return [self.platform.edit(said, text, mentions_us=calls)]

    async def delete(self, said: Inbound) -> Sequence[Event]:
        return [self.platform.delete(said)]

    async def command(self, word: str, place: PlaceKey, person: PersonKey) -> Order:
        address = {"place": str(place)}
        caller = Caller(person, place, surface_of(place), self._clock(), address)
        return lambda parts: ordered(parts, word, caller)

    def is_open(self, _place: PlaceKey, /) -> bool:
        return True

    def silence(self, process: str) -> None:
        self.platform.time_out_statuses(process)

    def posted(self) -> Sequence[Posted]:
        return [one for one in self.platform.messages if one.mark]

    def busy(self) -> Sequence[str]:
        return [place for place, _ in sorted(self.platform.statuses)]

    def pieces(self, answer: str) -> Sequence[str]:
        size = self.platform.characters
        return [answer[start : start + size] for start in range(0, len(answer), size)]

    def problems(self) -> Sequence[str]:
        return ()


PLAYED = Frame("played", PlayedVenue, PEOPLE, frozenset({"send", "find"}), "and so on " * 30)
