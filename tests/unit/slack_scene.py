"""A question in Slack, and the reply to it, in virtual time."""

from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass
from typing import Any

from adapters.slack.posts import Posts
from adapters.slack.rates import Governor
from adapters.slack.reply import SlackReply
from bot.platform import Delivery, SentPart
from tests.faults.virtual import VirtualLoop, run
from tests.servers.slack.people import Person, Workspace
from tests.servers.slack.world import Channel, Message
from tests.slack_in_process import ClientInProcess, Line, installation, workspace

POST, UPDATE = "chat.postMessage", "chat.update"
STATUS = "assistant.threads.setStatus"
LONG = "one two three " * 1_000


@dataclass
class Scene:
    """A question of Ann's in a channel, and time that can be skipped."""

    loop: VirtualLoop

    async def open(self) -> None:
        self.home: Workspace = workspace(self.loop.milliseconds)
        self.line = Line(self.home)
        self.governor = Governor(lambda: 1000 * self.loop.time())
        self.posts = Posts(ClientInProcess(self.line), installation(self.home), self.governor)
        self.ann: Person = self.home.person("Ann")
        self.channel: Channel = self.home.channel("general", self.ann)
        self.question: Message = await self.ann.says(self.channel, "<@bot> May I?")
        self.thread = self.question.ts

    def reply(
        self,
        sent: Sequence[SentPart] = (),
        guard: Callable[[], None] = lambda: None,
        turn: str = "t1",
    ) -> SlackReply:
        return SlackReply(self.posts, Delivery(turn, self.address, guard, 4_000, sent))

    @property
    def address(self) -> dict[str, str]:
        return {"channel": self.channel.id, "thread": self.thread, "message": self.question.ts}

    def shown(self) -> list[str]:
        return [message.text for message in self.home.own(self.channel)]

    def texts(self, method: str) -> list[tuple[float, str]]:
        """The texts that were sent, each after so many seconds."""
        began = self.line.home.clock() - 1000 * self.loop.time()
        return [
            ((call.at - began) / 1000, call.arguments["markdown_text"])
            for call in self.line.calls
            if call.method == method
        ]

    def bodies(self, method: str) -> list[dict[str, Any]]:
        return [call.arguments for call in self.line.calls if call.method == method]


def on_stage(play: Callable[[Scene], Awaitable[None]]) -> Callable[[], None]:
    """Make a test of a play: it runs in virtual time."""

    def test() -> None:
        async def main(loop: VirtualLoop) -> None:
            scene = Scene(loop)
            await scene.open()
            await play(scene)

        run(main)

    test.__name__, test.__doc__ = play.__name__, play.__doc__
    return test
