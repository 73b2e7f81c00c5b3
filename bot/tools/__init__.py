"""Tools: annotated async functions that the model may ask for, and the box that runs them.

A module of tools (`NIMBUS_TOOLS`) has a list `TOOLS` of `Tool`s, or a function
`tools(folder: Path) -> list[Tool]`; `folder` is where it may keep files of its own.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Sequence
from dataclasses import replace
from traceback import walk_tb

from bot.errors import ConfigError, ToolError
from bot.model import ToolSpec
from bot.settings import Limits, Timing
from bot.tools.results import error_text, fit, result_text
from bot.tools.tool import Risk, Tool, ToolContext
from memory.messages import ToolCall, ToolResult

__all__ = ["Risk", "Tool", "ToolContext", "Toolbox"]

_log = logging.getLogger(__name__)


class Toolbox:
    """The tools of one bot. Raise `ConfigError` when two have one name."""

    def __init__(self, tools: Sequence[Tool], timing: Timing, limits: Limits) -> None:
        self._tools = {tool.spec.name: tool for tool in tools}
        self._seconds = timing.tool / 1000
        self._limit_bytes = limits.result_bytes
        names = [tool.spec.name for tool in tools]
        twice = sorted({name for name in names if names.count(name) > 1})
        if twice:
            raise ConfigError(*(f"NIMBUS_TOOLS: two tools are named {name}." for name in twice))

    @property
    def specs(self) -> tuple[ToolSpec, ...]:
        return tuple(tool.spec for tool in self._tools.values())

    def is_read(self, name: str) -> bool:
        """Whether a call changes nothing; of a tool that is not here (any more) nobody knows."""
        tool = self._tools.get(name)
        return tool is not None and tool.risk == "read"

    def may_repeat(self, name: str) -> bool:
        """Whether a call may be run again when nobody knows if it was run."""
        tool = self._tools.get(name)
        return tool is not None and (tool.risk == "read" or tool.idempotent)

    async def run(self, call: ToolCall, context: ToolContext) -> ToolResult:
        """Run a call. Nothing but cancellation is raised: what goes wrong is told to the model."""
        tool = self._tools.get(call.name)
        if tool is None:
            there_are = ", ".join(self._tools) or "none"
            return self._failure(call, f"There is no such tool. The tools are: {there_are}.")
        loop = asyncio.get_running_loop()
        deadline = min(context.deadline, loop.time() + self._seconds)
        limit = asyncio.timeout(self._seconds)
        try:
            async with limit:
                value = await tool.invoke(replace(context, deadline=deadline), call.arguments)
            return ToolResult(call.id, call.name, result_text(value, self._limit_bytes))
        except ToolError as error:
            _note(call, context, error.__cause__ or error, logging.INFO)
            return self._failure(call, str(error))
        except asyncio.CancelledError as error:
            if _is_ours():
                raise
            _note(call, context, error)
            return self._failure(call, "The tool broke off. Nothing is known of its result.")
        # A tool is somebody else's code: it may raise anything, and even try to end the program.
        except (Exception, SystemExit) as error:  # noqa: BLE001 - the boundary of a tool call
            _note(call, context, error)
            return self._failure(call, _reason(late=limit.expired(), seconds=self._seconds))

    def _failure(self, call: ToolCall, sentence: str) -> ToolResult:
        text = fit(error_text(sentence), self._limit_bytes)
        return ToolResult(call.id, call.name, text, is_error=True)


def _is_ours() -> bool:
    """Whether this task is being cancelled, and not just something inside the tool was."""
    task = asyncio.current_task()
    return task is not None and task.cancelling() > 0


def _reason(*, late: bool, seconds: float) -> str:
    if late:
        return f"The tool took longer than {seconds:g} seconds. It may or may not have acted."
    return "The tool failed. The reason is in the operator's log."


def _note(
    call: ToolCall, context: ToolContext, error: BaseException, level: int = logging.WARNING
) -> None:
    """Log what failed and where, never the text of an exception: it may hold a secret."""
    places = [f"{frame.f_code.co_filename}:{line}" for frame, line in walk_tb(error.__traceback__)]
    _log.log(
        level,
        "tool %s, call %s: %s at %s",
        call.name,
        context.call_key,
        type(error).__name__,
        places[-1] if places else "its arguments",
        extra={"action": "tool_failed"},
    )
