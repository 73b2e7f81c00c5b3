"""What a model works with: the tools, and the contexts that tell it of them."""

from __future__ import annotations

import asyncio
from pathlib import Path

from bot.context import ContextBuilder
from bot.limits import limits_of
from bot.prompts import system_prompt
from bot.settings import Limits, Settings, Timing
from bot.tools import Toolbox
from bot.tools.loading import load_tools
from bot.tools.notes import note_tools
from bot.tools.past import past_tools
from memory.database import Database
from memory.engines import is_postgres, sqlite_path


async def open_toolbox(
    settings: Settings,
    database: Database,
    timing: Timing | None = None,
    limits: Limits | None = None,
) -> Toolbox:
    """The tools that the settings name, and our own. In a thread: the modules may be anybody's."""
    tools = await asyncio.to_thread(load_tools, settings.tools, tools_folder(settings))
    tools += note_tools(database) if settings.notes else []
    tools += past_tools(database) if settings.history else []
    return Toolbox(tools, timing or Timing(), limits or limits_of(settings))


def tools_folder(settings: Settings) -> Path:
    """Where tools keep files of their own: beside the database's file."""
    url = settings.database_url
    return Path() if is_postgres(url) else sqlite_path(url).parent


def build_contexts(settings: Settings, toolbox: Toolbox) -> ContextBuilder:
    return ContextBuilder(
        system=system_prompt(settings.name, settings.read_instructions(), notes=settings.notes),
        tools=toolbox.specs,
        budget=settings.context_budget,
        recent_turns=settings.recent_turns,
        history=settings.history,
        notes=settings.notes,
    )
