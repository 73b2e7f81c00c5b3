"""Plants a fault in a copy of the tree and lets simulate look for it there."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory

from tests.faults.plant import Edit, Plant

ROOT = Path(__file__).resolve().parent.parent.parent
COPIED = ("bot", "adapters", "memory", "migrations", "tests", "pyproject.toml")
NEEDLESS = shutil.ignore_patterns("test_*", "*-pytest-*")
HUNT_SECONDS = 300


class StaleEditError(Exception):
    """The text to replace is not there (any more): the plant must follow the code."""


@dataclass(frozen=True, slots=True)
class Hunt:
    """What simulate said about a tree with a planted fault."""

    is_caught: bool
    told: str


def hunt(plant: Plant, *, seeds: int) -> Hunt:
    """Look in the tight spots, then in this many random schedules."""
    with TemporaryDirectory(prefix="nimbus-planted-") as folder:
        tree = Path(folder)
        copy_tree(tree)
        for edit in plant.edits:
            apply(tree, edit)
        found = subprocess.run(
            [sys.executable, "-m", "tests.faults.hunting", plant.platform, str(seeds)],
            cwd=tree,
            env={**os.environ, "PYTHONPATH": "", "PYTHONHASHSEED": "0"},
            capture_output=True,
            text=True,
            timeout=HUNT_SECONDS,
            check=False,
        )
    if found.returncode not in (0, 1):
        raise RuntimeError(f"{plant.name}: {found.stderr}")
    return Hunt(found.returncode == 1, found.stdout.strip())


def copy_tree(to: Path) -> None:
    for name in COPIED:
        if (ROOT / name).is_dir():
            # Compiled files, too: they stay valid.
            shutil.copytree(ROOT / name, to / name, ignore=NEEDLESS)
        else:
            shutil.copy(ROOT / name, to / name)


def apply(tree: Path, edit: Edit) -> None:
    file = tree / edit.file
    text = file.read_text()
    if text.count(edit.old) != 1:
        raise StaleEditError(f"{edit.file} has {text.count(edit.old)} times: {edit.old}")
    file.write_text(text.replace(edit.old, edit.new))
