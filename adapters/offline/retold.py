"""What is said about the conversation itself."""

from __future__ import annotations

from collections.abc import Sequence

from adapters.offline.replies import count, listed, quoted


def nothing_before() -> str:
    return "This is the beginning of our conversation: I see nothing that you asked before."


def question(place: str, text: str) -> str:
    return f"The {place} question that I see of yours is: {quoted(text)}"


def questions(texts: Sequence[str]) -> str:
    return "\n".join(
        ["You asked me, as far as I see it:", *(f"- {quoted(text)}" for text in texts)]
    )


def spoken_of(lines: Sequence[str], texts: Sequence[str]) -> str:
    """What is known of before, and what is still seen."""
    return "\n".join(
        ["Earlier we spoke of this:", *(f"- {line}" for line in lines), questions(texts)]
    )


def not_so_many(number: int) -> str:
    return f"I see only {count(number, 'question')} of yours before this one."


def asked_about(numbers: Sequence[int], text: str) -> str:
    return f"You asked about order {listed(numbers)}: {quoted(text)}"


def questions_about(texts: Sequence[str]) -> str:
    return f"Yes, you asked: {'; '.join(quoted(text) for text in texts)}"


def orders_before(numbers: Sequence[int]) -> str:
    return f"We spoke of order {listed(numbers)}."


def not_asked_about() -> str:
    return "No, I see nothing about that in our conversation."


def no_order_before() -> str:
    return "I see no order in what we said so far."


def answer(text: str) -> str:
    return f"I said: {quoted(text)}"


def told(what: str, value: str) -> str:
    return f"You told me: your {what} is {quoted(value)}"


def known(notes: Sequence[tuple[int, str]]) -> str:
    """With its number, where a note has one yet."""
    told = (f"{text} (note {number})" if number else text for number, text in notes)
    return f"What I know of you: {'; '.join(told)}."


def known_already() -> str:
    return "I know that already."


def noted(text: str) -> str:
    return f"I have noted: {text}."


def deleted(note: str, error: str | None) -> str:
    return f"Note {note} is deleted." if error is None else f"I see no note {note} here."


def not_told(what: str) -> str:
    return f"I see nothing in our conversation about your {what}."
