"""The line in which a person types; its history lives in memory only."""

from __future__ import annotations

from prompt_toolkit import PromptSession
from prompt_toolkit.formatted_text import FormattedText
from prompt_toolkit.history import InMemoryHistory

from adapters.terminal.lines import InterruptedLine, Lines


class TypedLines(Lines):
    def __init__(self, mark: str) -> None:
        self._mark = FormattedText([("bold", mark)])
        self._session: PromptSession[str] = PromptSession(
            history=InMemoryHistory(), interrupt_exception=InterruptedLine, enable_suspend=True
        )

    async def read(self) -> str:
        return await self._session.prompt_async(self._mark)
