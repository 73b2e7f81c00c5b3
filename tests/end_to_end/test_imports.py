"""Only what is configured is imported: an SDK takes a second of everybody's start."""

import subprocess
import sys
from pathlib import Path

import pytest

from tests.benchmarks.startup import ROOT, environment

pytestmark = pytest.mark.slow

SDKS = {"slack_bolt", "slack_sdk", "discord", "openai", "google"}
CHAT = """
import atexit, runpy, sys
atexit.register(lambda: print(*{name.split(".")[0] for name in sys.modules}, file=sys.stderr))
sys.argv = ["nimbus", "chat"]
runpy.run_module("bot", run_name="__main__")
"""


def sdks_of_a_chat(folder: Path, typed: str, **settings: str) -> set[str]:
    """Which of them a chat has imported when it ends."""
    chat = subprocess.run(
        [sys.executable, "-c", CHAT],
        cwd=ROOT,
        env=environment(folder, **settings),
        input=typed,
        capture_output=True,
        check=True,
        text=True,
    )
    return SDKS & set(chat.stderr.splitlines()[-1].split())


def test_a_chat_without_settings_imports_no_sdk(tmp_path: Path) -> None:
    assert sdks_of_a_chat(tmp_path, "Can I get a refund for order 1043?\nexit\n") == set()


@pytest.mark.parametrize(("provider", "sdk"), [("openai", "openai"), ("gemini", "google")])
def test_a_model_imports_its_sdk_alone_and_before_the_first_question(
    tmp_path: Path, provider: str, sdk: str
) -> None:
    nowhere = {f"{provider.upper()}_BASE_URL": "http://127.0.0.1:9/v1"}
    configured = {"NIMBUS_MODEL": f"{provider}:none", **nowhere}

    assert sdks_of_a_chat(tmp_path, "exit\n", **configured) == {sdk}
