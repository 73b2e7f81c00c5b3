"""Without a key, too, what leaves the window is summed up, and known when somebody asks."""

from __future__ import annotations

from adapters.offline.model import OfflineModel
from bot.summarise import summarise
from memory.messages import Message, Text, assistant, user
from memory.summary import render
from memory.window import StoredTurn
from tests.unit.offline.asking import answer


def turn(number: int, question: str, said: str) -> StoredTurn:
    talk = (user(question), assistant(said))
    return StoredTurn(f"{number}", number, "done", "answered", 0, 0, 0, talk)


TURNS = (
    turn(1, "Where is order 1042?", "It is shipped."),
    turn(2, "[From Bob]\n\nAnd 1043?", "word " * 100),
)


async def test_it_tells_who_said_what_and_keeps_what_was_told_before() -> None:
    written = await summarise(OfflineModel(), "Ann's ticket is T-0001.", TURNS, 2_000)

    old, first, second = written.text.splitlines()
    assert old == "Ann's ticket is T-0001."
    assert first == "Where is order 1042? → It is shipped."
    assert second.startswith("Bob: And 1043? → word")
    assert second.endswith("word…")


async def test_the_newest_stays_when_there_is_no_room_for_all() -> None:
    written = await summarise(OfflineModel(), "An old one. " * 20, TURNS[:1], 60)

    assert written.text == "Where is order 1042? → It is shipped."


async def test_what_was_spoken_of_before_is_told_from_the_summary() -> None:
    told = Text(render("Ann's ticket is T-0001."))
    asked = Message("user", (told, Text("What about order 1042?")))
    said = await answer(
        asked, assistant("It is shipped."), user("What have we been talking about?")
    )

    assert "Earlier we spoke of this:\n- Ann's ticket is T-0001." in said.text
    assert "What about order 1042?" in said.text
