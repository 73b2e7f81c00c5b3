"""Conversations at the terminal: answered, stopped, taken up, forgotten."""

from __future__ import annotations

import asyncio
import re

import pytest

from bot import wording
from bot.cli.place import this_person
from bot.cli.shell import PROGRAM
from bot.settings import Settings, Timing
from memory import begin, conversations
from memory.database import Database
from memory.engines import open_database, sqlite_path, watch_file
from memory.errors import (
    DatabaseFullError,
    DatabaseGoneError,
    DatabaseLockedError,
    UnknownConversationError,
)
from memory.keys import PersonKey
from tests.fakes import FakeClock, fails, hangs, says
from tests.seat import FailingDatabase, Seat, left_waiting, seated, until

LEASE = 30_000
ALERT = Timing(sweep=1, renew=10)  # hears at once what another window wishes


async def current(seat: Seat) -> str:
    await seat.place.greet(at_length=False)
    found = re.findall(r"conversation ([0-9a-f]{32})", seat.text)
    return str(found[-1])


async def test_a_question_is_answered_on_the_screen(file: Database) -> None:
    async with seated(file, says("It is ", "paid.")) as seat:
        assert await seat.place.ask("What about 1042?")
    assert "[step 0] memory: 0 earlier messages, 0 characters\n" in seat.text
    assert "It is paid.\n" in seat.text


async def test_the_second_question_comes_with_the_first(file: Database) -> None:
    async with seated(file, says("It is paid."), says("No.")) as seat:
        await seat.place.ask("What about 1042?")
        await seat.place.ask("Anything else?")

    texts = [message.text for message in seat.model.requests[1].messages]
    assert texts[:2] == ["What about 1042?", "It is paid."]
    assert texts[2].endswith("Anything else?")


async def test_stopping_ends_the_answer_and_keeps_what_was_said(file: Database) -> None:
    async with seated(file, hangs("It is"), says("Hello.")) as seat:
        asking = asyncio.ensure_future(seat.place.ask("What about 1042?"))
        await seat.paper.until("It is")
        await seat.place.stop()
        assert not await asking

        await seat.place.ask("Hello?")
    assert "It is (stopped)\n" in seat.text
    assert "\nHello.\n" in seat.text


async def test_a_failing_model_is_a_sentence_and_no_answer(file: Database) -> None:
    async with seated(file, fails()) as seat:
        assert not await seat.place.ask("What about 1042?")
    assert "The language model failed" in seat.text


async def test_a_question_that_is_too_long_is_cut_and_that_is_said(file: Database) -> None:
    async with seated(file, says("Long.")) as seat:
        await seat.place.ask("x" * 20_005)

    assert "[The rest of this message, 5 characters, was left out.]\n" in seat.text


async def test_a_full_disk_is_raised_and_the_question_is_answered_later(file: Database) -> None:
    database = FailingDatabase(file)
    async with seated(database, says("It is paid.")) as seat:
        database.fail_at = 2  # accept is stored, begin fails
        with pytest.raises(DatabaseFullError):
            await seat.place.ask("What about 1042?")
        assert await seat.place.take_up()

    assert seat.text.startswith("I answer what you asked before.\n")
    assert "It is paid.\n" in seat.text


async def test_nobody_waits_for_a_turn_that_breaks_again_and_again(file: Database) -> None:
    database = FailingDatabase(file, failure=LookupError("a defect"))
    async with seated(database) as seat:
        database.fail_at = 2  # accept is stored, begin fails

        with pytest.raises(LookupError):
            await seat.place.ask("What about 1042?")


async def test_a_database_that_is_busy_takes_no_question(file: Database) -> None:
    async with seated(file, timing=Timing(sweep=1, accept=0)) as seat:
        with pytest.raises(DatabaseLockedError, match="Please ask again"):
            await seat.place.ask("What about 1042?")


async def test_nothing_is_taken_up_where_nothing_waits(file: Database) -> None:
    async with seated(file) as seat:
        assert not await seat.place.take_up()


async def test_what_a_dead_chat_left_waiting_is_answered(file: Database) -> None:
    conversation = await left_waiting(file, "What about 1042?")

    async with seated(file, says("It is paid."), resume=conversation) as seat:
        assert await seat.place.take_up()

    assert seat.text.startswith("I answer what you asked before.\n")
    assert "It is paid.\n" in seat.text


async def test_a_turn_that_is_still_leased_is_waited_for(sqlite_url: str) -> None:
    clock = FakeClock(1_796_070_000_000)
    file = await open_database(sqlite_url, clock=clock)
    conversation = await left_waiting(file, "What about 1042?", clock=clock)
    await file.write(lambda tx: begin.begin(tx, conversation, worker="cli:dead", lease=LEASE))

    looked = asyncio.Event()

    async def look() -> None:
        looked.set()

    async with seated(
        file,
        says("It is paid."),
        resume=conversation,
        clock=clock,
        timing=Timing(sweep=1, send=0),
        still_there=look,
    ) as seat:
        assert await seat.place.is_busy_elsewhere()
        waiting = asyncio.ensure_future(seat.place.wait_for_others())
        await looked.wait()
        clock.advance(LEASE + 1)
        await waiting
        assert "in 31 seconds" in seat.text
        assert await seat.place.take_up()
    await file.close()

    assert "It is paid.\n" in seat.text


@pytest.mark.parametrize("has_tools", [True, False])
def test_without_tools_the_offline_model_claims_to_know_no_orders(*, has_tools: bool) -> None:
    told = wording.greeting("Nimbus", "offline", "c", 0, has_tools=has_tools)

    assert "No language model is set" in told
    assert ("refund" in told) == has_tools


async def test_the_greeting_names_model_conversation_and_what_was_said(file: Database) -> None:
    async with seated(file, says("Hello.")) as seat:
        await seat.place.greet(at_length=True)
        await seat.place.ask("Hello")
        await seat.place.greet(at_length=True)

    lines = [line for line in seat.text.splitlines() if not line.startswith("[")]
    assert lines[0] == "Nimbus · scripted"
    assert re.fullmatch(r"Conversation \w{32}\. help lists the commands, Ctrl-D ends\.", lines[1])
    assert ", 1 turn so far. help" in lines[-1]


async def test_leaving_says_how_to_go_on(file: Database) -> None:
    async with seated(file, says("Hello.")) as seat:
        await seat.place.ask("Hello")
        conversation = await current(seat)
        await seat.place.take_leave()

    assert seat.text.endswith(f"this conversation: {PROGRAM} chat --resume {conversation}\n")


async def test_a_conversation_in_which_nothing_was_said_is_not_kept(file: Database) -> None:
    async with seated(file) as seat:
        conversation = await current(seat)
        await seat.place.take_leave()

    assert "resume" not in seat.text
    with pytest.raises(UnknownConversationError):
        await file.read(lambda tx: conversations.get(tx, conversation))


async def test_after_a_forget_a_question_begins_a_new_conversation(file: Database) -> None:
    async with seated(file, says("Hello."), says("Who?")) as seat:
        await seat.place.ask("I am Robin Hood")
        told = await seat.place.command("forget")
        await seat.place.take_leave()
        await seat.place.ask("Who am I?")

    assert told.startswith("Forgotten: 1 conversation, 1 turn, 2 messages. What your terminal")
    assert "Robin Hood" not in repr(seat.model.requests[1])
    assert "resume" not in seat.text


async def test_a_conversation_that_can_go_on_is_resumed(file: Database) -> None:
    async with seated(file, says("Hello.")) as seat:
        await seat.place.ask("I am Robin Hood")
        conversation = await current(seat)

    async with seated(file, says("Robin."), resume=conversation) as seat:
        await seat.place.ask("Who am I?")

    assert "Robin Hood" in repr(seat.model.requests[0])


async def test_a_question_that_another_window_answers_is_answered_here_too(file: Database) -> None:
    async with seated(file, hangs(), says("Both are paid."), timing=ALERT) as there:
        first = asyncio.ensure_future(there.place.ask("What about 1042?"))
        await until(lambda: bool(there.model.requests))
        async with seated(file, resume=await current(there)) as here:
            assert await here.place.is_busy_elsewhere()
            assert await here.place.ask("And 1043?")
            assert await first

    assert there.text.count("Both are paid.") == 1
    assert here.text.endswith("(answered in another window)\nBoth are paid.\n")


async def test_a_question_that_another_window_forgets_is_told_so(file: Database) -> None:
    async with seated(file, hangs("It is"), timing=ALERT) as there:
        first = asyncio.ensure_future(there.place.ask("What about 1042?"))
        await there.paper.until("It is")
        async with seated(file, resume=await current(there)) as here:
            await here.place.command("forget")
            assert not await first

    assert "This conversation was forgotten.\n" in there.text


async def test_a_database_whose_file_goes_is_noticed(file: Database, sqlite_url: str) -> None:
    check = await watch_file(sqlite_url)
    async with seated(file, says("It is paid."), still_there=check) as seat:
        await seat.place.ask("What about 1042?")
        await asyncio.to_thread(sqlite_path(sqlite_url).unlink)

        for attempt in (seat.place.ask("Hello?"), seat.place.command("status")):
            with pytest.raises(DatabaseGoneError, match="deleted or replaced"):
                await attempt
        with pytest.raises(DatabaseGoneError):
            await seat.place.take_leave()
    assert "resume" not in seat.text


def test_the_person_is_who_runs_the_program() -> None:
    assert this_person().platform == "terminal"
    assert this_person().user
    assert this_person(4_000_000_000) == PersonKey("terminal", "", "4000000000")


async def test_the_demo_customer_sits_at_the_terminal(file: Database) -> None:
    async with seated(file, settings=Settings()) as seat:
        assert "get_order" in await seat.place.command("help")


async def test_a_ring_that_was_lost_is_rung_again(file: Database) -> None:
    conversation = await left_waiting(file, "What about 1042?")

    async with seated(file, says("It is paid."), resume=conversation) as seat:
        await seat.place.settle()

    assert "It is paid.\n" in seat.text


async def test_after_a_forget_nothing_is_waited_for(file: Database) -> None:
    async with seated(file) as seat:
        await seat.place.command("forget")

        assert not await seat.place.take_up()


async def test_to_forget_a_person_takes_a_moment_which_is_said(file: Database) -> None:
    async with seated(file, says("Hello."), timing=Timing(apart=1, sweep=1)) as seat:
        await seat.place.ask("I am Robin Hood")
        told = await seat.place.command("forget me")

    assert wording.FORGETTING in seat.text
    assert "1 conversation, 1 turn, 2 messages" in told
