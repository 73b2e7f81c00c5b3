"""How long `nimbus chat` takes to start, and how much memory it needs."""

from __future__ import annotations

import os
import subprocess
import sys
import time
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from statistics import median

ROOT = Path(__file__).resolve().parent.parent.parent
DATABASE = "chat.db"
OURS = ("NIMBUS_", "OPENAI_", "SLACK_", "DISCORD_", "GEMINI_", "DATABASE_")


@dataclass(frozen=True, slots=True)
class Startup:
    """From start to end of a chat in which so many lines were typed."""

    seconds: float
    megabytes: float


def startup(folder: Path, lines: Sequence[str], *, times: int) -> Startup:
    """Medians; the first run, which makes the database, does not count."""
    runs = [_run(folder, lines) for _ in range(times + 1)][1:]
    return Startup(
        median(run.seconds for run in runs),
        median(run.megabytes for run in runs),
    )


def _run(folder: Path, lines: Sequence[str]) -> Startup:
    began = time.perf_counter()
    with subprocess.Popen(
        [sys.executable, "-m", "bot", "chat"],
        cwd=ROOT,
        env=environment(folder),
        stdin=subprocess.PIPE,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    ) as process:
        assert process.stdin is not None
        process.stdin.write("".join(f"{line}\n" for line in lines).encode())
        process.stdin.close()
        _, status, used = os.wait4(process.pid, 0)
        process.returncode = os.waitstatus_to_exitcode(status)
    assert process.returncode == 0, f"the chat ended with {process.returncode}"
    return Startup(time.perf_counter() - began, _megabytes(used.ru_maxrss))


def environment(folder: Path, **more: str) -> dict[str, str]:
    """This one, without any setting of Nimbus but a database in `folder`."""
    kept = {name: value for name, value in os.environ.items() if not name.startswith(OURS)}
    return {**kept, "DATABASE_URL": f"sqlite:///{folder / DATABASE}", **more}


def _megabytes(most_resident: int) -> float:
    """Linux counts in kilobytes, macOS in bytes."""
    return most_resident / (1024 if sys.platform == "linux" else 1024 * 1024)
