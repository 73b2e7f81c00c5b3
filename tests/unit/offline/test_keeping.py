"""The offline model notes what is told, answers what is asked beside it, and from the notes."""

from __future__ import annotations

import json

import pytest

from bot.model import ToolSpec
from memory.messages import Message, Text, ToolCall, user
from tests.unit.offline.asking import TOOLS, answer, call, result

NOTING = (*TOOLS, ToolSpec("remember", "", {}), ToolSpec("forget_fact", "", {}))
NOTES = """\
[Notes about the person who asks, with their numbers, from what they once said:]
- 1. name: Tamsin (said 1 May 2026)
- 4. place: lives in Bergen (said 1 May 2026)
not a note"""
PLACE = '{"topic": "place", "text": "lives in Bergen"}'


def knowing(text: str) -> Message:
    return Message("user", (Text(NOTES), Text("[Now: Monday]"), Text(text)))


def made(calls: tuple[ToolCall, ...]) -> list[tuple[str, object]]:
    return [(each.name, json.loads(each.arguments)) for each in calls]


async def said(*messages: Message) -> str:
    return (await answer(*messages, tools=NOTING)).text


async def calls(*messages: Message) -> list[tuple[str, object]]:
    return made((await answer(*messages, tools=NOTING)).calls)


async def test_a_statement_is_noted_beside_what_is_looked_up() -> None:
    asked = user("I live in Bergen. Can I return 1042?")

    assert await calls(asked) == [
        ("remember", json.loads(PLACE)),
        ("check_refund_eligibility", {"order_id": 1042}),
    ]


async def test_what_was_noted_is_told_and_not_noted_twice() -> None:
    asked = user("By the way, I live in Bergen.")

    assert await said(asked, call("remember", PLACE), result('{"noted": true}')) == (
        "I have noted: lives in Bergen."
    )


async def test_a_name_is_noted_as_one_and_idle_words_beside_it_are_left() -> None:
    asked = user("sorry, autocorrect. My name is Juri")
    name = '{"topic": "name", "text": "Juri"}'

    assert await calls(asked) == [("remember", json.loads(name))]
    assert await said(asked, call("remember", name), result('{"noted": true}')) == (
        "I have noted: your name is Juri."
    )


async def test_a_subject_is_told_with_its_preference() -> None:
    assert await calls(user("I prefer short answers")) == [
        ("remember", {"topic": "preference", "text": "prefers short answers", "subject": "answers"})
    ]


async def test_what_is_known_already_is_not_noted_again() -> None:
    assert await said(knowing("I live in Bergen.")) == "I know that already."


async def test_what_could_not_be_noted_is_not_said_to_be() -> None:
    asked = user("I live in Bergen.")

    assert "noted" not in await said(asked, call("remember", PLACE), result('{"error": "no"}'))


async def test_without_the_tool_nothing_is_noted() -> None:
    told = await answer(user("My name is Juri"))

    assert told.text == "All right. I know it for as long as it stands in this conversation."
    assert await answer(user("I live in Bergen."), tools=NOTING, last_step=True)


@pytest.mark.parametrize(
    ("question", "expected"),
    [
        ("Do you know my name?", "You told me: your name is “Tamsin”"),
        ("Where do I live?", "What I know of you: lives in Bergen (note 4)."),
        (
            "What do you know about me?",
            "What I know of you: Tamsin (note 1); lives in Bergen (note 4).",
        ),
        ("What is my job?", "I see nothing in our conversation about your job."),
    ],
)
async def test_what_is_known_of_the_person_is_told(question: str, expected: str) -> None:
    assert await said(knowing(question)) == expected


async def test_what_was_noted_in_an_earlier_turn_is_known_by_the_notes_alone() -> None:
    """It may be somebody else's, or was replaced or deleted since."""
    earlier = user("I live in Bergen."), call("remember", PLACE), result('{"noted": true}')
    answer = await said(*earlier, result("Fine."), user("Where do I live?"))

    assert "know of you" not in answer


@pytest.mark.parametrize(
    ("wish", "number"),
    [
        ("Please forget note 4", 4),
        ("Forget where I live", 4),
        ("Forget that I live in Bergen.", 4),
        ("forget my name please", 1),
    ],
)
async def test_a_note_is_deleted_when_that_is_asked_for(wish: str, number: int) -> None:
    asked, arguments = knowing(wish), json.dumps({"note": number})

    assert await calls(asked) == [("forget_fact", {"note": number})]
    done = call("forget_fact", arguments), result(arguments)
    assert await said(asked, *done) == f"Note {number} is deleted."
    failed = call("forget_fact", arguments), result('{"error": "There is no note."}')
    assert await said(asked, *failed) == f"I see no note {number} here."
