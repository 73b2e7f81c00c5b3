"""People talk, and one of them is erased."""

from __future__ import annotations

from dataclasses import replace

from memory import inbox, participant
from memory.keys import PersonKey, PlaceKey
from memory.messages import assistant, user
from memory.participant import Part
from memory.turns import Turn
from tests.contracts.store import ANN, BOB, DIGESTS, Store, said

LATER = 50_000  # after all that is said
CHANNEL = PlaceKey("played", "W", "C", "")
ELSEWHERE = PlaceKey("played", "W", "D", "9")
WORDS = "The blue door opens at midnight"
QUOTED = "Bob says: the blue door – opens, at midnight! I see."
CLEANED = "[removed] says: [removed]! I see."


async def erase(store: Store, turn: Turn, who: PersonKey = BOB, *, before: int = LATER) -> Part:
    return await store.database.write(
        lambda tx: participant.erase(
            tx, turn.conversation, who, digests=DIGESTS, said_before=before, kept=5
        )
    )


async def begun(store: Store, number: int, who: PersonKey = ANN, words: str = "Hi") -> Turn:
    accepted = await store.accept(replace(said(number, who), message=user(words)))
    assert accepted is not None
    return await store.begin(accepted.conversation)


async def asked(
    store: Store, number: int, who: PersonKey = ANN, words: str = "Hi", answer: str = "Yes."
) -> Turn:
    """A whole turn."""
    turn = await begun(store, number, who, words)
    await store.finish(turn, assistant(answer))
    await store.deliver(turn)
    return turn


async def overheard(store: Store, number: int, who: PersonKey = BOB, words: str = WORDS) -> None:
    arrival = replace(said(number, who), message=user(words))
    await store.database.write(
        lambda tx: inbox.accept(tx, arrival, DIGESTS, lambda _standing: "observed")
    )
