"""The prompts: texts for a model, added fresh to each request and never stored."""

from __future__ import annotations

from pathlib import Path


def system_prompt(name: str, instructions: str = "", *, notes: bool = False) -> str:
    """The system prompt of a bot of this name, with the operator's own instructions."""
    kept = _read("notes.md") if notes else ""
    pieces = [_read("system.md").replace("{name}", name), kept, instructions.strip()]
    return "\n\n".join(piece for piece in pieces if piece)


def summary_prompt(limit: int, *, notes: bool = False) -> str:
    """What asks a model for the summary of turns that leave, in at most `limit` characters, and
    for what their askers said of themselves."""
    asked = f"{_SUMMARY}\n\n{_DRAWN}" if notes else _SUMMARY
    return asked.replace("{limit}", str(limit))


def _read(name: str) -> str:
    return Path(__file__).with_name(name).read_text(encoding="utf-8").strip()


# Once, at the start: they are needed while people wait.
_SUMMARY, _DRAWN = _read("summary.md"), _read("drawn.md")
