"""What is kept of a workspace itself: the window of what was said there, and when it was left."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass

from memory.database import Transaction
from memory.keys import SEEN_KEPT, PlaceKey

DAY = 24 * 3_600_000  # ms


@dataclass(frozen=True, slots=True)
class Windows:
    """For how many `days` what was said is kept, where its workspace has no window of its own."""

    days: int

    async def of(self, tx: Transaction, platform: str, workspace: str) -> int:
        """The days for which it is kept there."""
        rows = await tx.fetch(
            """
            SELECT retention_days FROM workspaces
            WHERE platform = :platform AND workspace = :workspace
            """,
            platform=platform,
            workspace=workspace,
        )
        return (rows[0]["retention_days"] if rows else None) or self.days

    async def longest(self, tx: Transaction) -> int:
        """The days of the longest window of all."""
        rows = await tx.fetch("SELECT max(retention_days) AS days FROM workspaces")
        return max(self.days, rows[0]["days"] or 0)

    async def is_too_old(self, tx: Transaction, place: PlaceKey, age: int) -> bool:
        """Whether what was said so long ago (ms) is not taken any more: it is past the window, or
        no mark is left that would tell whether it was taken before."""
        if age <= DAY:  # shorter than any window: nothing is looked up
            return False
        return age > min(SEEN_KEPT, DAY * await self.of(tx, place.platform, place.workspace))


@dataclass(frozen=True, slots=True)
class Workspace:
    """One with a window of its own, or that was left (`removed_at`, UTC ms)."""

    platform: str
    workspace: str
    retention_days: int | None
    removed_at: int | None


async def set_window(tx: Transaction, platform: str, workspace: str, days: int | None) -> None:
    """None: as everywhere."""
    await tx.execute(
        """
        INSERT INTO workspaces (platform, workspace, retention_days)
        VALUES (:platform, :workspace, :days)
        ON CONFLICT (platform, workspace) DO UPDATE SET retention_days = excluded.retention_days
        """,
        platform=platform,
        workspace=workspace,
        days=days,
    )


async def note_removed(tx: Transaction, platform: str, workspace: str, at: int) -> None:
    await tx.execute(
        """
        INSERT INTO workspaces (platform, workspace, removed_at)
        VALUES (:platform, :workspace, :at)
        ON CONFLICT (platform, workspace) DO UPDATE SET removed_at = excluded.removed_at
        """,
        platform=platform,
        workspace=workspace,
        at=at,
    )


async def list_all(tx: Transaction) -> list[Workspace]:
    rows = await tx.fetch("SELECT * FROM workspaces ORDER BY platform, workspace")
    return [Workspace(**row) for row in rows]


async def find_absent(tx: Transaction, platform: str, present: Collection[str]) -> list[str]:
    """The workspaces of the platform that have conversations, and are not among these."""
    rows = await tx.fetch(
        "SELECT DISTINCT workspace FROM conversations WHERE platform = :platform ORDER BY 1",
        platform=platform,
    )
    return [row["workspace"] for row in rows if row["workspace"] not in present]
