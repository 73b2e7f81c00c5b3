"""Finds the tools that `NIMBUS_TOOLS` names."""

from __future__ import annotations

from collections.abc import Sequence
from importlib import import_module
from pathlib import Path
from traceback import walk_tb
from types import ModuleType

from bot.errors import ConfigError
from bot.tools.tool import Tool


def load_tools(names: Sequence[str], folder: Path) -> list[Tool]:
    """The tools of these modules; raise `ConfigError` with every module that is broken.

    A module has a list `TOOLS`, or a function `tools(folder)`; `folder` is where the database
    lies, and where the module may keep files of its own.
    """
    found: list[Tool] = []
    problems: list[str] = []
    for name in names:
        try:
            found += _tools(name, folder)
        # The operator's own module is run here for the first time: it may raise anything.
        except (Exception, SystemExit) as error:  # noqa: BLE001 - each becomes a sentence
            problems.append(_problem(name, error))
    if problems:
        raise ConfigError(*problems)
    return found


def _tools(name: str, folder: Path) -> list[Tool]:
    module = import_module(name)
    tools = _offered(module, folder)
    if not isinstance(tools, list) or not all(isinstance(tool, Tool) for tool in tools):
        raise TypeError("it must give a list of `Tool`s: `TOOLS = [Tool.of(function, risk=…)]`")
    return tools


def _offered(module: ModuleType, folder: Path) -> object:
    if callable(getattr(module, "tools", None)):
        return module.tools(folder)
    if hasattr(module, "TOOLS"):
        return module.TOOLS
    raise TypeError("it has neither a list `TOOLS` nor a function `tools(folder)`")


def _problem(name: str, error: BaseException) -> str:
    if isinstance(error, ModuleNotFoundError) and error.name == name:
        return f"NIMBUS_TOOLS: there is no module {name}."
    place = f", {_line(error)}" if _line(error) else ""
    return f"NIMBUS_TOOLS: module {name}{place}: {type(error).__name__}: {error}"


def _line(error: BaseException) -> str:
    """The line of the operator's code that is to blame: the last one that is not ours."""
    if isinstance(error, SyntaxError):
        return f"{error.filename} line {error.lineno}"
    ours = str(Path(__file__).parent)
    lines = [
        f"{file} line {line}"
        for file, line in ((f.f_code.co_filename, line) for f, line in walk_tb(error.__traceback__))
        if not file.startswith((ours, "<frozen")) and "importlib" not in file
    ]
    return lines[-1] if lines else ""
