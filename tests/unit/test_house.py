"""The rules of the repository that no other tool checks."""

import ast
import re
import tomllib
from collections.abc import Iterator
from pathlib import Path

import pytest
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name
from pydantic import AliasChoices

from bot.settings import Settings

ROOT = Path(__file__).resolve().parent.parent.parent
FOLDERS = ("bot", "adapters", "memory", "migrations", "tests")
FILE_LINES = 300
FUNCTION_LINES = 40
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text())
DEV = PROJECT["dependency-groups"]["dev"]
RUNTIME = [
    *PROJECT["project"]["dependencies"],
    *PROJECT["project"]["optional-dependencies"]["postgres"],
]

FUNCTION = (ast.FunctionDef, ast.AsyncFunctionDef)


def python_files() -> Iterator[Path]:
    yield from ROOT.glob("*.py")
    for folder in FOLDERS:
        yield from (ROOT / folder).rglob("*.py")


def long_functions(source: str) -> list[str]:
    functions = [node for node in ast.walk(ast.parse(source)) if isinstance(node, FUNCTION)]
    return [f"{f.name} (line {f.lineno})" for f in functions if length(f) > FUNCTION_LINES]


def length(function: ast.FunctionDef | ast.AsyncFunctionDef) -> int:
    """Return the lines of a function without those of its docstring."""
    return span(function) - (span(function.body[0]) if ast.get_docstring(function) else 0)


def span(node: ast.stmt) -> int:
    return (node.end_lineno or node.lineno) - node.lineno + 1


def pins(name: str) -> dict[str, str]:
    found = re.findall(r"^([\w.-]+)==(\S+)", (ROOT / name).read_text(), re.MULTILINE)
    return {canonicalize_name(package): version for package, version in found}


def unmet(wanted: list[str], pinned: dict[str, str]) -> list[str]:
    requirements = [Requirement(line) for line in wanted]
    return [
        str(requirement)
        for requirement in requirements
        if not requirement.specifier.contains(pinned.get(canonicalize_name(requirement.name), "0"))
    ]


def names_of_settings() -> set[str]:
    aliases = [field.validation_alias for field in Settings.model_fields.values()]
    named = {str(name) for a in aliases if isinstance(a, AliasChoices) for name in a.choices}
    return named | {f"NIMBUS_{name.upper()}" for name in Settings.model_fields}


def test_no_file_has_more_than_300_lines() -> None:
    lines = {path: len(path.read_text().splitlines()) for path in python_files()}

    assert {path: count for path, count in lines.items() if count > FILE_LINES} == {}


@pytest.mark.slow
def test_no_function_has_more_than_40_lines() -> None:
    found = {path: long_functions(path.read_text()) for path in python_files()}

    assert {path: functions for path, functions in found.items() if functions} == {}


def test_a_docstring_does_not_count_as_lines_of_its_function() -> None:
    body = "    x = 1\n" * (FUNCTION_LINES - 1)
    docstring = '    """One.\n\n    Two.\n    """\n'

    assert long_functions(f"def f():\n{docstring}{body}") == []
    assert long_functions(f"async def g():\n    x = 0\n{body}") == ["g (line 1)"]


def test_every_dependency_is_pinned_to_a_version_that_it_allows() -> None:
    assert unmet(RUNTIME, pins("requirements.txt")) == []
    assert unmet(RUNTIME + DEV, pins("requirements-dev.txt")) == []


def test_checks_run_on_the_versions_that_people_get() -> None:
    runtime, everything = pins("requirements.txt"), pins("requirements-dev.txt")

    assert {name: everything.get(name) for name in runtime} == runtime


@pytest.mark.parametrize("name", ["requirements.txt", "requirements-dev.txt"])
def test_requirements_name_no_host(name: str) -> None:
    text = (ROOT / name).read_text()

    assert "://" not in text
    assert "--index" not in text


def test_ci_runs_what_a_developer_runs() -> None:
    commands = (ROOT / ".ci" / "run").read_text().splitlines()

    assert [line for line in commands if "python" in line] == ["python3 dev.py test"]


def test_the_example_names_only_settings_that_exist() -> None:
    names = re.findall(r"^#?([A-Z_]+)=", (ROOT / ".env.example").read_text(), re.MULTILINE)

    assert set(names) - names_of_settings() == set()


def test_the_example_can_be_used_as_it_stands(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in names_of_settings():
        monkeypatch.delenv(name, raising=False)
    (tmp_path / ".env").write_text((ROOT / ".env.example").read_text())
    monkeypatch.chdir(tmp_path)

    assert Settings.load().tools == ("bot.tools.support",)
