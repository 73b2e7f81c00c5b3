"""What is gone on the platform takes its conversations along: told of, or noticed afterwards."""

from __future__ import annotations

import logging

from bot.erasure import Erasure, Gone
from bot.platform import Present, Removed
from memory import installation, workspaces
from memory.database import Transaction

_log = logging.getLogger(__name__)


async def forget_gone(erasure: Erasure, event: Removed | Present) -> Gone:
    """Forget what was said where nobody can say anything more."""
    if isinstance(event, Removed):
        return await _forget(erasure, event)
    gone = Gone()
    for workspace in await erasure.database.write(lambda tx: _absent(tx, event)):
        gone += await _forget(erasure, Removed(event.platform, workspace, event.at))
    return gone


async def _forget(erasure: Erasure, removed: Removed) -> Gone:
    gone = await erasure.forget_removed(removed)
    if removed.channel or removed.thread:
        return gone
    await erasure.database.write(
        lambda tx: workspaces.note_removed(tx, removed.platform, removed.workspace, removed.at)
    )
    _log.info(
        "Left %s:%s: %s conversations deleted",
        *(removed.platform, removed.workspace, gone.conversations),
        extra={"action": "removal"},
    )
    return gone


async def _absent(tx: Transaction, present: Present) -> list[str]:
    """None where another account, or none that is known, was there before: it may never have been
    in those that are missing."""
    before = await installation.note_account(tx, present.platform, present.account)
    if before != present.account:
        return []
    return await workspaces.find_absent(tx, present.platform, present.workspaces)
