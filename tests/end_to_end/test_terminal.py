"""The real program in a real terminal, and in pipes."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

import pytest

from bot.model import ModelRequest
from tests.benchmarks.startup import ROOT, environment
from tests.servers.openai.server import serving
from tests.servers.openai.wire import Answer, Stream, says
from tests.terminal import REFUND, Terminal, nimbus, terminal

OTHER = "OK. What about my other order, 1042?"


def hesitant(request: ModelRequest) -> Answer:
    """Never ends its answer to a question that asks for it."""
    if "wait" in request.messages[-1].text:
        whole = says("It is")
        return Stream(whole.chunks[:2], end="hang")
    return says("Hello.")


async def conversation_of(chat: Terminal) -> str:
    await chat.until("Conversation ")
    conversation = re.match(r"\w{32}", await chat.until("Ctrl-D ends."))
    await chat.until_asked()
    assert conversation is not None
    return conversation[0]


def test_each_line_of_a_pipe_is_a_question(tmp_path: Path) -> None:
    chat = nimbus(tmp_path, "chat", typed=f"{REFUND}\n\n{OTHER}\nYes please.")

    assert chat.returncode == 0
    assert re.fullmatch(
        r"No, order 1043 .*\nYes, order 1042 .*11 days.*\n.*T-0001.*1042.*\n", chat.stdout
    )
    assert re.fullmatch(
        r"conversation (\w{32})\nTo go on with this conversation: .* chat --resume \1\n",
        chat.stderr,
    )


@pytest.mark.slow
def test_a_reader_that_goes_away_ends_the_program_quietly(tmp_path: Path) -> None:
    with subprocess.Popen(
        [sys.executable, "-m", "bot", "ask", REFUND],
        cwd=ROOT,
        env=environment(tmp_path),
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    ) as asked:
        assert asked.stdout is not None
        assert asked.stderr is not None
        asked.stdout.close()
        said = asked.stderr.read()

    assert asked.returncode == 1
    assert "Traceback" not in said
    assert "BrokenPipe" not in said


def redirected(folder: Path, command: str, typed: str = "") -> subprocess.CompletedProcess[str]:
    """`nimbus` as a shell starts it."""
    return subprocess.run(
        ["/bin/sh", "-c", f'exec "{sys.executable}" -m bot {command}'],
        cwd=ROOT,
        env=environment(folder),
        input=typed,
        capture_output=True,
        check=False,
        text=True,
        timeout=20,
    )


@pytest.mark.slow
@pytest.mark.parametrize("command", ["ask 'list my orders'", "chat", "list"])
@pytest.mark.parametrize(
    ("where", "why"), [(">/dev/full", "No space left on device"), (">&-", "Bad file descriptor")]
)
def test_an_answer_that_cannot_be_written_ends_the_program(
    tmp_path: Path, command: str, where: str, why: str
) -> None:
    nimbus(tmp_path, "ask", "list my orders")

    told = redirected(tmp_path, f"{command} {where}", typed="list my orders\nexit\n")
    kept = nimbus(tmp_path, "export", nimbus(tmp_path, "list").stdout[:32])

    assert told.returncode == 1
    assert f": {why}.\n" in told.stderr
    assert "Traceback" not in told.stderr
    assert "wireless headphones" in kept.stdout
    assert "interrupted" not in kept.stdout


@pytest.mark.slow
@pytest.mark.parametrize("where", ["2>&-", "2>/dev/full"])
def test_notices_that_cannot_be_written_keep_no_answer_back(tmp_path: Path, where: str) -> None:
    told = redirected(tmp_path, f"ask 'list my orders' {where}")
    failed = redirected(tmp_path, f"show nonsense {where}")

    assert (told.returncode, failed.returncode) == (0, 1)
    assert "wireless headphones" in told.stdout


@pytest.mark.slow
def test_without_an_input_a_chat_is_over_at_once(tmp_path: Path) -> None:
    chat = redirected(tmp_path, "chat <&-")

    assert (chat.returncode, chat.stdout) == (0, "")
    assert "Traceback" not in chat.stderr


@pytest.mark.slow
def test_hostile_lines_end_nothing(tmp_path: Path) -> None:
    typed = "\0\x1b[2J\n" + "x" * 100_000 + "\nשלום 👩‍👩‍👧 \u202e\n" + REFUND + "\n"

    chat = nimbus(tmp_path, "chat", typed=typed)

    assert chat.returncode == 0
    assert "No, order 1043" in chat.stdout
    assert "Traceback" not in chat.stderr
    assert "\x1b" not in chat.stdout


@pytest.mark.slow
async def test_a_person_holds_the_example_conversation(tmp_path: Path) -> None:
    async with terminal(tmp_path, "chat") as chat:
        conversation = await conversation_of(chat)
        chat.type(f"{REFUND}\r")
        await chat.until("No, order 1043")
        await chat.until_asked()
        chat.type(f"{OTHER}\r")
        await chat.until("11 days are left")
        await chat.until_asked()
        chat.type("Yes please.\r")
        await chat.until("T-0001")
        await chat.until_asked()
        chat.type("\r\x04")
        await chat.until(f"chat --resume {conversation}")
        assert await chat.end() == 0


@pytest.mark.slow
async def test_ctrl_z_is_no_part_of_a_question(tmp_path: Path) -> None:
    """To be suspended takes a shell, which is not here: the kernel goes on at once."""
    async with terminal(tmp_path, "chat") as chat:
        await chat.until_asked()
        chat.type("sta\x1atus\r")
        await chat.until("unless something is said before")
        await chat.until_asked()
        chat.type("\x04")
        assert await chat.end() == 0


@pytest.mark.slow
async def test_a_killed_chat_goes_on_where_it_was(tmp_path: Path) -> None:
    async with terminal(tmp_path, "chat") as chat:
        conversation = await conversation_of(chat)
        chat.type(f"{REFUND}\r")
        await chat.until("No, order 1043")
        await chat.until_asked()
        chat.type(f"{OTHER}\r")
        await chat.until("11 days are left")
        await chat.until_asked()
        chat.kill()
        await chat.end()

    async with terminal(tmp_path, "chat", "--resume", conversation) as chat:
        await chat.until("2 turns so far")
        await chat.until_asked()
        chat.type("Yes please.\r")
        await chat.until("T-0001, a refund request for order 1042")
        await chat.until_asked()
        chat.type("exit\r")
        assert await chat.end() == 0


@pytest.mark.slow
async def test_ctrl_c_stops_the_answer_and_not_the_chat(tmp_path: Path) -> None:
    async with (
        serving(hesitant) as server,
        terminal(
            tmp_path, "chat", NIMBUS_MODEL="openai:slow", OPENAI_BASE_URL=server.base_url
        ) as chat,
    ):
        await chat.until_asked()
        chat.type("half a line\x03")
        await chat.until("Ctrl-D or exit ends the chat.")
        await chat.until_asked()
        chat.type("Please wait\r")
        await chat.until("It")
        chat.type("\x03")
        await chat.until(" is (stopped)")
        await chat.until_asked()
        chat.type("Hello?\r")
        await chat.until("Hello.")
        await chat.until_asked()
        chat.type("\x04")
        assert await chat.end() == 0


@pytest.mark.slow
@pytest.mark.parametrize("leave", ["\x03", "\x04", "exit\r"])
async def test_a_turn_of_a_dead_chat_is_waited_for(tmp_path: Path, leave: str) -> None:
    async with serving(hesitant) as server:
        slow = {"NIMBUS_MODEL": "openai:slow", "OPENAI_BASE_URL": server.base_url}
        async with terminal(tmp_path, "chat", **slow) as chat:
            conversation = await conversation_of(chat)
            chat.type("Please wait\r")
            await chat.until("It")
            chat.kill()
            await chat.end()

        async with terminal(tmp_path, "chat", "--resume", conversation, **slow) as chat:
            await chat.until("I take over in ")
            assert int(await chat.until(" seconds")) > 20
            chat.type("status\r")
            await chat.until("unless something is said before")
            chat.type(leave)
            await chat.until(f"chat --resume {conversation}")
            assert await chat.end() == 0
