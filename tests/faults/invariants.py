"""What must hold at the end of every run, whatever went wrong in it."""

from __future__ import annotations

import re
import sqlite3
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from itertools import pairwise

from bot.wording import DELETED, FORGOTTEN
from memory.messages import decode
from tests.faults.echo import TOKEN
from tests.faults.evidence import Evidence
from tests.faults.facts import Row, Said
from tests.played_platform import Posted
from tests.validity import problems as validity_problems

CLOSED = (DELETED, FORGOTTEN)  # what stands there instead


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
    for place in evidence.venue.busy():
        yield f"a status is left in {place}"


def nothing_is_sent_that_nobody_may_read(evidence: Evidence) -> Iterator[str]:
    yield from evidence.venue.problems()


def _may_have_failed(evidence: Evidence, turn: Row) -> bool:
    """The platform takes no answer there, and says so."""
    return bool(turn["state"] == "failed") and evidence.was_refused


def each_message_has_one_turn(evidence: Evidence) -> Iterator[str]:
    asked = Counter(row["remote_id"] for row in evidence.questions)
    for said in evidence.facts.said:
        stored = len(evidence.stored[said.name])
        if not said.accepted:
            yield f"message {said.name} was never acknowledged"
        elif said.deleted or evidence.forgotten(said):
            if stored:
                why = "deleted" if said.deleted else "forgotten"
                yield f"message {said.name} was {why} and is stored"
        elif stored > len({row["conversation"] for row in evidence.stored[said.name]}):
            yield f"message {said.name} is stored {stored} times"
        elif said.calls and asked[said.name] != 1 and not evidence.may_be_forgotten(said):
            yield f"message {said.name} is stored {asked[said.name]} times as a question"


def what_is_stored_is_what_stands(evidence: Evidence) -> Iterator[str]:
    for said in evidence.facts.said:
        stands = TOKEN.findall(said.texts[-1])
        for row in evidence.stored[said.name]:
            if TOKEN.findall(row["content"]) != stands:
                yield f"message {said.name} is stored as {row['content']}"


def each_turn_has_a_question(evidence: Evidence) -> Iterator[str]:
    asked = {row["id"] for row in evidence.questions}
    for turn in evidence.turns:
        if turn["id"] not in asked:
            yield f"turn {turn['id'][:6]} has outlived its question"


def nothing_said_before_a_forget_is_taken(evidence: Evidence) -> Iterator[str]:
    for forgetting in evidence.facts.forgettings:
        if forgetting.committed is None or not forgetting.acknowledged:
            yield f"a forget in {forgetting.place} left no mark"
    for said in evidence.facts.said:
        name, forgettings = said.name, evidence.forgettings(said.place)
        for forgetting in forgettings:
            is_older = said.inbound.said_at < forgetting.said_before
            if is_older and said.stored is not None and said.stored > (forgetting.committed or 0):
                yield f"message {name} was taken after its place was forgotten"
        if said.dropped and not forgettings:
            yield f"message {name} was dropped without a forget"


def each_answer_stands_there_once(evidence: Evidence) -> Iterator[str]:
    for turn in evidence.turns:
        parts = evidence.visible(turn["id"])
        shown, answer = [part.text for part in parts], evidence.answer(turn)
        pieces = evidence.venue.pieces(answer)
        if _may_have_failed(evidence, turn):
            if len(shown) > len(pieces):
                yield f"turn {turn['id'][:6]} has failed and shows {shown!r}"
            continue
        if shown != pieces:
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
        forgettings = evidence.forgettings(part.place)
        if any(part.mark in forgetting.ended for forgetting in forgettings):
            continue
        if not (forgettings or evidence.was_refused) or not _nobody_was_left_to_close(
            evidence, part
        ):
            yield f"{part.text!r} stands in {part.place}, of a turn that does not exist"


def _nobody_was_left_to_close(evidence: Evidence, part: Posted) -> bool:
    """Its worker is gone, and no turn has begun there since, which would remove it."""
    died = any(
        fault.startswith(("crash", "freeze", "refused")) or point.kind == "commit"
        for point, fault in evidence.facts.struck
    )
    later = any(
        turn["place"] == part.place and turn["started_at"] >= part.at for turn in evidence.turns
    )
    return died and not later


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


def a_turn_has_one_author(evidence: Evidence) -> Iterator[str]:
    authors: dict[str, set[str]] = {}
    by_id = {said.name: str(said.inbound.person) for said in evidence.facts.said}
    for row in evidence.questions:
        authors.setdefault(row["id"] or "nobody's", set()).add(
            by_id.get(row["remote_id"], "nobody")
        )
    for turn, people in authors.items():
        if len(people) > 1:
            yield f"turn {turn[:6]} answers {', '.join(sorted(people))}"


def outcomes_have_a_cause(evidence: Evidence) -> Iterator[str]:
    broken = Counter(
        "model" if point.kind == "model" and fault.endswith("lost") else "process"
        for point, fault in evidence.facts.struck
    )
    for turn in evidence.turns:
        causes = {
            "answered": True,
            "stopped": any(place == turn["place"] for place, _ in evidence.facts.stops),
            "api_error": broken["model"] > 0,
            "interrupted": turn["attempts"] > 3,
        }
        if turn["outcome"] is not None and not causes.get(turn["outcome"], False):
            yield f"turn {turn['id'][:6]} ended as {turn['outcome']} for no reason"


def answers_know_only_their_conversation(evidence: Evidence) -> Iterator[str]:
    """And what was said beside it, in its place, before it was asked."""
    for turn in evidence.turns if evidence.echoes else ():
        answered, _, heard = evidence.answer(turn).partition("Heard:")
        known = _questions_of(evidence, turn, until=turn["number"])
        strangers = {
            token
            for token in TOKEN.findall(answered)
            if (said := evidence.said_with[token]).name not in known
            and not (said.deleted and said.place == turn["place"])
        }
        strangers |= {
            token
            for token in TOKEN.findall(heard)
            if (said := evidence.said_with[token]).place != turn["place"]
            or said.inbound.said_at > turn["started_at"]
        }
        if strangers:
            yield f"turn {turn['id'][:6]} knows {', '.join(sorted(strangers))}"


def each_answer_is_one_to_its_question(evidence: Evidence) -> Iterator[str]:
    """Also in the words that it had before an edit, and with what is deleted now."""
    for turn in evidence.turns if evidence.echoes else ():
        answer = evidence.answer(turn)
        told = re.search(r"Answer to ([^.]*)\.", answer)
        says = [evidence.said_with[token] for token in TOKEN.findall(told[1] if told else "")]
        own = _questions_of(evidence, turn, since=turn["number"], until=turn["number"])
        if turn["outcome"] == "answered" and [one.name for one in says if not one.deleted] != own:
            yield f"turn {turn['id'][:6]} was asked {', '.join(own)} and said {answer!r}"


def _questions_of(evidence: Evidence, turn: Row, *, since: int = 0, until: int) -> list[str]:
    return [
        row["remote_id"]
        for row in evidence.questions
        if row["conversation"] == turn["conversation"] and since <= (row["turn"] or 0) <= until
    ]


def nothing_forgotten_is_in_the_files(evidence: Evidence) -> Iterator[str]:
    stored = b"".join(file.read_bytes() for file in evidence.files if file.exists())
    for said in evidence.facts.said:
        for token in TOKEN.findall(" ".join(said.texts)) if evidence.forgotten(said) else ():
            if token.encode() in stored:
                yield f"{token} was forgotten and is in a file"


def requests_are_valid(evidence: Evidence) -> Iterator[str]:
    for request in evidence.facts.requests:
        for problem in validity_problems(request):
            yield f"a provider would refuse a request: {problem}"


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


def stored_turns_are_whole(evidence: Evidence) -> Iterator[str]:
    for turn in evidence.turns:
        rows = evidence.records.rows(
            "SELECT role, content FROM messages WHERE conversation = ? AND turn = ?"
            " ORDER BY position",
            *(turn["conversation"], turn["number"]),
        )
        messages = [decode(row["role"], row["content"]) for row in rows]
        calls = [call.id for message in messages for call in message.calls]
        results = [result.call_id for message in messages for result in message.results]
        if Counter(calls) != Counter(results):
            yield f"turn {turn['id'][:6]} has the calls {calls} and the results {results}"
        if not messages or messages[-1].role != "assistant" or messages[-1].calls:
            yield f"turn {turn['id'][:6]} does not end with an answer"


def what_was_spent_is_counted_once(evidence: Evidence) -> Iterator[str]:
    """What a process had in its hands when it died may be missing; nothing is there twice."""
    [row] = evidence.records.rows(
        "SELECT COALESCE(sum(CASE subject WHEN 'total' THEN tokens END), 0) AS total,"
        " COALESCE(sum(CASE subject WHEN 'total' THEN 0 ELSE tokens END), 0) AS people FROM usage"
    )
    total, spent = row["total"], evidence.facts.spent
    if row["people"] != total:
        yield f"people have used {row['people']} tokens, and all together {total}"
    if total > spent or (total < spent and not evidence.facts.struck):
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
    requests_are_valid,
    tools_act_once,
    who_is_stopped_stops,
    stored_turns_are_whole,
    what_was_spent_is_counted_once,
)
