"""What was spent is noted once, and bounds what may be spent; no restart changes that."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial

import pytest

from memory import begin, erase, expired, inbox, turns, usage
from memory.errors import Superseded
from memory.inbox import Accepted
from memory.keys import PersonKey, PlaceKey
from memory.messages import assistant
from memory.turns import Spent, Turn
from memory.usage import TOTAL_KEPT, Allowance, Refused, Used, Why
from tests.contracts.store import ANN, BOB, CALL, DIGESTS, OVER, PLACE, Store, said
from tests.fakes import FakeClock

DAY = 24 * 3_600_000
NOON = 20_000 * DAY + DAY // 2
MINUTE = 60_000
ELSEWHERE = PlaceKey("played", "W", "C", "2")
SPENT = Spent("scripted", 100, 50, 10, 5)
PACE = Allowance(messages_per_minute=2)
BUDGET = Allowance(person_tokens_per_day=100)
IN_ALL = Allowance(total_tokens_per_day=100)


@pytest.fixture
def clock() -> FakeClock:
    return FakeClock(NOON)


async def hear(
    store: Store,
    number: int,
    allowance: Allowance = PACE,
    author: PersonKey = ANN,
    *,
    place: PlaceKey = PLACE,
) -> Accepted:
    arrival = said(number, author, place=place)
    accepted = await store.database.write(
        lambda tx: inbox.accept(tx, arrival, DIGESTS, allowance=allowance)
    )
    assert accepted is not None
    return accepted


async def used(store: Store, person: PersonKey = ANN) -> Used:
    return await store.database.read(lambda tx: usage.read(tx, DIGESTS.payer(person)))


async def spend(store: Store, tokens: int, person: PersonKey = ANN, **how: bool) -> None:
    payer = DIGESTS.payer(person)
    await store.database.write(lambda tx: usage.add(tx, payer, tokens, **how))


def refusals(accepted: Sequence[Accepted]) -> list[tuple[Why, bool] | None]:
    heard = (each.refused for each in accepted)
    return [None if one is None else (one.why, one.is_news) for one in heard]


async def test_who_writes_too_fast_is_told_once_in_a_minute(store: Store, clock: FakeClock) -> None:
    heard = [await hear(store, number) for number in range(1, 6)]
    clock.advance(MINUTE)
    later = [await hear(store, number) for number in range(6, 10)]

    told: list[tuple[Why, bool] | None] = [None, None, ("pace", True), ("pace", False)]
    assert refusals(heard) == [*told, ("pace", False)]
    assert refusals(later) == told
    assert await store.waiting() == ["1", "2", "6", "7"]


async def test_a_minute_counts_all_that_a_person_writes_and_nobody_else(store: Store) -> None:
    places = (PLACE, ELSEWHERE, ELSEWHERE)
    anns = [await hear(store, number, place=place) for number, place in enumerate(places, 1)]
    bobs = await hear(store, 4, author=BOB)

    assert refusals([*anns, bobs]) == [None, None, ("pace", True), None]


async def test_a_clock_that_is_set_back_silences_nobody(store: Store, clock: FakeClock) -> None:
    for number in (1, 2, 3):
        await hear(store, number)
    clock.advance(-MINUTE * 10)

    assert (await hear(store, 4)).how == "waiting"


async def test_what_is_said_again_by_the_platform_is_not_counted_again(store: Store) -> None:
    await hear(store, 1)
    again = await store.database.write(
        lambda tx: inbox.accept(tx, said(1), DIGESTS, allowance=PACE)
    )

    assert again is None
    assert (await hear(store, 2)).how == "waiting"


async def test_what_is_only_overheard_is_not_counted(store: Store) -> None:
    await hear(store, 1)
    for number in (2, 3):
        overheard = partial(inbox.accept, arrival=said(number), digests=DIGESTS, allowance=PACE)
        await store.database.write(partial(overheard, judge=lambda _: "observed"))

    assert (await hear(store, 4)).how == "waiting"


@pytest.mark.parametrize(("allowance", "why"), [(BUDGET, "person"), (IN_ALL, "total")])
async def test_who_has_used_up_a_budget_is_told_once_a_day(
    store: Store, clock: FakeClock, allowance: Allowance, why: Why
) -> None:
    await spend(store, 99)
    before = await hear(store, 1, allowance)
    await spend(store, 1)
    after = [await hear(store, number, allowance) for number in (2, 3)]
    clock.advance(DAY // 2)
    next_day = await hear(store, 4, allowance)

    assert refusals([before, *after, next_day]) == [None, (why, True), (why, False), None]


async def test_a_budget_of_all_is_told_to_everybody_and_a_persons_own_is_nobody_elses(
    store: Store,
) -> None:
    await spend(store, 100, BOB)
    mine = await hear(store, 1, BUDGET)
    ours = [await hear(store, number, IN_ALL, author) for number, author in ((2, ANN), (3, BOB))]

    assert refusals([mine, *ours]) == [None, ("total", True), ("total", True)]


async def test_who_read_it_as_an_answer_is_not_told_again(store: Store) -> None:
    await spend(store, 100, tells=True)

    assert (await hear(store, 1, BUDGET)).refused == Refused("person", is_news=False)


async def test_a_refused_message_leaves_no_empty_conversation(store: Store) -> None:
    await spend(store, 100)
    await hear(store, 1, BUDGET)

    assert await store.column("SELECT count(*) FROM conversations") == [0]


async def test_a_refused_message_leaves_a_conversation_that_was_there(store: Store) -> None:
    new = await store.start_new()
    await spend(store, 100)

    assert (await hear(store, 1, BUDGET)).conversation == new
    assert await store.column("SELECT id FROM conversations") == [new]


async def test_a_turn_is_noted_with_all_its_steps_for_its_asker_and_in_all(store: Store) -> None:
    turn = await store.ask(1)
    await _record(store, turn, SPENT)
    await store.finish(turn, spent=SPENT)

    row = await store.turn(turn)
    assert (row["input_tokens"], row["cached_tokens"]) == (200, 100)
    assert (row["output_tokens"], row["reasoning_tokens"]) == (20, 10)


async def test_what_was_spent_before_a_new_beginning_or_a_take_over_stays_noted(
    store: Store,
) -> None:
    turn = await store.ask(1)
    anew = await store.database.write(lambda tx: begin.begin_anew(tx, turn, SPENT))
    await _record(store, anew, SPENT)
    await store.execute("UPDATE turns SET lease_until = 0")
    taken = await store.take_over(turn.conversation, lease=OVER)

    assert taken is not None
    assert (anew.tokens, taken.tokens) == (110, 220)


async def test_a_step_that_a_wish_keeps_out_was_paid_all_the_same(store: Store) -> None:
    turn = await store.ask(1)
    await store.stop()

    assert await _record(store, turn, SPENT) == "stopped"
    assert (await store.turn(turn))["input_tokens"] == 100


async def test_a_late_writer_notes_nothing(store: Store) -> None:
    late = await store.ask(1, lease=OVER)
    await store.take_over(late.conversation)

    with pytest.raises(Superseded):
        await _record(store, late, SPENT)
    assert (await store.turn(late))["input_tokens"] == 0


async def test_sums_are_of_a_day_for_each_person_and_for_all(
    store: Store, clock: FakeClock
) -> None:
    await spend(store, 10)
    await spend(store, 5)
    await spend(store, 1, BOB)
    today = (await used(store), await used(store, BOB))
    clock.advance(DAY // 2)
    await spend(store, 3, BOB)

    assert today == (Used(15, 16), Used(1, 16))
    assert (await used(store), await used(store, BOB)) == (Used(0, 3), Used(3, 3))
    assert await store.column("SELECT sum(turns) FROM usage WHERE subject = 'total'") == [4]


async def test_forgetting_a_running_turn_does_not_give_back_what_it_spent(store: Store) -> None:
    turn = await store.ask(1)
    await _record(store, turn, SPENT)
    await _forget(store, turn)

    assert await used(store) == Used(110, 110)


async def test_forgetting_a_turn_that_has_ended_counts_nothing_twice(store: Store) -> None:
    turn = await store.ask(1)
    await store.finish(turn, spent=SPENT)  # who finishes notes it, too
    await _forget(store, turn)

    assert await used(store) == Used(0, 0)


async def test_a_persons_sums_go_with_their_day_and_those_of_all_much_later(
    store: Store, clock: FakeClock
) -> None:
    await spend(store, 10)
    counts = []
    for days in (0, 1, TOTAL_KEPT - 1, 1):
        clock.advance(days * DAY)
        await store.database.write(expired.sweep_digests)
        counts.append(await store.column("SELECT subject FROM usage WHERE subject = 'total'"))
        counts.append(await store.column("SELECT tokens FROM usage WHERE subject <> 'total'"))

    assert counts == [["total"], [10], ["total"], [], ["total"], [], [], []]


@pytest.mark.parametrize(
    ("allowance", "left"),
    [
        (Allowance(), None),
        (Allowance(person_tokens_per_day=100), 70),
        (Allowance(total_tokens_per_day=100), 20),
        (Allowance(person_tokens_per_day=90, total_tokens_per_day=100), 20),
        (Allowance(person_tokens_per_day=10), 0),
    ],
)
def test_what_is_left_is_the_lesser_of_both(allowance: Allowance, left: int | None) -> None:
    assert allowance.left(Used(30, 80)) == left


def test_at_the_terminal_only_what_all_may_use_counts() -> None:
    allowance = Allowance(1, 2, 3)

    assert allowance.on("terminal") == Allowance(0, 0, 3)
    assert allowance.on("slack") == allowance


async def _record(store: Store, turn: Turn, spent: Spent) -> str | None:
    return await store.database.write(
        lambda tx: turns.record_step(tx, turn, assistant("", CALL), spent)
    )


async def _forget(store: Store, turn: Turn) -> None:
    await store.database.write(
        lambda tx: erase.forget_conversation(
            tx, turn.conversation, digests=DIGESTS, said_before=9_000, kept=5
        )
    )
