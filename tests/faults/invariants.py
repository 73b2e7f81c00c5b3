"""What must hold at the end of every run, whatever went wrong in it."""

from __future__ import annotations

import sqlite3
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from itertools import pairwise

from bot.wording import DELETED, FORGOTTEN, QUESTION_FORGOTTEN
from tests.faults.echo import TOKEN
from tests.faults.evidence import Evidence
from tests.faults.facts import Row, Said
from tests.faults.histories import (
    a_turn_has_one_author,
    answers_know_only_their_conversation,
    each_answer_is_one_to_its_question,
    each_message_has_one_turn,
    each_turn_has_a_question,
    nothing_forgotten_is_in_the_files,
    nothing_of_a_person_is_left,
    nothing_said_before_a_forget_is_taken,
    requests_are_valid,
    stored_turns_are_whole,
    what_is_stored_is_what_stands,
)
from tests.faults.withdrawn import REMOVED, is_what_is_left
from tests.played_platform import Posted

CLOSED = (DELETED, FORGOTTEN, QUESTION_FORGOTTEN)  # what stands there instead


def judge(evidence: Evidence) -> list[str]:
    """Everything that is wrong, in sentences."""
    return [
        *evidence.facts.problems,
        *(problem for rule in RULES for problem in rule(evidence)),
    ]


def nothing_is_left_over(evidence: Evidence) -> Iterator[str]:
    for row in evidence.questions:
        if row["turn"] is None:
            yield f"message {row['remote_id']} still waits"
    for turn in evidence.turns:
        if turn["state"] != "done" and not _may_have_failed(evidence, turn):
            yield f"turn {turn['id'][:6]} is still {turn['state']}"
    for place in evidence.venue.busy() if not evidence.was_refused else ():
        yield f"a status is left in {place}"
    for task in evidence.left_over:
        yield f"a task is left over: {task}"


def nothing_is_sent_that_nobody_may_read(evidence: Evidence) -> Iterator[str]:
    yield from evidence.venue.problems()


def _may_have_failed(evidence: Evidence, turn: Row) -> bool:
    """The platform takes no answer there, and says so."""
    return bool(turn["state"] == "failed") and evidence.was_refused


def each_answer_stands_there_once(evidence: Evidence) -> Iterator[str]:
    for turn in evidence.turns:
        parts = evidence.visible(turn["id"])
        shown, answer = [part.text for part in parts], evidence.answer(turn)
        pieces = evidence.venue.pieces(answer)
        if _may_have_failed(evidence, turn):
            if len(shown) > len(pieces):
                yield f"turn {turn['id'][:6]} has failed and shows {shown!r}"
            continue
        told = "".join(shown)
        if not (is_what_is_left(answer, told) if REMOVED in answer else shown == pieces):
            yield f"turn {turn['id'][:6]} shows {shown!r} and is stored as {answer!r}"
        if any(part.place != turn["place"] for part in parts):
            yield f"turn {turn['id'][:6]} was answered in another place"
        rows = evidence.records.rows(
            "SELECT remote_id, state FROM deliveries WHERE conversation = ? AND turn = ?"
            " ORDER BY part",
            *(turn["conversation"], turn["number"]),
        )
        if [(part.remote_id, "sent") for part in parts] != [tuple(row.values()) for row in rows]:
            yield f"the deliveries of turn {turn['id'][:6]} are not what stands there"


def no_answer_of_a_forgotten_turn_appears(evidence: Evidence) -> Iterator[str]:
    known = {turn["id"] for turn in evidence.turns}
    known |= {turn for said in evidence.facts.said if said.deleted for turn in said.answered}
    for part in evidence.posted:
        if not part.mark or part.mark in known or part.removed or part.text in CLOSED:
            continue
        forgettings = evidence.takings(part.place)
        if any(part.mark in forgetting.ended for forgetting in forgettings):
            continue
        if not (forgettings or evidence.was_refused) or not _nobody_was_left_to_close(
            evidence, part
        ):
            yield f"{part.text!r} stands in {part.place}, of a turn that does not exist"


def _nobody_was_left_to_close(evidence: Evidence, part: Posted) -> bool:
    """Its worker is gone, and no turn has begun there since a forget, which would remove it."""
    died = any(
        fault.startswith(("crash", "freeze", "refused")) or point.kind == "commit"
        for point, fault in evidence.facts.struck
    )
    later = any(
        turn["place"] == part.place and turn["started_at"] >= part.at for turn in evidence.turns
    )
    return died and not (later and evidence.forgettings(part.place))


def order_is_kept(evidence: Evidence) -> Iterator[str]:
    for earlier, later in pairwise(evidence.turns):
        if earlier["place"] == later["place"]:
            yield from _turns_follow(evidence, earlier, later)
    turns = [turn["id"] for turn in evidence.turns]
    place_of = {row["remote_id"]: turns.index(row["id"]) for row in evidence.questions if row["id"]}
    said = sorted(evidence.facts.said, key=lambda one: one.inbound.sent_order)
    for index, first in enumerate(said):
        for second in said[index + 1 :]:
            if _was_stored_first(first, second) and _is_behind(place_of, first, second):
                yield f"{second.name} was answered before {first.name}"


def _turns_follow(evidence: Evidence, earlier: Row, later: Row) -> Iterator[str]:
    if earlier["ended_at"] is None or earlier["ended_at"] > later["started_at"]:
        yield f"turn {later['id'][:6]} began before {earlier['id'][:6]} had ended"
    before = [evidence.posted.index(part) for part in evidence.visible(earlier["id"])]
    after = [evidence.posted.index(part) for part in evidence.visible(later["id"])]
    if before and after and max(before) > min(after):
        yield f"the answers {earlier['id'][:6]} and {later['id'][:6]} are mixed"


def _was_stored_first(first: Said, second: Said) -> bool:
    return (
        first.inbound.place == second.inbound.place
        and not first.overheard  # or an edit may have made a question of it much later
        and first.stored is not None
        and second.stored is not None
        and first.stored < second.stored
    )


def _is_behind(place_of: dict[str, int], first: Said, second: Said) -> bool:
    one, other = place_of.get(first.name), place_of.get(second.name)
    return one is not None and other is not None and one > other


def outcomes_have_a_cause(evidence: Evidence) -> Iterator[str]:
    broken = Counter(
        "model" if point.kind == "model" and fault.endswith("lost") else "process"
        for point, fault in evidence.facts.struck
    )
    for turn in evidence.turns:
        causes = {
            "answered": True,
            "stopped": any(place == turn["place"] for place, _ in evidence.facts.stops)
            or bool(evidence.withdrawals(turn["place"])),
            "api_error": broken["model"] > 0,
            "interrupted": turn["attempts"] > 3,
            "expired": bool(evidence.facts.away),
            "limited": evidence.allowance.person_tokens_per_day > 0,
        }
        if turn["outcome"] is not None and not causes.get(turn["outcome"], False):
            yield f"turn {turn['id'][:6]} ended as {turn['outcome']} for no reason"


def tools_act_once(evidence: Evidence) -> Iterator[str]:
    with sqlite3.connect(evidence.shop) as shop:
        is_open = shop.execute("SELECT 1 FROM sqlite_master WHERE name = 'tickets'").fetchone()
        sql = "SELECT summary FROM tickets" if is_open else "SELECT '' WHERE 0"
        tickets = [str(row[0]) for row in shop.execute(sql)]
    shop.close()
    asked = Counter(token for ticket in tickets for token in set(TOKEN.findall(ticket)))
    for said in evidence.facts.said:
        for token in TOKEN.findall(" ".join(said.texts)):
            if asked[token] > 1:
                yield f"{token} has {asked[token]} tickets"
    for key, count in Counter(letter.call_key for letter in evidence.facts.letters).items():
        if count > 1:
            yield f"the letter of call {key[:6]} was sent {count} times"


def who_is_stopped_stops(evidence: Evidence) -> Iterator[str]:
    for turn in evidence.turns:
        was_begun_too_often = turn["attempts"] > 3
        was_told = turn["id"] in evidence.facts.stopped and not was_begun_too_often
        if was_told and turn["outcome"] != "stopped":
            yield f"turn {turn['id'][:6]} was stopped and ended as {turn['outcome']}"


def what_was_spent_is_counted_once(evidence: Evidence) -> Iterator[str]:
    """What a process had in its hands when it died may be missing; nothing is there twice."""
    [row] = evidence.records.rows(
        "SELECT COALESCE(sum(CASE subject WHEN 'total' THEN tokens END), 0) AS total,"
        " COALESCE(sum(CASE subject WHEN 'total' THEN 0 ELSE tokens END), 0) AS people FROM usage"
    )
    total, spent = row["total"], evidence.facts.spent
    if row["people"] != total:
        yield f"people have used {row['people']} tokens, and all together {total}"
    nobody_died = not (evidence.facts.struck or evidence.facts.away)
    if total > spent or (total < spent and nobody_died):
        yield f"{spent} tokens were spent and {total} are counted"


RULES: Sequence[Callable[[Evidence], Iterator[str]]] = (
    nothing_is_left_over,
    nothing_is_sent_that_nobody_may_read,
    each_message_has_one_turn,
    what_is_stored_is_what_stands,
    each_turn_has_a_question,
    nothing_said_before_a_forget_is_taken,
    each_answer_stands_there_once,
    no_answer_of_a_forgotten_turn_appears,
    order_is_kept,
    a_turn_has_one_author,
    outcomes_have_a_cause,
    answers_know_only_their_conversation,
    each_answer_is_one_to_its_question,
    nothing_forgotten_is_in_the_files,
    nothing_of_a_person_is_left,
    requests_are_valid,
    tools_act_once,
    who_is_stopped_stops,
    stored_turns_are_whole,
    what_was_spent_is_counted_once,
)
