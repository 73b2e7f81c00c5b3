"""Rules without which a killed worker leaves the wrong answer, each switched off by an edit."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory

from tests.faults.lane import Result
from tests.faults.plant import Plant, plant
from tests.faults.planted import apply, copy_tree
from tests.faults.requests import ARENAS, survive
from tests.faults.striker import Blow


@dataclass(frozen=True, slots=True)
class Struck:
    """`told`: what the judge must say when the worker of the planted tree is killed there."""

    platform: str
    plant: Plant
    blow: str
    told: str


_WRITE_DOWN = """\
    response = await app.async_dispatch(bolt_request)
    try:
        await send_async_response(client, request, response, time.time())
"""
_ACKNOWLEDGE_FIRST = """\
    early = BoltResponse(status=200)
    await send_async_response(client, request, early, time.time())
    response = await app.async_dispatch(bolt_request)
    try:
        pass
"""

_NOT_ALONE = "The answer is not whole, or not alone"

NOT_LOOKED_FOR = plant(
    "nobody looks for what a dead worker has sent",
    (
        "bot/delivery.py",
        "self._doubted_at = clock() if taken_over else None",
        "self._doubted_at: int | None = None",
    ),
)
ONLY_THE_FIRST = plant(
    "only the first message of a dead worker is taken for ours",
    ("bot/delivery.py", "await self._open(mine)", "await self._open(mine[:1])"),
)
ACKNOWLEDGED_FIRST = plant(
    "an event is acknowledged before it is written down",
    ("adapters/slack/socket.py", _WRITE_DOWN, _ACKNOWLEDGE_FIRST),
)
NOT_MET = plant(
    "the thread that a dead worker made is not met",
    ("adapters/discord/spot.py", 'if not asked.get("thread"):', "if asked is not None:"),
    ("adapters/discord/spot.py", "error.code == answers.THREAD_EXISTS", "error.code < 0"),
)

STRUCK = (
    Struck("slack", NOT_LOOKED_FOR, "after chat.postMessage 1", _NOT_ALONE),
    Struck("slack", ONLY_THE_FIRST, "after chat.postMessage 2", _NOT_ALONE),
    Struck("slack", ACKNOWLEDGED_FIRST, "after users.info of Ann 1", "and not written down"),
    Struck("discord", NOT_LOOKED_FOR, "after POST channels/*/messages 1", _NOT_ALONE),
    Struck("discord", NOT_MET, "after POST channels/*/messages/*/threads 1", "In no thread"),
)


def is_caught(struck: Struck, results: Sequence[Result]) -> bool:
    return any(struck.told in problem for each in results for problem in each.problems)


async def hunt(struck: Struck) -> Sequence[Result]:
    """What comes of one kill in a tree with the fault."""
    arena = ARENAS[struck.platform]
    with TemporaryDirectory(prefix="nimbus-planted-") as folder:
        tree = Path(folder)
        await asyncio.to_thread(copy_tree, tree)
        for edit in struck.plant.edits:
            apply(tree, edit)
        return await survive(arena, [Blow.named(struck.blow)], root=tree)
