"""A participant's erase: their part goes, and what others repeat of it."""

from __future__ import annotations

from dataclasses import replace

import pytest

from memory import gaps, participant
from memory.erase_rules import RULES
from memory.errors import SaidBeforeForgetError, UnknownConversationError
from memory.forgettable import Forgettable, find_own, find_parts
from memory.keys import PlaceKey
from memory.messages import assistant, user
from memory.participant import Part
from tests.contracts.parts import (
    CHANNEL,
    CLEANED,
    ELSEWHERE,
    LATER,
    QUOTED,
    WORDS,
    asked,
    begun,
    erase,
    overheard,
)
from tests.contracts.store import ANN, BOB, CALL, DIGESTS, PLACE, RESULT, Store, said


async def test_their_turns_and_messages_go_and_those_of_others_stay(store: Store) -> None:
    first = await asked(store, 1)
    await asked(store, 2, BOB, WORDS)
    await overheard(store, 3)
    third = await asked(store, 4)
    await store.say(5, BOB)

    part = await erase(store, first)

    assert part == Part(PLACE, turns=1, messages=4)
    assert await store.column("SELECT number FROM turns ORDER BY number") == [1, third.number]
    assert await store.column("SELECT remote_id FROM messages WHERE role = 'user'") == ["1", "4"]
    assert await store.column("SELECT person FROM participants") == [str(ANN)]


async def test_what_others_repeat_of_it_is_removed_and_measured_anew(store: Store) -> None:
    await asked(store, 1, BOB, WORDS)
    turn = await asked(store, 2, ANN, QUOTED, QUOTED)
    await erase(store, turn)

    question, answer = await store.messages(turn)
    assert (question.text, answer.text) == (CLEANED, CLEANED)
    row = await store.turn(turn)
    assert row["full_size"] == row["compact_size"] == 2 * len(CLEANED)


async def test_a_message_so_changed_loses_its_providers_rendering(store: Store) -> None:
    await asked(store, 1, BOB, WORDS)
    turn = await begun(store, 2)
    changed = replace(assistant(QUOTED, CALL), provider_data={"gemini": {"parts": [QUOTED]}})
    await store.record(turn, changed)
    await store.result(turn, RESULT)
    whole = replace(assistant("Yes."), provider_data={"gemini": {"parts": ["Yes."]}})
    await store.finish(turn, whole)
    await store.deliver(turn)
    await erase(store, turn)

    _, step, result, answer = await store.messages(turn)
    assert (step.text, step.provider_data) == (CLEANED, {})
    assert (result.results, answer) == ((RESULT,), whole)


async def test_a_thought_that_only_their_answers_rendering_tells_is_removed_too(
    store: Store,
) -> None:
    turn = await begun(store, 1, BOB)
    thought = replace(assistant("Yes."), provider_data={"openai": {"summary": ["It is T-0042."]}})
    await store.finish(turn, thought)
    await store.deliver(turn)
    later = await asked(store, 2, ANN, "Which?", "T-0042, it seems.")
    await erase(store, later)

    assert (await store.messages(later))[-1].text == "[removed], it seems."


async def test_what_they_said_after_the_command_stays(store: Store) -> None:
    await asked(store, 1)
    await asked(store, 2, BOB, WORDS)
    later = await begun(store, 4, BOB)
    part = await erase(store, later, before=3000)

    assert (part.turns, part.messages, part.open_turn, part.is_rung) == (1, 2, None, True)
    assert await store.taken(later) == ["4"]
    assert await store.column("SELECT person FROM participants ORDER BY person") == [
        str(ANN),
        str(BOB),
    ]


async def test_what_was_overheard_with_somebody_elses_turn_is_not_measured_any_more(
    store: Store,
) -> None:
    await asked(store, 1)
    await overheard(store, 2)
    turn = await asked(store, 3)
    before = (await store.turn(turn))["full_size"]
    await erase(store, turn)

    assert (await store.turn(turn))["full_size"] == len("HiYes.") < before


async def test_what_others_said_before_their_question_goes_along_and_is_not_looked_for(
    store: Store,
) -> None:
    turn = await asked(store, 1, ANN, WORDS)
    await overheard(store, 2, ANN)
    await asked(store, 3, BOB, "Hm")

    assert (await erase(store, turn)).messages == 3
    assert [each.text for each in await store.messages(turn)] == [WORDS, "Yes."]


async def test_summary_and_after_work_begin_anew(store: Store) -> None:
    turn = await asked(store, 1)
    await asked(store, 2, BOB)
    await store.execute("UPDATE conversations SET summary = 'Bob asked.'")
    [before] = await store.column("SELECT revision FROM conversations")
    await erase(store, turn)

    [row] = await store.rows("SELECT summary, revision FROM conversations")
    assert (row["summary"], row["revision"]) == (None, int(str(before)) + 1)


async def test_what_is_known_of_others_is_cleaned_too(store: Store) -> None:
    await asked(store, 1, BOB, WORDS)
    turn = await asked(store, 2)
    for note, text in (("1", QUOTED), ("2", "Her name is Ann.")):
        await store.execute(
            """
            INSERT INTO notes (id, person, number, platform, workspace, surface, topic, subject,
              text, conversation, turn, said_at, used_at)
            VALUES (:id, :person, 1, 'played', 'W', 'direct', 'fact', 'door', :text,
              :conversation, 2, 0, 0)
            """,
            id=note,
            person=str(ANN),
            text=text,
            conversation=turn.conversation,
        )
    await erase(store, turn)

    assert await store.column("SELECT text FROM notes ORDER BY id") == [CLEANED, "Her name is Ann."]


def test_whatever_holds_words_is_known_to_who_removes_them() -> None:
    """A new table with words: let `memory/participant.py` take somebody's out of it, too."""
    assert {table for table, rule in RULES.items() if rule.words} == {
        "conversations",
        "messages",
        "participants",
        "recall",
        "notes",
    }


async def test_who_said_nothing_leaves_everything_as_it_is(store: Store) -> None:
    turn = await asked(store, 1)
    await store.execute("UPDATE conversations SET summary = 'Ann asked.'")

    assert await erase(store, turn) == Part(PLACE)
    assert await store.column("SELECT summary FROM conversations") == ["Ann asked."]


async def test_where_nothing_is_left_the_conversation_goes(store: Store) -> None:
    """Ann made it new, and only Bob has spoken since."""
    await store.start_new()
    turn = await asked(store, 1, BOB)

    assert (await erase(store, turn)).is_gone
    assert await store.rows("SELECT id FROM conversations") == []
    with pytest.raises(UnknownConversationError):
        await erase(store, turn)


async def test_a_damaged_message_is_cleaned_and_stays_damaged(store: Store) -> None:
    await asked(store, 1, BOB, WORDS)
    turn = await asked(store, 2)
    await store.execute("UPDATE messages SET content = :bad WHERE turn = 2", bad=f"{{{WORDS}")
    await store.execute("UPDATE messages SET turn = 1 WHERE role = 'tool'")
    await erase(store, turn)

    assert await store.column("SELECT content FROM messages") == ["{[removed]"] * 2


async def test_a_damaged_message_of_theirs_goes_with_the_others(store: Store) -> None:
    turn = await asked(store, 1, BOB, WORDS)
    await asked(store, 2)
    await store.execute("UPDATE messages SET content = 'no JSON' WHERE turn = 1")

    assert (await erase(store, turn)).messages == 2


async def test_long_conversations_are_read_to_their_end(store: Store) -> None:
    await asked(store, 1, BOB, WORDS)
    turn = await asked(store, 2)
    await store.execute(
        """
        WITH RECURSIVE more(position) AS (
          SELECT CAST(1000 AS BIGINT) UNION ALL
          SELECT position + 1 FROM more WHERE position < 1999)
        INSERT INTO messages (conversation, position, turn, role, state, said_at, content)
        SELECT conversation, more.position, turn, role, state, said_at, :content
        FROM messages, more WHERE turn = 2 AND role = 'assistant'
        """,
        content='{"parts": [{"text": "The blue door opens at ten", "kind": "text"}]}',
    )
    await erase(store, turn)

    assert await store.rows("SELECT 1 FROM messages WHERE content LIKE '%blue%'") == []


async def test_nothing_that_they_said_before_is_taken_again(store: Store) -> None:
    """R1: not told again, and not called in."""
    turn = await asked(store, 5)
    await store.say(3, BOB)
    await erase(store, turn, before=5000)
    await store.execute("DELETE FROM seen")
    running = await begun(store, 9)

    with pytest.raises(SaidBeforeForgetError):
        await store.say(4, BOB)
    await store.database.write(
        lambda tx: gaps.call_in(tx, running, [said(3, BOB), said(6, BOB)], DIGESTS)
    )
    assert await store.column("SELECT remote_id FROM messages WHERE state = 'observed'") == ["6"]


async def test_a_person_is_marked_where_nothing_of_them_is_known(store: Store) -> None:
    await asked(store, 1)
    await store.database.write(
        lambda tx: participant.mark(tx, BOB, PLACE, digests=DIGESTS, said_before=5000, kept=9)
    )

    with pytest.raises(SaidBeforeForgetError):
        await store.say(4, BOB)
    assert (await store.say(6, BOB)).how == "waiting"


async def test_parts_and_own_conversations_are_found(store: Store) -> None:
    turn = await asked(store, 1)
    await asked(store, 2, BOB, WORDS)
    await store.accept(replace(said(3, BOB, place=ELSEWHERE), message=user("Mine.")))

    async def parts(
        place: PlaceKey | None = None, *, in_channel: bool = False
    ) -> list[Forgettable]:
        return await store.database.read(
            lambda tx: find_parts(tx, BOB, place, in_channel=in_channel, said_before=LATER)
        )

    part = Forgettable(turn.conversation, PLACE, ANN, 1, 2)
    assert [await parts(), await parts(PLACE), await parts(CHANNEL, in_channel=True)] == [
        [part]
    ] * 3
    assert await parts(ELSEWHERE) == []
    own = await store.database.read(lambda tx: find_own(tx, BOB, said_before=LATER))
    assert [(each.place, each.messages) for each in own] == [(ELSEWHERE, 1)]
