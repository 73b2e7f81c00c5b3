"""`run`: the worker that listens on chat platforms."""

from __future__ import annotations

from bot.cli.shell import run as run_command
from bot.main import run_worker


def run() -> None:
    """Answer on the chat platforms whose tokens are set, until SIGTERM."""
    run_command(run_worker, is_service=True)
