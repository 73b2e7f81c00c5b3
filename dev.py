"""All that a clone needs, with nothing but Python: `python3 dev.py` prints what there is.

Written so that an old Python can read it, too, and say in words that it is too old.
"""

from __future__ import annotations

import hashlib
import os
import shutil
import subprocess
import sys
import time
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from typing import NoReturn

    Run = Callable[[Sequence[str]], int]
    Step = tuple[str, list[str]]

USAGE = """\
python3 dev.py COMMAND

  chat [ARGUMENTS]    start a chat in this terminal (`nimbus chat`)
  test                run every check, as .ci/run does
  lint                only format, lint, types and import contracts
  quick [ARGUMENTS]   only the quick tests; arguments go to pytest
  bench [ARGUMENTS]   measure speed and memory, also under load and for long; --help
  faults [ARGUMENTS]  crash the simulated system and kill the real worker; --help
  lock [ARGUMENTS]    write requirements*.txt anew; --upgrade takes newer versions
"""

ROOT = Path(__file__).resolve().parent
RUNTIME = ("requirements.txt",)
EVERYTHING = ("requirements.txt", "requirements-dev.txt")  # the last holds all of the first

INTERRUPTED = 130
NO_TESTS_COLLECTED = 5  # pytest's word for: nothing failed, there was nothing

# Not quiet: a failure needs the seed of its order.
PYTEST = ["-m", "pytest", "-n", "2", "--dist", "worksteal"]
LINT: list[Step] = [
    ("Format", ["ruff", "format", "--check", "--quiet", "."]),
    ("Lint", ["ruff", "check", "--quiet", "."]),
    ("Types", ["mypy"]),
    ("Import contracts", ["lint-imports", "--no-logo"]),
]
TESTS: list[Step] = [
    ("Erase old coverage", ["coverage", "erase"]),
    ("Quick tests", ["coverage", "run", *PYTEST, "-m", "not slow"]),
    ("Combine coverage", ["coverage", "combine", "--quiet"]),
    ("Coverage", ["coverage", "report"]),
    ("Slow tests", ["python", *PYTEST, "-m", "slow"]),
]
COMPILE = [
    *("uv", "pip", "compile", "pyproject.toml", "--quiet", "--universal"),
    *("--python-version", "3.11", "--generate-hashes", "--no-annotate"),
    *("--no-emit-index-url", "--no-emit-find-links", "--extra", "postgres"),
    *("--custom-compile-command", "python3 dev.py lock"),
]


class Problem(Exception):  # noqa: N818 -- not a fault of the program
    """What is in the way and what to do about it, for the person at the terminal."""


def main(arguments: Sequence[str]) -> int:
    """Do what `arguments` ask for; return the exit code."""
    command = COMMANDS.get(arguments[0]) if arguments else None
    if command is None:
        print(USAGE, end="")
        return 2
    try:
        refuse_what_cannot_work(sys.version_info[:2], sys.platform)
        os.chdir(ROOT)
        return command(arguments[1:])
    except Problem as problem:
        print(problem, file=sys.stderr)
        return 1
    except KeyboardInterrupt:
        return INTERRUPTED


def chat(arguments: Sequence[str]) -> int:
    become(prepare(ROOT, RUNTIME), ["-m", "bot", "chat", *arguments])


def test(_: Sequence[str]) -> int:
    return run_steps(LINT + TESTS)


def lint(_: Sequence[str]) -> int:
    return run_steps(LINT)


def quick(arguments: Sequence[str]) -> int:
    become(prepare(ROOT, EVERYTHING), [*PYTEST, "-m", "not slow", *arguments])


def bench(arguments: Sequence[str]) -> int:
    become(prepare(ROOT, EVERYTHING), ["-m", "tests.benchmarks", *arguments])


def faults(arguments: Sequence[str]) -> int:
    become(prepare(ROOT, EVERYTHING), ["-m", "tests.faults", *arguments])


def lock(arguments: Sequence[str]) -> int:
    """Pin what pyproject.toml asks for; the second file keeps to the versions of the first."""
    if shutil.which("uv") is None:
        sentence = "Locking needs uv (python3 -m pip install uv). Nothing was changed."
        raise Problem(sentence)
    runtime, everything = EVERYTHING
    more = ["--group", "dev", "--constraint", runtime]
    return subprocess.call([*COMPILE, *arguments, "-o", runtime]) or subprocess.call(
        [*COMPILE, *more, *arguments, "-o", everything],
    )


COMMANDS: dict[str, Callable[[Sequence[str]], int]] = {
    command.__name__: command for command in (chat, test, lint, quick, bench, faults, lock)
}


def refuse_what_cannot_work(version: tuple[int, int], platform: str) -> None:
    """Raise Problem for a Python that is too old, and for Windows."""
    if version < (3, 11):
        sentence = (
            "Nimbus needs Python 3.11 or newer; this is {}.{}. Install a newer one and start it by"
            " its name: python3.11 dev.py"
        )
        raise Problem(sentence.format(*version))
    if platform == "win32":
        raise Problem("Nimbus runs on Linux and macOS. On Windows, start it inside WSL.")


def become(python: Path, arguments: Sequence[str]) -> NoReturn:
    """Go on as another program in this process, so that Ctrl-C and signals reach only that."""
    sys.stdout.flush()
    os.execv(python, [str(python), *arguments])


def prepare(root: Path, requirements: Sequence[str], run: Run = subprocess.call) -> Path:
    """Return the Python of root/.venv, in which `requirements` are installed.

    The note `installed` says what the environment holds. It is taken away before an installation
    and put back after it, so one that was interrupted is done again from the start.
    """
    folder = root / ".venv"
    python, note = folder / "bin" / "python", folder / "installed"
    found = note.read_text() if note.exists() and python.exists() else ""
    runtime, everything = digest(root, RUNTIME), digest(root, EVERYTHING)
    wanted = digest(root, requirements)
    if found in {wanted, everything}:
        return python
    sentence = f"Installing {requirements[-1]} into .venv: once, until that file changes."
    print(sentence, file=sys.stderr)
    note.unlink(missing_ok=True)
    if found != runtime:
        make_environment(folder, run)
    install(python, root / requirements[-1], run)
    fresh = note.with_suffix(".new")
    fresh.write_text(wanted)
    fresh.replace(note)
    return python


def digest(root: Path, requirements: Sequence[str]) -> str:
    """Return what must be the same for an environment to be of use again."""
    total = hashlib.sha256(f"{sys.version}\n{sys.base_prefix}\n{root}\n".encode())
    for name in requirements:
        total.update((root / name).read_bytes())
    return total.hexdigest()


def make_environment(folder: Path, run: Run) -> None:
    """Make an empty environment in place of what is there."""
    if run([sys.executable, "-m", "venv", "--clear", str(folder)]):
        sentence = (
            "The environment could not be made; Python says why above. If venv or ensurepip is"
            " missing, install it (on Debian and Ubuntu: apt install python3-venv), then start"
            " this again."
        )
        raise Problem(sentence)


def install(python: Path, requirements: Path, run: Run) -> None:
    """Install exactly the files whose hashes `requirements` lists."""
    pip = [str(python), "-m", "pip", "install", "-qq", "--disable-pip-version-check"]
    if run([*pip, "--require-hashes", "--requirement", str(requirements)]):
        sentence = (
            "The packages could not be installed; pip says why above. If the network is the"
            " reason, start this again when it is back."
        )
        raise Problem(sentence)


def run_steps(steps: Sequence[Step]) -> int:
    """Run each step until one fails; say how long each took."""
    started = time.monotonic()
    programs = prepare(ROOT, EVERYTHING).parent
    os.environ.pop("PYTHONDONTWRITEBYTECODE", None)  # hundreds of processes compile only once
    for name, (program, *arguments) in steps:
        print(f"\n{name}", flush=True)
        began = time.monotonic()
        code = subprocess.call([str(programs / program), *arguments])
        print(f"  {time.monotonic() - began:.1f} s", flush=True)
        if code and not (program == "python" and code == NO_TESTS_COLLECTED):
            print(f"\n{name}: failed (exit code {code}).")
            return 1
    print(f"\nAll checks passed in {time.monotonic() - started:.0f} s.")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
