"""Discord as a venue: the adapter's own outlet on the fake Discord, without a network between."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from adapters.discord.events import IN_A_GUILD, PLATFORM, Reader, milliseconds
from adapters.discord.outlet import DiscordOutlet
from adapters.markup import discord
from bot.caller import Caller
from bot.lease import Clock
from bot.platform import Event, Inbound, Outlet
from memory.keys import PersonKey, PlaceKey
from tests.discord_in_process import discord_here
from tests.faults.discord_line import GatedLine
from tests.faults.venue import Around, Frame, Order, ordered
from tests.faults.virtual import BEGINNING
from tests.played_platform import Posted
from tests.servers.discord import threads
from tests.servers.discord.homes import Bot, Server
from tests.servers.discord.people import Person
from tests.servers.discord.permissions import May
from tests.servers.discord.server import Discord
from tests.servers.discord.world import Channel, Message


class DiscordVenue:
    """Its nonces are always known for a while: what is sent again within one send relies on it."""

    def __init__(self, around: Around) -> None:
        self.discord = discord_here(around.loop.milliseconds)
        self.bot, self.home, self._people = inhabitants(self.discord)
        self.bot.hub.held = []  # nobody listens; what is told is handed over
        ann, bob, cas = self._people
        self._general = self.home.channel("general")
        self._reader = Reader(self.bot.id)
        arrival = self.discord.realm.arrival(self.home.guild, self.bot.hub)
        self._reader.guilds.learn(arrival.name, arrival.payload)
        self._read = 0  # of what was told
        self._line = GatedLine(self.discord, self.bot, around)
        self.beginning = PlaceKey(PLATFORM, self.home.id, self._general.id, "")
        begun = [self._begin(self._people[bob]) for _ in range(2)]
        direct = PlaceKey(PLATFORM, "@me", self.bot.direct(self._people[ann]).id, "")
        self.places = {**dict.fromkeys(map(self._place, begun), (ann, bob, cas)), direct: (ann,)}

    def _begin(self, person: Person) -> Channel:
        realm = self.discord.realm
        root = realm.post(realm.new_message(self._general, person.user, "Good morning."))
        return threads.start_from(realm, root, person.user, "Morning")

    def outlet(self, clock: Clock) -> Outlet:
        return DiscordOutlet(self._line, Reader(self.bot.id), clock)

    async def say(
        self, place: PlaceKey, person: PersonKey, text: str, *, calls: bool = True
    ) -> Sequence[Inbound]:
        """Where an answer stands in no thread, a reply to it goes on."""
        channel = self._channel(place)
        last = self._answered(place) if place.thread and channel is self._general else None
        list(self._news())
        words = self._words(channel, text, calls=calls)
        await self._people[person].says(channel, words, to=last)
        return [event for event in self._news() if isinstance(event, Inbound)]

    async def edit(self, said: Inbound, text: str, *, calls: bool = True) -> Sequence[Event]:
        message = self._standing(said)
        list(self._news())
        words = self._words(message.channel, text, calls=calls)
        await self._people[said.person].edits(message, words)
        return list(self._news())

    async def delete(self, said: Inbound) -> Sequence[Event]:
        message = self._standing(said)
        list(self._news())
        await self._people[said.person].deletes(message)
        return list(self._news())

    async def command(self, word: str, place: PlaceKey, person: PersonKey) -> Order:
        """By mention in threads, else as a slash command."""
        if not place.thread:
            address = {"guild": "", "channel": place.channel, "message": "", "thread": ""}
            address |= {"user": person.user, "parent": "", "surface": "direct"}
            caller = Caller(person, place, "direct", self.discord.realm.clock(), address)
            return lambda parts: ordered(parts, word, caller)
        [event] = await self.say(place, person, word)
        return lambda parts: parts.intake.accept(event)

    def is_open(self, place: PlaceKey) -> bool:
        """Once the thread is there. What goes on by replies has more places than one."""
        return self.discord.realm.channel(place.thread) is not None

    def silence(self, process: str) -> None:
        """Nobody is seen to type for longer than ten seconds."""

    def posted(self) -> Sequence[Posted]:
        return [
            self._posted(message, channel)
            for channel in self.discord.realm.channels()
            for message in self.bot.own(channel)
        ]

    def busy(self) -> Sequence[str]:
        return [f"{channel}: {bot} types" for channel, bot in self.discord.typing]

    def pieces(self, answer: str) -> Sequence[str]:
        return [piece.text for piece in discord.pieces(answer)]

    def problems(self) -> Sequence[str]:
        return self.discord.checked

    def _words(self, channel: Channel, text: str, *, calls: bool) -> str:
        return f"{self.bot.mention} {text}" if calls and channel.guild is not None else text

    def _news(self) -> Iterator[Event]:
        told, self._read = self.bot.hub.deliveries[self._read :], len(self.bot.hub.deliveries)
        for delivery in told:
            now = self.discord.realm.clock()
            yield from self._reader.read(delivery.name, delivery.payload, now)
            self._reader.guilds.learn(delivery.name, delivery.payload)

    def _place(self, thread: Channel) -> PlaceKey:
        return PlaceKey(PLATFORM, self.home.id, IN_A_GUILD, thread.id)

    def _channel(self, place: PlaceKey) -> Channel:
        found = self.discord.realm.channel(place.thread or place.channel)
        return found or self._general

    def _answered(self, place: PlaceKey) -> Message:
        turn = next(
            self._line.turns[one.id]
            for one in self.bot.own(self._general)
            if one.replies_to == place.thread
        )
        own = self.bot.own(self._general)
        return next(one for one in own if self._line.turns[one.id] == turn)

    def _standing(self, said: Inbound) -> Message:
        for channel in self.discord.realm.channels():
            if found := channel.find(said.message_id):
                return found
        raise AssertionError("it was deleted before")

    def _posted(self, message: Message, channel: Channel) -> Posted:
        turn = self._line.turns[message.id]
        place = PlaceKey(PLATFORM, "@me", channel.id, "")
        if channel.guild is not None:
            place = PlaceKey(PLATFORM, self.home.id, IN_A_GUILD, channel.id)
        if channel is self._general:
            place = self._place_of_chain(turn)
        return Posted(
            message.id,
            str(place),
            self.bot.id,
            message.content,
            milliseconds(message.id),
            mark=turn,
            edits=message.edits,
        )

    def _place_of_chain(self, turn: str) -> PlaceKey:
        """The first message of a turn there replies to what began the place, or to an answer."""
        own = [one for one in self.bot.own(self._general) if self._line.turns[one.id] == turn]
        root = self._general.find(own[0].replies_to)
        while root is not None and root.replies_to:
            root = self._general.find(root.replies_to)
        return PlaceKey(PLATFORM, self.home.id, IN_A_GUILD, root.id if root else "")


def inhabitants(discord: Discord) -> tuple[Bot, Server, dict[PersonKey, Person]]:
    """Ann and Bob may forget everything everywhere."""
    bot = discord.bot()
    home = discord.guild("acme", bot)
    people = [discord.person(name, home) for name in ("Ann", "Bob", "Cas")]
    home.role("moderators", May.MANAGE_MESSAGES, *people[:2])
    return bot, home, {PersonKey(PLATFORM, "", one.id): one for one in people}


_ANN, _BOB, _CAS = inhabitants(discord_here(lambda: BEGINNING))[2]  # ids are the same in every run

DISCORD = Frame(
    PLATFORM, DiscordVenue, (_ANN, _BOB, _CAS), frozenset({"write", "ask"}), "and so on " * 250
)
