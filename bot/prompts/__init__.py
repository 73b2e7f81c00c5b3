"""The prompts: texts for a model, added fresh to each request and never stored."""

from __future__ import annotations

from pathlib import Path


def system_prompt(name: str, instructions: str = "") -> str:
    """The system prompt of a bot of this name, with the operator's own instructions."""
    prompt = Path(__file__).with_name("system.md").read_text(encoding="utf-8")
    pieces = [prompt.replace("{name}", name).strip(), instructions.strip()]
    return "\n\n".join(piece for piece in pieces if piece)
