"""What goes out of any stored history is what a provider takes, and inside the budget."""

from collections.abc import Sequence
from dataclasses import replace

from hypothesis import strategies as st

from bot.context import ContextBuilder
from bot.model import ModelRequest
from memory.messages import Message, user
from memory.repair import repair
from memory.window import StoredTurn, TurnForm, arrange, compact, next_cut
from tests.histories import damaged_histories, spoken, stored, whole_histories, whole_messages
from tests.properties import for_all
from tests.validity import problems

BUDGETS = st.sampled_from([0, 1, 200, 1_000, 3_000, 12_000, 100_000])
RECENT = st.integers(0, 4)
SIZES = st.lists(st.tuples(st.integers(1, 3_000), st.integers(0, 20_000)), max_size=60)
NOW = 1_796_047_500_000


def arranged(turns: Sequence[StoredTurn], budget: int, recent_turns: int) -> tuple[TurnForm, ...]:
    return arrange(
        turns,
        budget=budget,
        recent_turns=recent_turns,
        sentence=lambda turn: f"No answer: {turn.outcome}.",
    )


def sent(forms: Sequence[TurnForm]) -> list[TurnForm]:
    return [form for form in forms if form.form != "out"]


def sized(sizes: Sequence[tuple[int, int]]) -> list[StoredTurn]:
    """Turns of these compact sizes, and so much longer in full."""
    return [
        replace(stored(number), compact_size=short, full_size=short + more)
        for number, (short, more) in enumerate(sizes, 1)
    ]


@for_all(damaged_histories(), BUDGETS, RECENT)
def test_a_provider_takes_what_goes_out_of_any_history(
    turns: list[StoredTurn], budget: int, recent_turns: int
) -> None:
    builder = ContextBuilder("You are Nimbus.", budget=budget, recent_turns=recent_turns)

    context = builder.compose(turns, [user("And now?")], NOW)

    assert problems(context.request) == []


@for_all(damaged_histories(), st.integers(0, 100))
def test_a_history_may_be_cut_anywhere(turns: list[StoredTurn], place: int) -> None:
    rest = turns[place % len(turns) :]
    rest[0] = replace(rest[0], messages=rest[0].messages[place % 5 :])

    context = ContextBuilder("").compose(rest, [user("And now?")], NOW)

    assert problems(context.request) == []


@for_all(damaged_histories(), BUDGETS, RECENT)
def test_turns_are_sent_whole_and_in_order(
    turns: list[StoredTurn], budget: int, recent_turns: int
) -> None:
    forms = arranged(turns, budget, recent_turns)

    assert [form.number for form in forms] == [turn.number for turn in turns]
    for turn, form in zip(turns, forms, strict=True):
        whole = [] if form.form == "out" else spoken(turn.messages)
        assert spoken(form.messages) == whole
        assert not form.messages or form.messages[-1].role == "assistant"


@for_all(damaged_histories(), BUDGETS, RECENT)
def test_the_window_is_inside_the_budget_but_for_one_oversized_turn(
    turns: list[StoredTurn], budget: int, recent_turns: int
) -> None:
    forms = sent(arranged(turns, budget, recent_turns))

    assert sum(form.size for form in forms) <= budget or len(forms) == 1


@for_all(whole_histories(), BUDGETS, RECENT)
def test_the_oldest_are_left_out_and_never_the_newest(
    turns: list[StoredTurn], budget: int, recent_turns: int
) -> None:
    forms = arranged(turns, budget, recent_turns)

    left_out = [form.form == "out" for form in forms]
    assert left_out == sorted(left_out, reverse=True)
    assert not left_out[-1]


@for_all(whole_histories(), RECENT)
def test_with_room_the_newest_are_in_full_and_the_older_compact(
    turns: list[StoredTurn], recent_turns: int
) -> None:
    forms = arranged(turns, 10**9, recent_turns)

    older = len(turns) - min(recent_turns, len(turns))
    assert [form.form for form in forms] == ["compact"] * older + ["full"] * (len(turns) - older)
    assert [len(form.messages) for form in forms[older:]] == [
        len(turn.messages) for turn in turns[older:]
    ]


@for_all(whole_messages())
def test_a_whole_turn_is_not_repaired(messages: tuple[Message, ...]) -> None:
    assert repair(messages, lambda: "No answer.") == messages


@for_all(whole_messages())
def test_a_turn_without_calls_looks_the_same_in_both_forms(messages: tuple[Message, ...]) -> None:
    plain = tuple(message for message in messages if message.role == "user")

    assert compact((*plain, messages[-1])) == (*plain, messages[-1])
    assert compact(messages) == (*plain, messages[-1])


@for_all(SIZES, st.integers(1, 40), BUDGETS, RECENT)
def test_the_cut_moves_only_forward_and_then_leaves_at_most_a_half(
    sizes: list[tuple[int, int]], cut: int, budget: int, recent_turns: int
) -> None:
    turns = sized(sizes)

    moved = next_cut(turns, cut, budget=budget, recent_turns=recent_turns)

    assert moved >= cut
    if moved > cut:
        rest = [turn for turn in turns if turn.number >= moved]
        assert need(rest, 0.4 * budget, recent_turns) <= 0.5 * budget or len(rest) == 1


def need(turns: Sequence[StoredTurn], most: float, recent_turns: int) -> float:
    """What the turns need: the newest in full, but together no more than `most`."""
    older = len(turns) - min(recent_turns, len(turns))
    in_full = sum(turn.full_size for turn in turns[older:])
    in_short = sum(turn.compact_size for turn in turns[older:])
    return sum(turn.compact_size for turn in turns[:older]) + min(in_full, max(most, in_short))


@for_all(whole_histories(), BUDGETS, RECENT)
def test_after_the_cut_has_moved_the_next_question_leaves_nothing_out(
    turns: list[StoredTurn], budget: int, recent_turns: int
) -> None:
    cut = next_cut(turns, 1, budget=budget, recent_turns=recent_turns)

    forms = arranged([turn for turn in turns if turn.number >= cut], budget, recent_turns)

    assert all(form.form != "out" for form in forms)


@for_all(st.lists(whole_messages(), min_size=2, max_size=12), BUDGETS, RECENT)
def test_the_beginning_stays_the_same_until_the_cut_moves(
    history: list[tuple[Message, ...]], budget: int, recent_turns: int
) -> None:
    builder = ContextBuilder("You are Nimbus.", budget=budget, recent_turns=recent_turns)
    turns = [stored(number, *messages) for number, messages in enumerate(history, 1)]
    cut = 1
    before: tuple[Message, ...] = ()
    for count in range(1, len(turns) + 1):
        room = builder.for_window
        moved = next_cut(turns[cut - 1 : count], cut, budget=room, recent_turns=recent_turns)
        context = builder.compose(turns[moved - 1 : count], [user("And now?")], NOW + count)
        assert moved > cut or begins_with(context.request, before)
        cut, before = moved, beginning(context.request, context.forms, recent_turns)


def beginning(
    request: ModelRequest, forms: Sequence[TurnForm], recent_turns: int
) -> tuple[Message, ...]:
    older = sum(len(form.messages) for form in forms[: max(0, len(forms) - recent_turns)])
    return request.messages[:older]


def begins_with(request: ModelRequest, messages: tuple[Message, ...]) -> bool:
    return request.messages[: len(messages)] == messages
