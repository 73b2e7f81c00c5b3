"""The real program, killed at a moment of its third answer, and gone on with."""

from __future__ import annotations

import asyncio
import re
import sqlite3
import subprocess
import sys
from contextlib import closing
from dataclasses import dataclass, replace
from pathlib import Path
from shutil import copytree
from signal import SIGKILL
from typing import Any, Literal

from bot.context import ContextBuilder
from memory.engines import open_database
from memory.messages import user
from tests.benchmarks.startup import ROOT, environment
from tests.faults.doomed import QUESTION
from tests.validity import problems

Command = Literal["ask", "chat"]
BEFORE = ("Can I get a refund for order #1043?", "OK. What about my other order, 1042?")
LATER = 1_000_000


@dataclass(frozen=True, slots=True)
class Verdict:
    """`told`: how often the last program said the ticket's number."""

    tickets: list[int]
    turns: list[tuple[str, str]]
    questions: int
    refused: list[str]
    killed: int = -SIGKILL
    ended: int = 0
    told: int = 1


@dataclass(frozen=True, slots=True)
class Talk:
    """A conversation in a folder, at its third question."""

    folder: Path
    conversation: str

    def copied(self, to: Path) -> Talk:
        copytree(self.folder, to, dirs_exist_ok=True)
        return Talk(to, self.conversation)

    def kill_at(self, moment: str, command: Command) -> subprocess.CompletedProcess[str]:
        """Ask the third question of a program that is killed while it answers."""
        doomed = ["tests.faults.doomed", moment, command, self.conversation]
        return self.run(*doomed, typed=f"{QUESTION}\n")

    def go_on(self, command: Command) -> subprocess.CompletedProcess[str]:
        """The usual command; it takes up what the killed one has left."""
        if command == "ask":
            return self.run("bot", "ask", "What did I ask first?", *self._named("conversation"))
        return self.run("bot", "chat", *self._named("resume"))

    def run(self, *arguments: str, typed: str = "") -> subprocess.CompletedProcess[str]:
        return subprocess.run(
            [sys.executable, "-m", *arguments],
            cwd=ROOT,
            env=environment(self.folder),
            input=typed,
            capture_output=True,
            check=False,
            text=True,
        )

    def verdict(self) -> Verdict:
        """What is left of it all."""
        [questions] = self._rows("chat.db", "SELECT count(*) FROM messages WHERE role = 'user'")
        return Verdict(
            tickets=[row[0] for row in self._rows("shop.db", "SELECT order_id FROM tickets")],
            turns=self._rows("chat.db", "SELECT state, outcome FROM turns ORDER BY number"),
            questions=questions[0],
            refused=asyncio.run(self._what_a_provider_refuses()),
        )

    async def _what_a_provider_refuses(self) -> list[str]:
        """Of the next question's request."""
        database = await open_database(f"sqlite:///{self.folder / 'chat.db'}")
        try:
            context = await database.read(
                lambda tx: ContextBuilder("Help.").build(
                    tx, self.conversation, [user("And now?")], LATER, 0
                )
            )
        finally:
            await database.close()
        return problems(context.request)

    def _named(self, option: str) -> tuple[str, str]:
        return f"--{option}", self.conversation

    def _rows(self, file: str, sql: str) -> list[tuple[Any, ...]]:
        with closing(sqlite3.connect(self.folder / file)) as database:
            return database.execute(sql).fetchall()


def begun(folder: Path) -> Talk:
    """The example conversation, up to its third question."""
    first = Talk(folder, "").run("bot", "ask", BEFORE[0])
    found = re.search(r"\b[0-9a-f]{32}\b", first.stderr)
    assert found is not None, first.stderr
    talk = Talk(folder, found[0])
    talk.run("bot", "ask", BEFORE[1], "--conversation", talk.conversation)
    return talk


def survive(talk: Talk, moment: str, command: Command, folder: Path) -> Verdict:
    """Kill a copy of the conversation at a moment, go on with it, and judge."""
    talk = talk.copied(folder / moment)
    killed = talk.kill_at(moment, command)
    resumed = talk.go_on(command)
    return replace(
        talk.verdict(),
        killed=killed.returncode,
        ended=resumed.returncode,
        told=(resumed.stdout + resumed.stderr).count("T-0001"),
    )
