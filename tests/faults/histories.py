"""What must be true of what is stored and known at the end of every run."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Sequence

from memory.messages import decode
from tests.faults.echo import TOKEN
from tests.faults.evidence import Evidence
from tests.faults.facts import Forgetting, Row, Said
from tests.faults.withdrawn import REMOVED, Withdrawal, is_part_of
from tests.validity import problems as validity_problems


def each_message_has_one_turn(evidence: Evidence) -> Iterator[str]:
    asked = Counter(row["remote_id"] for row in evidence.questions)
    for said in evidence.facts.said:
        stored, gone = len(evidence.stored[said.name]), _why_gone(evidence, said)
        if not said.accepted:
            yield f"message {said.name} was never acknowledged"
        elif gone:
            if stored:
                yield f"message {said.name} was {gone} and is stored"
        elif stored > len({row["conversation"] for row in evidence.stored[said.name]}):
            yield f"message {said.name} is stored {stored} times"
        elif not _is_question(evidence, said, asked[said.name]):
            yield f"message {said.name} is stored {asked[said.name]} times as a question"


def _is_question(evidence: Evidence, said: Said, asked: int) -> bool:
    """Whether so many questions are right for it; what does not call may follow up."""
    if said.refused:
        return asked == 0
    if asked == 0 and evidence.may_be_unread(said):
        return True
    return asked == 1 or not said.calls or evidence.may_be_forgotten(said)


def _why_gone(evidence: Evidence, said: Said) -> str:
    if said.deleted:
        return "deleted"
    return "forgotten" if evidence.forgotten(said) else ""


def what_is_stored_is_what_stands(evidence: Evidence) -> Iterator[str]:
    for said in evidence.facts.said:
        stands = TOKEN.findall(said.texts[-1])
        for row in evidence.stored[said.name] if not said.may_be_stale else ():
            if not _are_left(row["content"], TOKEN.findall(row["content"]), stands):
                yield f"message {said.name} is stored as {row['content']}"


def _are_left(text: str, some: Sequence[str], stood: Sequence[str]) -> bool:
    """What somebody took back is missing, where that is told."""
    return is_part_of(some, stood) if REMOVED in text else list(some) == list(stood)


def each_turn_has_a_question(evidence: Evidence) -> Iterator[str]:
    asked = {row["id"] for row in evidence.questions}
    for turn in evidence.turns:
        if turn["id"] not in asked:
            yield f"turn {turn['id'][:6]} has outlived its question"


def nothing_said_before_a_forget_is_taken(evidence: Evidence) -> Iterator[str]:
    for forgetting in evidence.facts.takings:
        if forgetting.committed is None or not forgetting.acknowledged:
            yield f"a forget in {forgetting.place or 'all places'} left no mark"
    for said in evidence.facts.said:
        forgettings, withdrawals = (
            evidence.forgettings(said.place),
            evidence.withdrawals(said.place),
        )
        if any(_was_taken_after(said, one) for one in forgettings):
            yield f"message {said.name} was taken after its place was forgotten"
        theirs = (one for one in withdrawals if one.person == str(said.inbound.person))
        if any(_was_taken_after(said, one) for one in theirs):
            yield f"message {said.name} was taken after its author had taken it back"
        if said.dropped and not (forgettings or withdrawals):
            yield f"message {said.name} was dropped without a forget"


def _was_taken_after(said: Said, forgetting: Forgetting | Withdrawal) -> bool:
    is_older = said.inbound.said_at < forgetting.said_before
    return is_older and said.stored is not None and said.stored > (forgetting.committed or 0)


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


def answers_know_only_their_conversation(evidence: Evidence) -> Iterator[str]:
    """And what was said beside it, in its place, before it was answered."""
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
            or said.inbound.said_at > turn["ended_at"]
        }
        if strangers:
            yield f"turn {turn['id'][:6]} knows {', '.join(sorted(strangers))}"


def each_answer_is_one_to_its_question(evidence: Evidence) -> Iterator[str]:
    """Also in the words that it had before an edit, and with what is deleted now."""
    for turn in evidence.turns if evidence.echoes else ():
        answer = evidence.answer(turn)
        told = re.search(r"Answer to ([^.]*)\.", answer)
        says_that = told[1] if told else answer
        says = [evidence.said_with[token] for token in TOKEN.findall(says_that)]
        own = _questions_of(evidence, turn, since=turn["number"], until=turn["number"])
        named = [one.name for one in says if not one.deleted]
        if turn["outcome"] == "answered" and not _are_left(says_that, named, own):
            yield f"turn {turn['id'][:6]} was asked {', '.join(own)} and said {answer!r}"


def _questions_of(evidence: Evidence, turn: Row, *, since: int = 0, until: int) -> list[str]:
    return [
        row["remote_id"]
        for row in evidence.questions
        if row["conversation"] == turn["conversation"] and since <= (row["turn"] or 0) <= until
    ]


def nothing_forgotten_is_in_the_files(evidence: Evidence) -> Iterator[str]:
    stored = evidence.contents()
    for said in evidence.facts.said:
        for token in _must_be_gone(evidence, said):
            if token.encode() in stored:
                yield f"{token} was forgotten and is in a file"


def _must_be_gone(evidence: Evidence, said: Said) -> Sequence[str]:
    """What others repeat of words that were changed or deleted before their author took back what
    they said, nobody knows any more."""
    tokens = TOKEN.findall(" ".join(said.texts))
    withdrawals = evidence.withdrawals(said.place)
    if not evidence.forgotten(said):
        return []
    if withdrawals and (said.deleted or len(said.texts) > 1):
        return [token for token in tokens if any(token in one.words for one in withdrawals)]
    return tokens


def nothing_of_a_person_is_left(evidence: Evidence) -> Iterator[str]:
    for one in evidence.facts.withdrawals:
        named = {"place": one.place or "%", "person": one.person, "said_before": one.said_before}
        if evidence.records.rows(
            "SELECT 1 FROM conversations c JOIN messages m ON m.conversation = c.id"
            " WHERE c.owner = :person AND c.place LIKE :place AND m.role = 'user'"
            " AND m.said_at < :said_before AND c.created_at < :said_before",
            **named,
        ):
            yield f"a conversation that {one.person} began was not forgotten"
        if evidence.records.rows(
            "SELECT 1 FROM turns t WHERE t.asker = :person AND t.place LIKE :place"
            " AND NOT EXISTS (SELECT 1 FROM messages m WHERE m.conversation = t.conversation"
            "  AND m.turn = t.number AND m.author = :person AND m.said_at >= :said_before)"
            " AND t.asked_at < :said_before",
            **named,
        ):
            yield f"a turn that {one.person} asked was not forgotten"
        rows = evidence.records.rows("SELECT 1 FROM people WHERE person = :person", **named)
        if rows and not one.place:
            yield f"something is known of {one.person}"


def requests_are_valid(evidence: Evidence) -> Iterator[str]:
    for request in evidence.facts.requests:
        for problem in validity_problems(request):
            yield f"a provider would refuse a request: {problem}"


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
