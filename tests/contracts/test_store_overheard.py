"""What is overheard, called in, named and muted, as both engines store it."""

from dataclasses import replace
from functools import partial

import pytest

from memory import changes, contents, conversations, erase, follow, forgettable, gaps, inbox, people
from memory.errors import NotForUsError, Superseded
from memory.follow import Standing
from memory.forgettable import Forgettable
from memory.gaps import Named
from memory.inbox import Arrival, Verdict
from memory.keys import PersonKey, PlaceKey
from memory.messages import user
from memory.turns import Turn
from tests.contracts.store import ANN, BOB, DIGESTS, PLACE, Store, said

CHANNEL = PlaceKey("played", "W", "C", "")
LATER = 2**50


async def overhear(store: Store, arrival: Arrival, verdict: Verdict) -> inbox.Accepted | None:
    return await store.database.write(
        lambda tx: inbox.accept(tx, arrival, DIGESTS, lambda _standing: verdict)
    )


async def standing(store: Store, conversation: str, person: PersonKey) -> Standing:
    return await store.database.read(lambda tx: follow.read_standing(tx, conversation, person))


async def mute(store: Store, *, muted: bool) -> bool:
    return await store.database.write(
        lambda tx: conversations.mute(tx, PLACE, muted=muted, said_at=0)
    )


async def found_in_channel(store: Store, *, in_channel: bool) -> list[Forgettable]:
    return await store.database.read(
        lambda tx: forgettable.find_forgettable(
            tx, CHANNEL, in_channel=in_channel, said_before=LATER
        )
    )


async def begun_by(store: Store, owner: PersonKey) -> list[str]:
    return await store.database.write(
        lambda tx: erase.begin_forgetting(
            tx, PLACE, digests=DIGESTS, said_before=LATER, kept=1, owner=owner
        )
    )


async def call_in(store: Store, turn: Turn, *earlier: Arrival) -> list[object]:
    await store.database.write(lambda tx: gaps.call_in(tx, turn, earlier, DIGESTS))
    sql = "SELECT remote_id FROM messages WHERE state = 'observed' ORDER BY sent_order"
    return list(await store.column(sql))


async def test_an_observed_message_goes_along_with_the_question_after_it(store: Store) -> None:
    await store.say(1)
    await overhear(store, said(2, BOB), "observed")
    await overhear(store, said(4, BOB), "observed")
    accepted = await store.say(3)
    turn = await store.begin(accepted.conversation)

    found = await store.database.read(lambda tx: contents.read(tx, turn.conversation, turn.number))
    assert found.talk.aside.endswith("\n> bob: message 2")
    assert await store.column("SELECT turn FROM messages ORDER BY sent_order") == [1, 1, 1, None]


async def test_what_is_only_noted_leaves_its_author(store: Store) -> None:
    await store.say(1)
    noted = await overhear(store, said(2, BOB), "noted")

    assert noted is not None
    assert noted.how == "noted"
    assert await store.waiting() == ["1"]
    assert len(await store.rows("SELECT 1 FROM participants")) == 2
    assert len(await store.rows("SELECT 1 FROM seen")) == 1


async def test_what_is_ignored_leaves_nothing(store: Store) -> None:
    await store.say(1)
    with pytest.raises(NotForUsError):
        await overhear(store, said(2, BOB), "ignored")

    assert len(await store.rows("SELECT 1 FROM seen")) == 1


async def test_only_the_newest_fifty_stay(store: Store) -> None:
    await store.say(1)
    for number in range(2, 54):
        await overhear(store, said(number, BOB), "observed")

    kept = await store.column(
        "SELECT remote_id FROM messages WHERE state = 'observed' ORDER BY sent_order"
    )
    assert (len(kept), kept[0]) == (50, "4")


async def test_who_is_known_and_who_spoke_since(store: Store) -> None:
    turn = await store.answer(1)
    ann, bob = [await standing(store, turn.conversation, person) for person in (ANN, BOB)]
    await store.database.write(lambda tx: tx.execute("UPDATE turns SET ended_at = 0"))
    await overhear(store, said(2, BOB), "observed")
    later = await standing(store, turn.conversation, ANN)

    assert (ann.knows_author, ann.others_since) == (True, False)
    assert not bob.knows_author
    assert (later.knows_author, later.others_since) == (True, True)


async def test_a_muted_place_is_not_listened_to(store: Store) -> None:
    accepted = await store.say(1)
    for muted in (True, False):
        assert await mute(store, muted=muted)
        found = await standing(store, accepted.conversation, ANN)
        heard = await store.database.read(lambda tx: follow.is_overheard(tx, PLACE))
        assert (found.muted, heard) == (muted, not muted)


async def test_earlier_messages_are_kept_once(store: Store) -> None:
    turn = await store.ask(9)
    earlier = [said(1, BOB), said(2, BOB), said(9)]

    assert await call_in(store, turn, *earlier) == ["1", "2"]
    assert await call_in(store, turn, *earlier) == ["1", "2"]
    assert await store.column("SELECT called_in FROM conversations") == [1]


@pytest.mark.parametrize(
    "key", [DIGESTS.place(PLACE), DIGESTS.person(BOB), DIGESTS.person_in_place(BOB, PLACE)]
)
async def test_nothing_said_before_a_forget_is_called_in(store: Store, key: str) -> None:
    turn = await store.ask(9)
    await store.watermark(key, said_before=2_000)

    assert await call_in(store, turn, said(1, BOB), said(2, BOB)) == ["2"]


async def test_what_was_deleted_is_not_called_in(store: Store) -> None:
    turn = await store.ask(9)
    await store.database.write(lambda tx: inbox.mark(tx, DIGESTS.said(PLACE, "1")))

    assert await call_in(store, turn, said(1, BOB)) == []


async def test_a_late_worker_calls_nothing_in(store: Store) -> None:
    turn = await store.ask(9)
    with pytest.raises(Superseded):
        await call_in(store, replace(turn, fence=turn.fence + 1), said(1, BOB))

    assert await store.column("SELECT called_in FROM conversations") == [0]


async def test_what_was_called_in_becomes_a_question(store: Store) -> None:
    turn = await store.ask(9)
    await call_in(store, turn, said(1, BOB))
    await store.say(1, BOB)

    assert await store.waiting() == ["1"]
    assert await store.column("SELECT turn FROM messages WHERE remote_id = '1'") == [None]


async def test_names_are_written_down(store: Store) -> None:
    accepted = await store.accept(replace(said(1), author_name=""))
    assert accepted is not None
    turn = await store.begin(accepted.conversation)
    found = await store.database.read(lambda tx: contents.read(tx, turn.conversation, turn.number))
    named = [Named(each, "Ann", user("for @Bob")) for each in found.unnamed]
    await store.database.write(lambda tx: gaps.name_people(tx, turn, named))

    assert await store.column("SELECT author_name FROM messages") == ["Ann"]
    assert await store.column("SELECT name FROM participants") == ["Ann"]


async def test_something_is_told_once(store: Store) -> None:
    key = DIGESTS.told("refused", ANN)

    told = [await store.database.write(lambda tx: inbox.tell_once(tx, key)) for _ in range(2)]
    assert told == [True, False]


async def test_what_somebody_might_forget_is_counted(store: Store) -> None:
    await store.answer(1)

    [one] = await found_in_channel(store, in_channel=True)
    assert (one.place, one.owner, one.turns, one.messages) == (PLACE, ANN, 1, 2)
    assert await found_in_channel(store, in_channel=False) == []


async def test_only_what_one_began_is_found(store: Store) -> None:
    await store.say(1)

    assert len(await begun_by(store, ANN)) == 1
    assert await begun_by(store, BOB) == []


async def test_what_was_said_before_the_question_is_said_by_nobody_since(store: Store) -> None:
    """Or who asks more, while the answer is on its way, would not be heard."""
    turn = await store.ask(3)
    await call_in(store, turn, said(1, BOB), said(2, BOB))

    standing = await store.database.read(
        lambda tx: follow.read_standing(tx, turn.conversation, ANN)
    )
    assert not standing.others_since


async def test_who_has_written_since_is_not_thought_silent_for_what_came_earlier(
    store: Store,
) -> None:
    turn = await store.ask(2)
    await store.database.write(
        lambda tx: people.take_part(tx, turn.conversation, person=BOB, name="", now=LATER)
    )
    await call_in(store, turn, said(1, BOB))

    assert LATER in await store.column("SELECT last_at FROM participants")


@pytest.mark.parametrize("verdict", ["waiting", "observed"])
async def test_an_edit_asks_once_of_what_an_old_conversation_had_called_in(
    store: Store, verdict: Verdict
) -> None:
    turn = await store.ask(2)
    await call_in(store, turn, said(1, BOB))
    await store.finish(turn)
    await store.start_new()
    await overhear(store, said(1, BOB), verdict)
    edited = replace(said(1, BOB), message=user("new"), edited_at=LATER)
    await store.database.write(lambda tx: changes.edit(tx, edited, DIGESTS, calls=True))

    sql = "SELECT m.state FROM messages m JOIN conversations c ON c.id = m.conversation "
    where = "WHERE m.remote_id = '1' ORDER BY c.is_current"
    assert await store.column(sql + where) == ["observed", "waiting"]


@pytest.mark.parametrize("is_new", [True, False])
async def test_what_an_edit_made_a_question_is_none_again_when_it_is_told_of(
    store: Store, *, is_new: bool
) -> None:
    """Also after `new`; an edit that is older than what is stored made none."""
    turn = await store.ask(2)
    await call_in(store, turn, said(1, BOB))
    for calls, at in ((False, LATER), (True, LATER + 1 if is_new else LATER - 1)):
        edited = replace(said(1, BOB), message=user("new"), edited_at=at)
        await store.database.write(
            partial(changes.edit, arrival=edited, digests=DIGESTS, calls=calls)
        )
    await store.start_new()

    assert (await store.accept(said(1, BOB)) is None) is is_new
    assert await store.column("SELECT remote_id FROM messages WHERE state = 'waiting'") == ["1"]
