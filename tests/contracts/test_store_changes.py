"""Edits and deletes, as both engines store them."""

from dataclasses import replace

import pytest

from memory import changes, contents, gaps, history
from memory.changes import Changed
from memory.contents import Contents
from memory.database import Row, Transaction
from memory.gaps import Named
from memory.messages import encode, user
from memory.turns import Turn
from tests.contracts.store import ANN, BOB, DIGESTS, PLACE, Store, said

MUCH_LATER = 2**50


async def edit(
    store: Store, number: int, text: str, *, calls: bool = True, at: int = MUCH_LATER
) -> object:
    arrival = replace(said(number), message=user(text), edited_at=at)
    return await store.database.write(lambda tx: changes.edit(tx, arrival, DIGESTS, calls=calls))


async def delete(store: Store, number: int) -> list[Changed]:
    return await store.database.write(lambda tx: changes.delete(tx, PLACE, str(number), DIGESTS))


async def test_a_waiting_message_is_edited_and_rung_for(store: Store) -> None:
    accepted = await store.say(1)

    assert await edit(store, 1, "new") == [Changed(accepted.conversation, "wake")]
    [row] = await store.rows("SELECT content, edited_at FROM messages")
    assert "new" in row["content"]
    assert row["edited_at"] == MUCH_LATER


async def test_an_edit_of_what_was_never_told_of_is_to_be_accepted(store: Store) -> None:
    assert await edit(store, 1, "new") is None


async def test_an_edit_of_what_is_gone_changes_nothing(store: Store) -> None:
    await store.say(1)
    await delete(store, 1)

    assert await edit(store, 1, "new") == []


async def test_the_question_of_a_running_turn_changes_its_wish(store: Store) -> None:
    turn = await store.ask(1)

    assert await edit(store, 1, "new") == [Changed(turn.conversation, "interrupt")]
    assert (await store.turn(turn))["stop"] == "changed"


async def test_an_edit_whose_words_were_told_already_changes_no_turn(store: Store) -> None:
    """A mention that an edit added is told twice: as the edit, and as a mention."""
    turn = await store.ask(1)

    assert await edit(store, 1, "message 1") == [Changed(turn.conversation)]
    assert (await store.turn(turn))["stop"] is None
    assert await edit(store, 1, "older", at=MUCH_LATER - 1) == []


async def test_a_wish_to_stop_stays(store: Store) -> None:
    turn = await store.ask(1)
    await store.stop(PLACE)

    await edit(store, 1, "new")
    assert (await store.turn(turn))["stop"] == "stopped"


async def test_a_finished_turn_is_measured_again(store: Store) -> None:
    turn = await store.answer(1)
    before = await store.turn(turn)

    await edit(store, 1, "message 1 and more")
    after = await store.turn(turn)
    assert after["full_size"] - before["full_size"] == len(" and more")
    assert after["compact_size"] - before["compact_size"] == len(" and more")


async def test_every_change_makes_the_after_work_look_again(store: Store) -> None:
    await store.answer(1)
    await edit(store, 1, "new")
    await delete(store, 1)

    assert await store.column("SELECT revision FROM conversations") == [3]


async def test_a_deleted_question_takes_a_finished_turn_along(store: Store) -> None:
    turn = await store.answer(1)

    assert await delete(store, 1) == [Changed(turn.conversation)]
    for table in ("turns", "messages", "deliveries"):
        assert await store.rows(f"SELECT * FROM {table}") == []  # noqa: S608 - names of ours


async def test_a_deleted_question_stops_a_running_turn(store: Store) -> None:
    turn = await store.ask(1)

    assert await delete(store, 1) == [Changed(turn.conversation, "interrupt")]
    row = await store.turn(turn)
    assert (row["erased"], row["stop"]) == (2, "stopped")
    assert await store.rows("SELECT * FROM messages") == []


async def test_a_turn_that_is_being_sent_is_not_done_then(store: Store) -> None:
    turn = await store.ask(1)
    await store.finish(turn)
    await delete(store, 1)

    with pytest.raises(Exception, match="deleted"):
        await store.deliver(turn)
    assert (await store.turn(turn))["state"] == "sending"


async def test_a_deleted_waiting_message_ends_nothing(store: Store) -> None:
    turn = await store.ask(1)
    await store.say(2, BOB)

    assert await delete(store, 2) == [Changed(turn.conversation)]
    assert (await store.turn(turn))["stop"] is None


class Emptied:
    """Somebody empties a table between the look and the lock."""

    def __init__(self, tx: Transaction, table: str) -> None:
        self._tx = tx
        self._table = table

    async def fetch(self, sql: str, /, **values: object) -> list[Row]:
        if "UPDATE conversations" in sql:
            await self._tx.execute(f"DELETE FROM {self._table}")  # noqa: S608 - a name of ours
        return await self._tx.fetch(sql, **values)  # type: ignore[arg-type]  # as it came

    async def execute(self, sql: str, /, **values: object) -> int:
        return await self._tx.execute(sql, **values)  # type: ignore[arg-type]  # as it came

    async def now(self) -> int:
        return await self._tx.now()


@pytest.mark.parametrize("table", ["conversations", "messages"])
@pytest.mark.parametrize("what", ["edit", "delete"])
async def test_what_goes_meanwhile_is_left_alone(store: Store, what: str, table: str) -> None:
    await store.say(1)
    arrival = replace(said(1, ANN), edited_at=MUCH_LATER)

    async def work(tx: Transaction) -> object:
        emptied = Emptied(tx, table)
        if what == "edit":
            return await changes.edit(emptied, arrival, DIGESTS, calls=True)
        return await changes.delete(emptied, PLACE, "1", DIGESTS)

    assert await store.database.write(work) == []


async def test_what_was_called_in_and_edited_keeps_its_words_when_it_is_told_of(
    store: Store,
) -> None:
    """It is told as it was written."""
    turn = await store.ask(9)
    await store.database.write(lambda tx: gaps.call_in(tx, turn, [said(1, BOB)], DIGESTS))
    await edit(store, 1, "no, blue", calls=False)
    await store.say(1, BOB)

    assert await store.waiting() == ["1"]
    [content] = await store.column("SELECT content FROM messages WHERE remote_id = '1'")
    assert content == encode(user("no, blue"))


async def edit_unnamed(store: Store, number: int, text: str) -> None:
    """As a platform tells of it whose events have no names."""
    arrival = replace(said(number), author_name="", message=user(text), edited_at=MUCH_LATER)
    await store.database.write(lambda tx: changes.edit(tx, arrival, DIGESTS, calls=True))


async def read(store: Store, turn: Turn) -> Contents:
    return await store.database.read(lambda tx: contents.read(tx, turn.conversation, turn.number))


@pytest.mark.parametrize("is_done", [False, True])
async def test_who_edits_keeps_the_name_until_all_names_are_asked_for(
    store: Store, *, is_done: bool
) -> None:
    """The next turn asks, also when the edit came too late for its own."""
    accepted = await store.accept(replace(said(1), surface="public"))
    assert accepted is not None
    turn = await store.begin(accepted.conversation)
    if is_done:
        await store.finish(turn)
    await edit_unnamed(store, 1, "for <@2>")
    if not is_done:
        await store.finish(turn, heeded="changed")
    await store.deliver(turn)
    [window] = await store.database.read(
        lambda tx: history.read_window(tx, turn.conversation, turn.number + 1)
    )
    assert window.messages[0].text == "[From ann]\n\nfor <@2>"

    later = await store.ask(2)
    [unnamed] = (await read(store, later)).unnamed
    assert (unnamed.turn, unnamed.name, unnamed.message) == (1, "ann", user("for <@2>"))
    before = (await store.turn(turn))["full_size"]
    named = [Named(unnamed, unnamed.name, user("for @Bob Brown"))]
    await store.database.write(lambda tx: gaps.name_people(tx, later, named))

    [window] = await store.database.read(
        lambda tx: history.read_window(tx, turn.conversation, turn.number + 1)
    )
    assert window.messages[0].text == "[From ann]\n\nfor @Bob Brown"
    assert (await store.turn(turn))["full_size"] == before + len("@Bob Brown") - len("<@2>")
    assert (await read(store, later)).unnamed == ()


async def test_no_turn_asks_for_the_names_of_an_older_one(store: Store) -> None:
    await store.answer(1)
    turn = await store.ask(2)
    await edit_unnamed(store, 1, "for <@2>")

    assert (await read(store, turn)).unnamed == ()
    sql = "SELECT author_name FROM messages WHERE remote_id = '1'"
    assert await store.column(sql) == ["ann"]
