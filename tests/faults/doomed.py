"""`python -m tests.faults.doomed MOMENT ask|chat ID`: the real program, until it kills itself.

It is put together by `bot.main` as `nimbus ask` and `nimbus chat` are, on wrapped seams. `ask` asks
to open the ticket, `chat` reads questions from stdin.
"""

from __future__ import annotations

import asyncio
import os
import signal
import sys
from collections.abc import AsyncIterator, Callable, Sequence
from dataclasses import dataclass
from typing import TypeVar

from adapters.offline.model import OfflineModel
from adapters.terminal.chat import Chat
from adapters.terminal.lines import PipedLines
from adapters.terminal.reply import TerminalOutlet, TerminalReply
from adapters.terminal.screen import Screen
from bot.cli.place import TerminalPlace, choose_place, this_person
from bot.equipment import tools_folder
from bot.main import Replaced, assemble, open_memory
from bot.model import ModelRequest, ModelResponse
from bot.platform import Address, Delivery, OwnMessage, SentPart
from bot.settings import Limits, Settings, Timing
from bot.tools import Toolbox
from bot.tools.shop import Shop, Ticket
from bot.tools.support import desk_tools
from memory.database import Database, Work
from memory.engines import watch_file
from tests.faults.seams import name_of

T = TypeVar("T")

MOMENTS = (
    "accept",
    "begin",
    "model request",
    "commit of the call",
    "effect",
    "commit of the result",
    "finish",
    "send",
)
QUESTION = "Yes please."
SHORT = Timing(lease=4_000, renew=1_000, margin=1_000, send=900)  # soon over for who goes on


@dataclass(slots=True)
class Doom:
    """Knows how far the third turn has come, and strikes at its moment."""

    moment: str
    has_called: bool = False
    has_acted: bool = False

    def reached(self, moment: str) -> None:
        if moment == self.moment:
            os.kill(os.getpid(), signal.SIGKILL)

    def committed(self, name: str) -> None:
        match name:
            case "Intake._write_down":
                self.reached("accept")
            case "Runs.begin":
                self.reached("begin")
            case "Turns._commit.work":
                self.reached("finish")
            case "Turns._record" if self.has_acted:
                self.reached("commit of the result")
            case "Turns._record" if self.has_called:
                self.reached("commit of the call")

    def answered(self, response: ModelResponse) -> None:
        calls = [call.name for call in response.message.calls]
        self.has_called |= "create_support_ticket" in calls

    async def visit(self, work: Callable[[], T], /) -> T:
        """What the shop does; a ticket is the tool's effect."""
        result = await asyncio.to_thread(work)
        if isinstance(result, Ticket):
            self.has_acted = True
            self.reached("effect")
        return result


@dataclass(slots=True)
class DoomedDatabase:
    database: Database
    doom: Doom

    async def read(self, work: Work[T]) -> T:
        return await self.database.read(work)

    async def write(self, work: Work[T]) -> T:
        result = await self.database.write(work)
        self.doom.committed(name_of(work))
        return result

    async def truncate_log(self) -> bool:
        return await self.database.truncate_log()

    async def close(self) -> None:
        await self.database.close()


class DoomedModel(OfflineModel):
    def __init__(self, doom: Doom) -> None:
        super().__init__()
        self._doom = doom

    async def stream(self, request: ModelRequest) -> AsyncIterator[str | ModelResponse]:
        self._doom.reached("model request")
        async for piece in super().stream(request):
            if isinstance(piece, ModelResponse):
                self._doom.answered(piece)
            yield piece


class DoomedReply(TerminalReply):
    doom: Doom

    async def finish(self, answer: str) -> Sequence[SentPart]:
        sent = await super().finish(answer)
        self.doom.reached("send")
        return sent


class DoomedOutlet(TerminalOutlet):
    def __init__(self, screen: Screen, doom: Doom) -> None:
        super().__init__(screen)
        self._terminal = screen
        self._doom = doom
        self._printed: dict[str, SentPart] = {}

    def reply(self, delivery: Delivery) -> DoomedReply:
        reply = DoomedReply(self._terminal, delivery, self._printed)
        reply.doom = self._doom
        return reply

    async def own_messages(self, _address: Address, _since: int) -> Sequence[OwnMessage]:
        return tuple(OwnMessage(part.remote_id, turn) for turn, part in self._printed.items())


async def main(moment: str, command: str, conversation: str) -> None:
    settings, doom = Settings.load(), Doom(moment)
    screen, person = Screen(sys.stdout, sys.stderr), this_person()
    shop = Shop(tools_folder(settings) / "shop.db", run=doom.visit)
    replaced = Replaced(
        model=DoomedModel(doom),
        toolbox=Toolbox(desk_tools(shop), SHORT, Limits()),
        timing=SHORT,
    )
    async with open_memory(settings) as database:
        check = await watch_file(settings.database_url)
        place = await database.write(lambda tx: choose_place(tx, conversation, person))
        outlet = DoomedOutlet(screen, doom)
        doomed = DoomedDatabase(database, doom)
        async with (
            assemble(
                settings, doomed, worker="cli:doomed", outlets=[outlet], replaced=replaced
            ) as parts,
            TerminalPlace(
                parts, place, person, screen, outlet=outlet, still_there=check
            ).open() as here,
        ):
            if command == "ask":
                await here.ask(QUESTION)
            else:
                await Chat(here, PipedLines(sys.stdin.fileno()), screen).run()


if __name__ == "__main__":
    asyncio.run(main(*sys.argv[1:]))
    raise SystemExit("its moment never came")
