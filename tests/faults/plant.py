"""A rule that is switched off by an exact edit."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Edit:
    """`old` stands in the file exactly once, unless `everywhere`."""

    file: str
    old: str
    new: str


@dataclass(frozen=True, slots=True)
class Plant:
    """What would be wrong, and how to make it so. It is looked for in spots on this platform."""

    name: str
    edits: tuple[Edit, ...]
    platform: str = "played"


def plant(name: str, *edits: tuple[str, str, str], platform: str = "played") -> Plant:
    return Plant(name, tuple(Edit(*edit) for edit in edits), platform)
