"""The programs beside Nimbus that people start: they run, and end by themselves."""

import re
import subprocess
import sys

import pytest

from tests.benchmarks.startup import ROOT

pytestmark = pytest.mark.slow


def output_of(*module: str) -> str:
    """What a program prints until its input, which is empty, has ended."""
    return subprocess.run(
        [sys.executable, "-m", *module],
        cwd=ROOT,
        stdin=subprocess.DEVNULL,
        capture_output=True,
        check=True,
        text=True,
    ).stdout


@pytest.mark.parametrize("provider", ["openai", "gemini"])
def test_a_server_tells_its_address_and_ends_with_its_input(provider: str) -> None:
    assert re.search(
        rf"^{provider.upper()}_BASE_URL=http://127\.0\.0\.1:\d+\S* NIMBUS_MODEL={provider}:desk ",
        output_of(f"tests.servers.{provider}"),
        re.MULTILINE,
    )


def test_a_small_slack_tells_how_to_start_the_bot() -> None:
    assert re.search(
        r"^SLACK_API_URL=http://127\.0\.0\.1:\d+/api/ SLACK_BOT_TOKEN=xoxb-\S+"
        r" SLACK_APP_TOKEN=xapp-\S+ \S+ -m bot run$",
        output_of("tests.servers.slack"),
        re.MULTILINE,
    )


def test_the_benchmarks_print_their_tables() -> None:
    printed = output_of("tests.benchmarks", "--turns", "3")

    for row in ("full, no tools", "normal, one tool", "turn 10,000", "one question"):
        assert re.search(rf"^{row} +\d", printed, re.MULTILINE)
