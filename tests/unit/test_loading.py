"""The modules that `NIMBUS_TOOLS` names."""

from collections.abc import Callable
from itertools import count
from pathlib import Path

import pytest

from bot.errors import ConfigError
from bot.tools.loading import load_tools

Write = Callable[[str], str]

_numbers = count()
HEAD = "from pathlib import Path\nfrom bot.tools import Tool\n"
LOOK = 'async def look(n: int) -> int:\n    """Look."""\n    return n\n'


@pytest.fixture
def write(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Write:
    """Write a module; its name is new, so that Python has not imported it yet."""
    monkeypatch.syspath_prepend(tmp_path)

    def write_module(source: str) -> str:
        name = f"own_tools_{next(_numbers)}"
        (tmp_path / f"{name}.py").write_text(source)
        return name

    return write_module


def problems(*names: str) -> tuple[str, ...]:
    with pytest.raises(ConfigError) as caught:
        load_tools(names, Path())
    return caught.value.problems


def test_no_names_are_no_tools() -> None:
    assert load_tools([], Path()) == []


def test_the_demo_desk_is_a_module_of_tools(tmp_path: Path) -> None:
    names = [tool.spec.name for tool in load_tools(["bot.tools.support"], tmp_path)]

    assert names == [
        "list_orders",
        "get_order",
        "check_refund_eligibility",
        "create_support_ticket",
    ]


def test_a_module_may_have_a_list(write: Write) -> None:
    name = write(f"{HEAD}{LOOK}TOOLS = [Tool.of(look, risk='read')]\n")

    assert [tool.spec.name for tool in load_tools([name], Path())] == ["look"]


def test_a_module_may_have_a_function_that_is_told_its_folder(write: Write) -> None:
    name = write(
        f"{HEAD}def tools(folder: Path) -> list[Tool]:\n"
        f"    {LOOK.replace(chr(10), chr(10) + '    ')}\n"
        "    look.__doc__ = str(folder)\n"
        "    return [Tool.of(look, risk='read')]\n"
    )

    assert load_tools([name], Path("data"))[0].spec.description == "data"


def test_tools_come_in_the_order_of_their_modules(write: Write) -> None:
    first = write(f"{HEAD}{LOOK}TOOLS = [Tool.of(look, risk='read')]\n")
    second = write(f"{HEAD}{LOOK.replace('look', 'act')}TOOLS = [Tool.of(act, risk='write')]\n")

    names = [tool.spec.name for tool in load_tools([second, first], Path())]

    assert names == ["act", "look"]


def test_a_module_that_is_not_there_is_named() -> None:
    assert problems("no_such_module") == ("NIMBUS_TOOLS: there is no module no_such_module.",)


@pytest.mark.parametrize("name", ["", ".relative", "two..dots", "no_package.module"])
def test_a_name_that_cannot_be_imported_is_a_sentence(name: str) -> None:
    [problem] = problems(name)

    assert problem.startswith("NIMBUS_TOOLS: ")


@pytest.mark.parametrize(
    ("source", "told"),
    [
        ("\nimport no_such_package\n", "line 2: ModuleNotFoundError: No module named 'no_such"),
        ("x = 1\nx = = 2\n", "line 2: SyntaxError: "),
        ("raise SystemExit(3)\n", "line 1: SystemExit: 3"),
        (
            f"{HEAD}def f(): ...\nTOOLS = [Tool.of(f, risk='read')]\n",
            "line 4: TypeError: f must be",
        ),
        (f"{HEAD}def tools(folder: Path):\n    return folder.no\n", "line 4: AttributeError: "),
        (f"{HEAD}def tools():\n    return []\n", ": TypeError: "),
        ("tools = 5\n", ": TypeError: it has neither a list `TOOLS` nor a function `tools("),
        ("TOOLS = [print]\n", ": TypeError: it must give a list of `Tool`s: `TOOLS = [Tool.of("),
        ("TOOLS = None\n", ": TypeError: it must give a list of `Tool`s"),
    ],
)
def test_a_broken_module_is_named_with_its_line(write: Write, source: str, told: str) -> None:
    name = write(source)

    [problem] = problems(name)

    assert problem.startswith(f"NIMBUS_TOOLS: module {name}")
    assert told in problem


def test_all_broken_modules_are_named_at_once(write: Write) -> None:
    good = write("TOOLS = []\n")

    assert len(problems(write("1 / 0"), good, "no_such_module")) == 2
