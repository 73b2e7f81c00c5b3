"""What `show --context` tells of what a provider has counted."""

from __future__ import annotations

import sqlite3
from pathlib import Path

import pytest

from tests.commands import asked, nimbus

pytestmark = pytest.mark.inline  # each command runs a loop of its own, and prints


@pytest.fixture(autouse=True)
def _own_folder(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("DATABASE_URL", f"sqlite:///{tmp_path / 'nimbus.db'}")
    monkeypatch.chdir(tmp_path)


def test_the_estimate_is_corrected_by_the_newest_turn_that_took_one_request(
    tmp_path: Path,
) -> None:
    conversation = asked("Hello!")
    plain = nimbus("show", conversation, "--context").stdout
    with sqlite3.connect(tmp_path / "nimbus.db") as file:
        file.execute("UPDATE turns SET input_tokens = 2400, cached_tokens = 1200")
    file.close()

    counted = nimbus("show", conversation, "--context").stdout

    assert "provider" not in plain.rpartition("== all")[2]
    assert "; as the provider counts, about 2," in counted
    assert (
        "\n== the newest turns have sent · 2,400 tokens, 50 % from the provider's cache" in counted
    )
