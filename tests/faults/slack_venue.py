"""Slack as a venue: the adapter's own outlet on the fake Slack, without a network between."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from adapters.markup import slack
from adapters.slack.events import Reader, milliseconds
from adapters.slack.outlet import SlackOutlet, furnished
from bot.caller import Caller
from bot.lease import Clock
from bot.platform import Event, Inbound, Outlet
from memory.keys import PersonKey, PlaceKey
from tests.faults.slack_client import GatedClient
from tests.faults.venue import Around, Frame, Order, ordered
from tests.faults.virtual import BEGINNING
from tests.played_platform import Posted
from tests.servers.slack.people import Person, Workspace
from tests.servers.slack.world import Channel, Message
from tests.slack_in_process import installation, workspace


class SlackVenue:
    def __init__(self, around: Around) -> None:
        self.home = workspace(around.loop.milliseconds)
        self.home.hub.held = []  # nobody listens; what is told is handed over
        self.home.remembers = around.remembers / 1000
        self._people = people_of(self.home)
        self._us = installation(self.home)
        self._client = GatedClient(self.home, around)
        ann, bob, cas = self._people
        channel, direct = (
            self.home.channel("general", *self._people.values()),
            self.home.direct(self._people[ann]),
        )
        self._reader = Reader(self._us, surfaces={channel.id: "public"})
        self.beginning = PlaceKey("slack", self.home.team, channel.id, "")
        roots = [self._begin(channel, self._people[bob]) for _ in range(2)]
        threads = [PlaceKey("slack", self.home.team, channel.id, root.ts) for root in roots]
        top = PlaceKey("slack", self.home.team, direct.id, "")
        self.places = {**dict.fromkeys(threads, (ann, bob, cas)), top: (ann,)}

    def _begin(self, channel: Channel, person: Person) -> Message:
        return self.home.post(Message("", channel.id, person.profile, "Good morning."))

    def outlet(self, clock: Clock) -> Outlet:
        return SlackOutlet([furnished(self._us, self._client, clock)])

    async def say(
        self, place: PlaceKey, person: PersonKey, text: str, *, calls: bool = True
    ) -> Sequence[Inbound]:
        channel, told = self.home.channels[place.channel], len(self.home.hub.deliveries)
        await self._people[person].says(
            channel, self._words(channel, text, calls=calls), thread=place.thread
        )
        return [event for event in self._told(told) if isinstance(event, Inbound)]

    async def edit(self, said: Inbound, text: str, *, calls: bool = True) -> Sequence[Event]:
        channel, told = self.home.channels[said.place.channel], len(self.home.hub.deliveries)
        words = self._words(channel, text, calls=calls)
        await self._people[said.person].edits(_standing(channel, said), words)
        return list(self._told(told))

    async def delete(self, said: Inbound) -> Sequence[Event]:
        channel, told = self.home.channels[said.place.channel], len(self.home.hub.deliveries)
        await self._people[said.person].deletes(_standing(channel, said))
        return list(self._told(told))

    async def command(self, word: str, place: PlaceKey, person: PersonKey) -> Order:
        """By mention where slash commands cannot be typed, which is in threads."""
        if not place.thread:
            address = {"workspace": place.workspace, "channel": place.channel, "thread": ""}
            address |= {"message": "", "user": person.user}
            caller = Caller(person, place, "direct", self.home.clock(), address)
            return lambda parts: ordered(parts, word, caller)
        event, *_twin = await self.say(place, person, word)
        return lambda parts: parts.intake.accept(event)

    def is_open(self, place: PlaceKey) -> bool:
        root = self.home.channels[place.channel].find(place.thread)
        return root is not None and not root.tombstone

    def silence(self, process: str) -> None:
        self._client.silence(process)

    def posted(self) -> Sequence[Posted]:
        return [
            self._posted(message, channel)
            for channel in self.home.channels.values()
            for message in self.home.own(channel)
        ]

    def busy(self) -> Sequence[str]:
        return [f"{channel} {thread}" for channel, thread, _ in self.home.statuses()]

    def pieces(self, answer: str) -> Sequence[str]:
        return [piece.text for piece in slack.pieces(answer)]

    def problems(self) -> Sequence[str]:
        return self.home.inspector.found

    def _words(self, channel: Channel, text: str, *, calls: bool) -> str:
        return f"<@bot> {text}" if calls and channel.kind != "direct" else text

    def _told(self, since: int) -> Iterator[Event]:
        for delivery in self.home.hub.deliveries[since:]:
            event = self._reader.read(delivery.payload)
            if event is not None:
                yield event

    def _posted(self, message: Message, channel: Channel) -> Posted:
        thread = "" if channel.kind == "direct" else message.thread_ts
        place = PlaceKey("slack", self.home.team, channel.id, thread)
        mark = (message.metadata or {})["event_payload"]
        return Posted(
            message.ts,
            str(place),
            message.author.id,
            message.text,
            milliseconds(message.ts),
            mark=mark["turn"],
            part=int(mark["part"]) - 1,
            edits=message.edits,
        )


def people_of(home: Workspace) -> dict[PersonKey, Person]:
    """Ann and Bob, who may forget everything everywhere, and Cas."""
    people = [home.person(name, admin=name != "Cas") for name in ("Ann", "Bob", "Cas")]
    return {PersonKey("slack", home.team, one.id): one for one in people}


def _standing(channel: Channel, said: Inbound) -> Message:
    message = channel.find(said.message_id)
    assert message is not None, "it was deleted before"
    return message


_ANN, _BOB, _CAS = people_of(workspace(lambda: BEGINNING))  # ids are the same in every run

SLACK = Frame(
    "slack", SlackVenue, (_ANN, _BOB, _CAS), frozenset({"write", "ask"}), "and so on " * 1_250
)
