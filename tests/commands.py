"""The command line in this process: each command runs a loop of its own."""

from __future__ import annotations

import re

from typer.testing import CliRunner, Result

from bot.cli.app import build


def nimbus(*arguments: str) -> Result:
    return CliRunner().invoke(build(), arguments, catch_exceptions=False)


def asked(text: str, *options: str) -> str:
    """Ask, and return the conversation's id."""
    result = nimbus("ask", text, *options)
    assert result.exit_code == 0, result.stderr
    return str(re.findall(r"conversation (\w{32})", result.stderr)[0])
