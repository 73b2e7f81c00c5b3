"""dev.py makes the environment once, and again when it must."""

from collections.abc import Sequence
from pathlib import Path

import pytest

import dev


class Commands:
    """Stands in for the processes that dev.py starts; `failing` names the one that fails."""

    def __init__(self, failing: str = "") -> None:
        self.failing = failing
        self.started: list[str] = []

    def __call__(self, command: Sequence[str]) -> int:
        self.started.append(command[2])
        if command[2] == "venv":
            python = Path(command[-1], "bin", "python")
            python.parent.mkdir(parents=True, exist_ok=True)
            python.touch()
        return int(command[2] == self.failing)


@pytest.fixture
def clone(tmp_path: Path) -> Path:
    for name in dev.EVERYTHING:
        (tmp_path / name).write_text("one==1\n")
    return tmp_path


def prepare_again(clone: Path, requirements: Sequence[str]) -> list[str]:
    commands = Commands()
    dev.prepare(clone, requirements, commands)
    return commands.started


def test_the_first_start_makes_and_fills_an_environment(clone: Path) -> None:
    commands = Commands()

    python = dev.prepare(clone, dev.RUNTIME, commands)

    assert python == clone / ".venv" / "bin" / "python"
    assert commands.started == ["venv", "pip"]


def test_the_second_start_starts_nothing(clone: Path) -> None:
    dev.prepare(clone, dev.RUNTIME, Commands())

    assert prepare_again(clone, dev.RUNTIME) == []


def test_an_interrupted_installation_is_done_again_from_the_start(clone: Path) -> None:
    with pytest.raises(dev.Problem, match="could not be installed"):
        dev.prepare(clone, dev.RUNTIME, Commands(failing="pip"))

    assert prepare_again(clone, dev.RUNTIME) == ["venv", "pip"]


def test_an_interrupted_addition_is_done_again_from_the_start(clone: Path) -> None:
    dev.prepare(clone, dev.RUNTIME, Commands())
    with pytest.raises(dev.Problem):
        dev.prepare(clone, dev.EVERYTHING, Commands(failing="pip"))

    assert prepare_again(clone, dev.RUNTIME) == ["venv", "pip"]


def test_changed_requirements_make_a_new_environment(clone: Path) -> None:
    dev.prepare(clone, dev.RUNTIME, Commands())
    (clone / "requirements.txt").write_text("one==2\n")

    assert prepare_again(clone, dev.RUNTIME) == ["venv", "pip"]


def test_tools_are_added_to_the_environment_of_a_chat(clone: Path) -> None:
    dev.prepare(clone, dev.RUNTIME, Commands())

    assert prepare_again(clone, dev.EVERYTHING) == ["pip"]


def test_an_environment_with_tools_serves_a_chat(clone: Path) -> None:
    dev.prepare(clone, dev.EVERYTHING, Commands())

    assert prepare_again(clone, dev.RUNTIME) == []


def test_a_python_that_cannot_make_environments_is_told_what_to_install(clone: Path) -> None:
    with pytest.raises(dev.Problem, match="python3-venv"):
        dev.prepare(clone, dev.RUNTIME, Commands(failing="venv"))


def test_an_old_python_is_told_which_one_to_install() -> None:
    with pytest.raises(dev.Problem, match=r"needs Python 3\.11 or newer; this is 3\.10"):
        dev.refuse_what_cannot_work((3, 10), "linux")


def test_windows_is_told_of_wsl() -> None:
    with pytest.raises(dev.Problem, match="WSL"):
        dev.refuse_what_cannot_work((3, 12), "win32")


def test_an_unknown_command_prints_what_there_is(capsys: pytest.CaptureFixture[str]) -> None:
    assert dev.main(["chatt"]) == 2

    assert capsys.readouterr().out == dev.USAGE
