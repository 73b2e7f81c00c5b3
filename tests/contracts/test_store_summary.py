"""The summary of what is before the cut is written with it, and only on what was read."""

from memory import history
from tests.contracts.store import Store


async def test_the_summary_is_kept_with_the_cut_and_only_on_what_was_read(store: Store) -> None:
    turn = await store.answer(1)

    for text in ("Ann asked.", "Too late."):
        await move_cut(store, turn.conversation, to=2, summary=text)

    assert await told(store, turn.conversation) == "Ann asked."
    assert await told(store, "unknown") == ""


async def told(store: Store, conversation: str) -> str:
    return await store.database.read(lambda tx: history.read_summary(tx, conversation))


async def move_cut(store: Store, conversation: str, *, to: int, summary: str | None = None) -> bool:
    return await store.database.write(
        lambda tx: history.move_cut(tx, conversation, to=to, summary=summary, revision=1)
    )
