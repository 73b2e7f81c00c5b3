"""A question on Discord, and the reply to it, in virtual time."""

from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass

from adapters.chat.sending import Pace, Part
from adapters.discord.api import Api
from adapters.discord.events import Reader
from adapters.discord.outlet import DiscordOutlet
from adapters.discord.posts import Posts
from bot.platform import Delivery, OwnMessage, Reply, SentPart
from tests.discord_in_process import LineInProcess, discord_here
from tests.faults.virtual import VirtualLoop, run
from tests.servers.discord.homes import Bot, Server
from tests.servers.discord.people import Person
from tests.servers.discord.world import Channel, Message
from tests.servers.faults import Fate, Fates, always, nth

POST = "POST /channels/{channel_id}/messages"
EDIT = "PATCH /channels/{channel_id}/messages/{message_id}"
TYPING = "POST /channels/{channel_id}/typing"
THREAD = "POST /channels/{channel_id}/messages/{message_id}/threads"
QUESTION = "GET /channels/{channel_id}/messages/{message_id}"
LONG = "one two three " * 300
PACE = Pace(lambda: None, 4_000)


@dataclass
class Scene:
    """A question of Ann's at the top of a channel, and time that can be skipped."""

    loop: VirtualLoop

    async def open(self) -> None:
        self.discord = discord_here(self.loop.milliseconds)
        self.bot: Bot = self.discord.bot()
        self.home: Server = self.discord.guild("acme", self.bot)
        self.ann: Person = self.discord.person("Ann", self.home)
        self.line = LineInProcess(self.discord, self.bot)
        self.outlet = DiscordOutlet(self.line, Reader(self.bot.id), self.loop.milliseconds)
        self.posts = Posts(Api(self.line), self.bot.id)
        self.channel: Channel = self.home.channel("general")
        self.question: Message = await self.ann.says(self.channel, "<@nimbus> May I?")
        self.address = self.top("auto")
        self.asked_at = self.loop.milliseconds()
        self.is_done = False  # as a turn is, once its answer is recorded

    def top(self, thread: str) -> dict[str, str]:
        return {**self.inside(self.channel, self.question), "thread": thread}

    def inside(self, channel: Channel, question: Message) -> dict[str, str]:
        """The address of something said in a thread or a direct message."""
        return {
            "guild": channel.guild.id if channel.guild else "",
            "channel": channel.id,
            "message": question.id,
            "thread": "",
            "parent": channel.parent.id if channel.parent else "",
            "surface": "public" if channel.guild else "direct",
        }

    async def directly(self) -> None:
        """The question is asked in a direct message instead."""
        self.channel = self.bot.direct(self.ann)
        self.question = await self.ann.says(self.channel, "May I?")
        self.address = self.inside(self.channel, self.question)

    def reply(
        self,
        sent: Sequence[SentPart] = (),
        guard: Callable[[], None] = lambda: None,
        turn: str = "t1",
    ) -> Reply:
        return self.outlet.reply(Delivery(turn, self.address, guard, 4_000, sent))

    async def found(self) -> list[SentPart]:
        """What another worker would find of the turn."""
        own: Sequence[OwnMessage] = await self.outlet.own_messages(self.address, 1)
        return [SentPart(one.remote_id) for one in own if one.turn == "t1"]

    @property
    def here(self) -> Channel:
        """Where the answer stands."""
        return self.question.thread or self.channel

    def own(self) -> list[Message]:
        return self.bot.own(self.here)

    def shown(self) -> list[str]:
        return [message.content for message in self.own()]

    def next(self, fate: Fate, route: str, number: int = 1) -> None:
        """The fate of the next call of a route, as the server names it."""
        self.discord.decide(nth(number, fate, route))

    def all(self, fate: Fate, *routes: str) -> None:
        fates: Fates = always(fate, *routes)
        self.discord.decide(fates)

    def texts(self, route: str) -> list[tuple[float, str]]:
        return [(round(at, 3), body["content"]) for at, body in self.line.sent(route)]

    async def post(self, channel: Channel, text: str, turn: str = "t1", number: int = 1) -> str:
        return await self.posts.post(channel.id, Part(turn, number, text), "", PACE)


def on_stage(play: Callable[[Scene], Awaitable[None]]) -> Callable[[], None]:
    """Make a test of a play: it runs in virtual time."""

    def test() -> None:
        async def main(loop: VirtualLoop) -> None:
            scene = Scene(loop)
            await scene.open()
            await play(scene)
            assert scene.discord.checked == []

        run(main)

    test.__name__, test.__doc__ = play.__name__, play.__doc__
    return test
