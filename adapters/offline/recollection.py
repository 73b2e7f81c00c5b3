"""Questions about the conversation itself: answered from what the request shows of it."""

from __future__ import annotations

import re
from collections.abc import Iterator

from adapters.offline import retold
from adapters.offline.asks import Ask
from adapters.offline.facts import Exchange, Facts
from adapters.offline.keeping import known_of
from adapters.offline.phrases import compiled
from adapters.offline.thread import asked_about, orders_of
from adapters.offline.words import closest

_MOST_LISTED = 10
_PLACES: tuple[tuple[str, int, re.Pattern[str]], ...] = (
    (
        "first",
        0,
        compiled(
            r"first|start|started|begin|beginning|initial|initially|original|originally|opening"
        ),
    ),
    ("second", 1, compiled("second|2nd")),
    ("third", 2, compiled("third|3rd")),
    ("fourth", 3, compiled("fourth|4th")),
    ("last", -1, compiled(r"last|latest|previous|before|earlier|just|prior|just now|recently")),
)
_WHICH_ORDER = compiled(
    r"(?:which|what) .. (?:orders?|number)|order number|orders|which (?:one|of)"
)
_ABOUT_MYSELF = compiled(r"my (?P<what>name|favorite \w+|favourite \w+|birthday|job|city)")
_NAMED = re.compile(r"\b(?:my name is|i am called|call me) (?P<value>[^.,;!?\n]+)", re.IGNORECASE)


def recall(ask: Ask, facts: Facts) -> str:
    """What the person asked, about which order, or what they said of themselves."""
    if (known := known_of(ask.clause, facts)) is not None:
        return known
    if about := _ABOUT_MYSELF.search(ask.clause):
        return _told(about.group("what"), facts)
    if not facts.earlier:
        return retold.nothing_before()
    if (hits := _about(ask, facts)) is not None:
        return hits
    if _WHICH_ORDER.search(ask.clause) and "question" not in ask.clause:
        return _which_order(ask, facts)
    return _question(ask, facts)


def said(ask: Ask, facts: Facts) -> str:
    """What Nimbus answered."""
    answers = [each for each in facts.earlier if each.answer]
    if not answers:
        return retold.nothing_before()
    if ask.reference.numbers or ask.reference.names:
        about = [each for each in answers if _is_about(each, ask)]
        return retold.answer(about[-1].answer) if about else retold.not_asked_about()
    _, place = _place(ask.clause) or ("last", -1)
    if place == -1:
        return answers[-1].answer
    return (
        retold.answer(answers[place].answer)
        if place < len(answers)
        else retold.not_so_many(len(answers))
    )


def _told(what: str, facts: Facts) -> str:
    pattern = _NAMED if what == "name" else _saying(what)
    values = [found.group("value") for text in _questions(facts) if (found := pattern.search(text))]
    return retold.told(what, values[-1].strip()) if values else retold.not_told(what)


def _saying(what: str) -> re.Pattern[str]:
    return re.compile(rf"\bmy {re.escape(what)} is (?P<value>[^.,;!?\n]+)", re.IGNORECASE)


def _questions(facts: Facts) -> list[str]:
    return [text for exchange in facts.earlier for text in exchange.questions]


def _place(clause: str) -> tuple[str, int] | None:
    return next(((name, n) for name, n, words in _PLACES if words.search(clause)), None)


def _question(ask: Ask, facts: Facts) -> str:
    asked = [" / ".join(exchange.questions) for exchange in facts.earlier]
    if (place := _place(ask.clause)) is None:
        listed = asked[-_MOST_LISTED:]
        return (
            retold.spoken_of(facts.summary, listed) if facts.summary else retold.questions(listed)
        )
    name, number = place
    return (
        retold.question(name, asked[number])
        if number < len(asked)
        else retold.not_so_many(len(asked))
    )


def _which_order(ask: Ask, facts: Facts) -> str:
    about = [(orders, exchange) for exchange in facts.earlier if (orders := _orders(exchange))]
    if not about:
        return retold.no_order_before()
    if (place := _place(ask.clause)) and place[1] < len(about):
        orders, exchange = about[place[1]]
        return retold.asked_about(orders, " / ".join(exchange.questions))
    every = dict.fromkeys(order for orders, _ in about for order in orders)
    return retold.orders_before(tuple(every))


def _orders(exchange: Exchange) -> tuple[int, ...]:
    return asked_about(exchange) or orders_of(exchange)


def _about(ask: Ask, facts: Facts) -> str | None:
    """What was asked about something named; None when nothing is, or an unknown word in passing."""
    asked = [" / ".join(each.questions) for each in facts.earlier if _is_about(each, ask)]
    if asked:
        return retold.questions_about(asked[-_MOST_LISTED:])
    return retold.not_asked_about() if ask.reference.numbers or ask.reference.named else None


def _is_about(exchange: Exchange, ask: Ask) -> bool:
    numbers, names = ask.reference.numbers, ask.reference.names
    if set(numbers) & {*asked_about(exchange), *orders_of(exchange)}:
        return True
    return any(closest(name, _words(exchange)) for name in names)


def _words(exchange: Exchange) -> set[str]:
    return set(_all_words((*exchange.questions, exchange.answer)))


def _all_words(texts: tuple[str, ...]) -> Iterator[str]:
    for text in texts:
        yield from re.findall(r"[^\W\d_]{3,}", text.lower())
