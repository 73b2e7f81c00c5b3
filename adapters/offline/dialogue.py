"""What is asked in this turn, completed from the conversation: "and the other one?", "yes"."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace
from itertools import pairwise

from adapters.offline.asks import Ask
from adapters.offline.facts import Exchange, Facts
from adapters.offline.intents import understand
from adapters.offline.phrases import Intent
from adapters.offline.references import Reference
from adapters.offline.thread import focus, last_offer, standing_offer

_MOST_ASKS = 5
_OF_ORDERS: frozenset[Intent] = frozenset({"refund", "details", "open", "cannot"})
_REPEATABLE: frozenset[Intent] = frozenset({"refund", "details", "open", "list", "policy"})
_ELLIPTIC: frozenset[Intent] = frozenset({"about", "correct", "why"})
_REFUSALS: frozenset[Intent] = frozenset({"no", "hold"})
# What "and 1042?" asks after something else than a question about one order. Never an act.
_WITH_AN_ORDER: dict[Intent, Intent] = {"list": "details", "open": "refund", "policy": "refund"}
_DOUBTS: frozenset[Intent] = frozenset({"reversal", "unsure"})
_ACTS: frozenset[Intent] = frozenset({"yes", "open"})
_DECISIONS: frozenset[Intent] = _REFUSALS | _ACTS
_SOCIAL: frozenset[Intent] = frozenset({"greet", "thanks", "okay", "bye", "mood", "hold", "help"})
_ONLY_OKAY = re.compile(r"\W*(?:ok|okay|okey|all ?right|fine)(?:,? please)?\W*", re.IGNORECASE)


def wanted(facts: Facts) -> tuple[Ask, ...]:
    """What this turn has to answer, each with all that it needs."""
    asks = _decided(_completed(understand(facts.now.questions), facts), facts)
    if not asks:
        return (Ask("unsure" if last_offer(facts) else "help"),)
    return tuple(dict.fromkeys(_to_the_point(asks, facts)))[-_MOST_ASKS:]


def _completed(asks: Sequence[Ask], facts: Facts) -> list[Ask]:
    """Give each ask about orders its intent and its order from what was said before it."""
    done: list[Ask] = []
    for ask in _without_addressee(asks):
        if ask.intent in _ELLIPTIC:
            done = _going_on(done, ask, facts)
        elif ask.intent in _OF_ORDERS and ask.reference.looks_back:
            done = _looking_back(done, ask)
        else:
            done = [*done, ask]
    return done


def _going_on(done: list[Ask], ask: Ask, facts: Facts) -> list[Ask]:
    """ "No wait, 1043" and "what about 1043?" need what was asked just before."""
    earlier = next((each for each in reversed(done) if each.intent in _OF_ORDERS), None)
    kept = done if earlier is None else _kept(done, earlier, ask)
    return [*kept, _continued(ask, earlier, facts)]


def _kept(done: list[Ask], earlier: Ask, ask: Ask) -> list[Ask]:
    """What stands beside a correction, which takes the place of what it corrects."""
    if ask.intent == "correct" or any(each.intent in _REFUSALS for each in done):
        return [each for each in done if each.intent not in _REFUSALS and each != earlier]
    if ask.intent == "about" and earlier.reference.is_empty:
        return [each for each in done if each != earlier]
    return done


def _looking_back(done: list[Ask], ask: Ask) -> list[Ask]:
    """ "My grinder is loud. Can I return it?" asks about the grinder, once."""
    topic = _topic(done)
    if topic is None:
        return [*done, ask]
    kept = [each for each in done if each is not topic] if _only_leads_to(topic, ask) else done
    return [*kept, replace(ask, reference=topic.reference)]


def _topic(done: Sequence[Ask]) -> Ask | None:
    """What was said last of any order, in a question or not: "My grinder is loud. Where …" """
    own = (ask for ask in reversed(done) if ask.intent in _OF_ORDERS or ask.reference.named)
    return next(own, None)


def _without_addressee(asks: Sequence[Ask]) -> Sequence[Ask]:
    """The first word of "Team, can I return 1042?" names nobody's order."""
    called = [
        ask
        for ask, after in pairwise(asks)
        if _is_a_bare_word(ask) and not after.reference.looks_back
    ]
    return [ask for ask in asks if ask not in called]


def _is_a_bare_word(ask: Ask) -> bool:
    return ask.intent == "about" and ask.clause in ask.reference.names


def _continued(ask: Ask, earlier: Ask | None, facts: Facts) -> Ask:
    """ "What about 1042?" asks again what was asked before."""
    if ask.reference.is_empty and ask.intent == "correct":
        return replace(ask, intent="other")
    if earlier and ask.reference.looks_back:
        ask = replace(ask, reference=earlier.reference)
    intent = earlier.intent if earlier else _matter_before(facts)
    return replace(ask, intent=_WITH_AN_ORDER.get(intent, intent))


def _only_leads_to(earlier: Ask, ask: Ask) -> bool:
    """ "I bought a grinder. Can I return it?" is one question."""
    return ask.intent in {earlier.intent, "open"} or not earlier.is_question


def _matter_before(facts: Facts) -> Intent:
    for exchange in reversed(facts.earlier):
        if intent := _matter(exchange):
            return _WITH_AN_ORDER.get(intent, intent)
    return "details"


def _matter(exchange: Exchange) -> Intent | None:
    intents = [ask.intent for ask in understand(exchange.questions)]
    if "yes" in intents:
        return "refund"
    return next((intent for intent in reversed(intents) if intent in _REPEATABLE), None)


def _decided(asks: Sequence[Ask], facts: Facts) -> list[Ask]:
    """Settle yes and no, which only mean something where the last answer offered something."""
    asks = _without_doubts(asks)
    offered = last_offer(facts)
    intents = {ask.intent for ask in asks}
    if offered is None:
        settled = [_to_no_offer(ask, facts) for ask in asks]
    else:
        settled = [_to_offer(ask, intents, offered) for ask in asks]
    if intents & _REFUSALS and intents & _ACTS:
        return _contradicting(settled)
    if "open" in intents:
        return [ask for ask in settled if ask.intent != "yes"]
    return settled


def _without_doubts(asks: Sequence[Ask]) -> list[Ask]:
    """ "I changed my mind" or "maybe" takes back an act that was asked for before it, and only
    leads to one that comes after it."""
    acts = [place for place, ask in enumerate(asks) if ask.intent in _ACTS]
    return [
        replace(ask, intent="hold") if ask.intent in _DOUBTS and acts else ask
        for place, ask in enumerate(asks)
        if ask.intent not in _DOUBTS or not acts or place > acts[-1]
    ]


def _to_offer(ask: Ask, intents: set[Intent], offered: int) -> Ask:
    """What an ask comes to when the last answer has offered something."""
    match ask.intent:
        case "okay" if intents <= {"okay", "thanks"}:
            is_yes = "thanks" not in intents and _ONLY_OKAY.fullmatch(ask.text)
            return replace(ask, intent="yes" if is_yes else "unsure")
        case "yes" | "open" if ask.reference.looks_back:
            return replace(ask, reference=Reference(numbers=(offered,)))
        case "cannot" if "cancel" in ask.clause:
            return replace(ask, intent="no")
        case "reversal":
            return replace(ask, intent="no")
        case _:
            return ask


def _to_no_offer(ask: Ask, facts: Facts) -> Ask:
    """The same when it has not, but perhaps an answer before it."""
    standing = standing_offer(facts)
    if ask.intent == "reversal":
        return replace(ask, intent="unsure")
    if standing is None or not ask.reference.looks_back:
        return ask
    means_another = ask.intent == "open" and focus(facts) != (standing,)
    return replace(ask, intent="unsure") if ask.intent == "yes" or means_another else ask


def _contradicting(asks: list[Ask]) -> list[Ask]:
    """A no at the end counts, and so does "no, open it for 1042"; all else is unclear."""
    *before, last = [ask for ask in asks if ask.intent in _DECISIONS]
    is_own = last.intent == "open" and not last.reference.looks_back
    others = [ask for ask in asks if ask.intent not in _DECISIONS]
    is_no = last.intent == "no" and not last.is_question
    if is_no or (is_own and all(ask.intent == "no" for ask in before)):
        return [*others, last]
    return [*others, Ask("unsure")]


def _to_the_point(asks: list[Ask], facts: Facts) -> list[Ask]:
    """Leave out the small talk around a matter."""
    matters = [ask for ask in asks if ask.intent not in _SOCIAL]
    if last_offer(facts) is None and len({ask.intent for ask in matters}) > 1:
        matters = [ask for ask in matters if ask.intent != "no"]
    known = [ask for ask in matters if ask.intent != "other" or ask.is_question]
    return sorted(known or matters or _said_last(asks), key=lambda ask: ask.intent == "unsure")


def _said_last(asks: list[Ask]) -> list[Ask]:
    """Of nothing but small talk, "hello, how are you" and "okay, thanks, bye" have one point."""
    order: tuple[Intent, ...] = ("hold", "help", "bye", "thanks", "mood", "greet", "okay")
    return [min(asks, key=lambda ask: order.index(ask.intent))]
