"""One place in this terminal: its questions are accepted and answered in this process."""

from __future__ import annotations

import asyncio
import os
import pwd
import re
from collections.abc import AsyncIterator, Container
from contextlib import asynccontextmanager
from itertools import count
from typing import Self
from uuid import uuid4

from adapters.terminal.chat import Talk
from adapters.terminal.screen import Screen
from bot import wording
from bot.caller import Caller
from bot.cli.shell import PROGRAM, Refusal
from bot.commands import FORGET_ME, WORDS
from bot.main import Parts
from bot.noting import is_of_memory
from bot.platform import Inbound, Outlet
from memory import conversations, holds, reports, unanswered
from memory.conversations import Conversation, Standing
from memory.database import Clock, T, Transaction, Work, wall_clock
from memory.engines import Check
from memory.errors import DatabaseLockedError, UnknownConversationError
from memory.keys import PersonKey, PlaceKey

PLATFORM = "terminal"
_ID = re.compile(r"[0-9a-f]{32}")


class _Commands(Container[str]):
    """What is a command when it is all there is."""

    def __contains__(self, line: object) -> bool:
        return isinstance(line, str) and (line in WORDS or is_of_memory(line))


class TerminalPlace(Talk):
    """`ask` returns when nothing waits and no turn is open here, whoever had to end it. What goes
    wrong while a turn is answered is raised there: a defect is seen, and nobody waits for ever."""

    words = _Commands()

    def __init__(
        self,
        parts: Parts,
        place: PlaceKey,
        person: PersonKey,
        screen: Screen,
        *,
        outlet: Outlet,
        still_there: Check,
        clock: Clock = wall_clock,
    ) -> None:
        self._parts = parts
        self._place = place
        self._person = person
        self._screen = screen
        self._outlet = outlet
        self._still_there = still_there
        self._clock = clock
        self._asked = count()
        self._bell = asyncio.Event()
        self._failures: list[Exception] = []

    @asynccontextmanager
    async def open(self) -> AsyncIterator[Self]:
        """Answer what rings while the block lasts."""
        queue = self._parts.queue
        async with asyncio.TaskGroup() as group:
            group.create_task(queue.work(self._answer, self._parts.turns.interrupted))
            emptying = group.create_task(self._parts.erasure.keep_emptying())
            forgetting = group.create_task(self._parts.commands.forgetting.keep_finishing())
            yield self
            queue.stop()
            emptying.cancel()
            forgetting.cancel()

    async def ask(self, text: str) -> bool:
        """Raise StorageError when the question, or a part of its answer, cannot be stored."""
        self._failures.clear()
        await self._still_there()
        inbound = self._inbound(text)
        try:
            accepted = await self._parts.intake.accept(inbound)
        except TimeoutError as error:
            raise DatabaseLockedError(
                "The database is busy, so the question was not written down. Please ask again."
            ) from error
        if accepted.notice:
            self._screen.note(accepted.notice)
        await self.settle()
        return await self._show_answer(accepted.conversation or "", inbound.message_id)

    async def _show_answer(self, conversation: str, message_id: str) -> bool:
        """Print what was printed elsewhere only; whether it is an answer of the model."""
        answer = await self._read(lambda tx: reports.find_answer(tx, conversation, message_id))
        if answer is None:
            self._screen.note(wording.FORGOTTEN)
            return False
        printed = await self._outlet.own_messages({}, 0)
        if all(message.turn != answer.turn for message in printed) and not self._screen.is_broken:
            self._screen.note(wording.ELSEWHERE)
            self._screen.say("\n\n".join(answer.texts))
        return answer.outcome == "answered"

    async def settle(self) -> None:
        """Wait until everything that was asked here is answered, by whoever works on it."""
        while (conversation := await self._read(self._unsettled)) is not None:
            if not await self._is_rung():
                await self._still_there()
                await self._parts.queue.wake(conversation)
            if self._failures:
                raise self._failures.pop()
        await self._still_there()

    async def greet(self, *, at_length: bool) -> None:
        """Name the conversation, so that it can be gone on with whatever happens."""
        conversation, standing = await self._read(self._stand)
        self._screen.note(
            wording.greeting(
                self._parts.name,
                self._parts.model.name,
                conversation,
                standing.turns,
                has_tools=bool(self._parts.contexts.offered),
            )
            if at_length
            else f"conversation {conversation}"
        )

    async def take_leave(self) -> None:
        """Say how to go on; a conversation in which nothing was said is not kept."""
        await self._still_there()
        conversation = await self._read(self._current)
        if conversation is None:
            return
        if not await self._parts.database.write(
            lambda tx: conversations.drop_if_empty(tx, conversation)
        ):
            self._screen.note(wording.how_to_resume(PROGRAM, conversation))

    async def is_busy_elsewhere(self) -> bool:
        left = await self._read(self._lease_left)
        if left:
            self._screen.note(wording.still_answering(left // 1000))
        return left > 0

    async def wait_for_others(self) -> None:
        while left := await self._read(self._lease_left):
            await asyncio.sleep(min(left, self._parts.timing.sweep) / 1000)
            await self._still_there()

    async def take_up(self) -> bool:
        conversation = await self._read(self._unsettled)
        if conversation is None:
            return False
        self._screen.note(wording.TAKING_UP)
        await self._parts.queue.wake(conversation)
        await self.settle()
        return True

    async def stop(self) -> None:
        await self._parts.commands.stop(self._caller())

    async def command(self, words: str) -> str:
        await self._still_there()
        if words == FORGET_ME:
            self._screen.note(wording.FORGETTING)
        return await self._parts.commands.run(words, self._caller())

    async def _answer(self, conversation: str) -> None:
        try:
            await self._parts.turns.answer(conversation)
        except Exception as error:  # noqa: BLE001 - whoever waits for the answer raises it
            self._failures.append(error)
        finally:
            self._bell.set()

    async def _read(self, work: Work[T]) -> T:
        return await self._parts.database.read(work)

    async def _current(self, tx: Transaction) -> str | None:
        return await conversations.find_current(tx, self._place)

    async def _lease_left(self, tx: Transaction) -> int:
        return await holds.lease_left(tx, self._place)

    async def _stand(self, tx: Transaction) -> tuple[str, Standing]:
        conversation = await self._current(tx) or ""
        return conversation, await conversations.read_standing(tx, conversation)

    async def _unsettled(self, tx: Transaction) -> str | None:
        """The place's conversation, while a message waits or a turn is open here."""
        conversation = await self._current(tx)
        if conversation is None:
            return None
        is_open = await unanswered.look(tx, conversation) or await self._lease_left(tx)
        return conversation if is_open else None

    async def _is_rung(self) -> bool:
        """Wait for our own worker's end, but not for ever: another process may be the one."""
        loop = asyncio.get_running_loop()
        timer = loop.call_later(self._parts.timing.sweep / 1000, self._bell.set)
        await self._bell.wait()
        self._bell.clear()
        timer.cancel()
        return loop.time() < timer.when()

    def _inbound(self, text: str) -> Inbound:
        now = self._clock()
        return Inbound(
            place=self._place,
            surface="terminal",
            person=self._person,
            name=self._person.user,
            message_id=uuid4().hex,
            sent_order=f"{now:015d}.{next(self._asked):06d}",
            said_at=now,
            text=text,
            address={},
        )

    def _caller(self) -> Caller:
        return Caller(self._person, self._place, "terminal", self._clock())


def this_person(number: int | None = None) -> PersonKey:
    """Whoever runs the program, by the system's word and not the environment's."""
    uid = os.getuid() if number is None else number
    try:
        name = pwd.getpwuid(uid).pw_name
    except KeyError:  # a container may run under a number that has no name
        name = str(uid)
    return PersonKey(PLATFORM, "", name)


async def find(tx: Transaction, conversation: str) -> Conversation:
    """Raise UnknownConversationError, also for what can be no id."""
    if not _ID.fullmatch(conversation):
        raise UnknownConversationError(conversation)
    return await conversations.get(tx, conversation)


async def choose_place(tx: Transaction, resume: str | None, person: PersonKey) -> PlaceKey:
    """The place of the conversation to go on with, or a new one with a new conversation."""
    if resume is not None:
        found = await _find_to_resume(tx, resume, person)
        await conversations.touch(tx, found.id)  # or retention takes it away under their hands
        return found.place
    place = PlaceKey(PLATFORM, "local", "chat", uuid4().hex)
    await conversations.start_new(tx, place, surface="terminal", owner=person)
    return place


async def _find_to_resume(tx: Transaction, conversation: str, person: PersonKey) -> Conversation:
    """Raise Refusal for a conversation that cannot go on here."""
    found = await find(tx, conversation)
    if found.place.platform != PLATFORM:
        raise Refusal(f"This conversation is held on {found.place.platform} and goes on there.")
    if found.owner != person:
        raise Refusal("This conversation is somebody else's.")
    if not found.is_current:
        current = await conversations.find_current(tx, found.place)
        raise Refusal(f"A newer conversation was begun after this one: {current}")
    return found
