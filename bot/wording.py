"""Every sentence that Nimbus says itself."""

from __future__ import annotations

import re
from typing import Literal

Outcome = Literal[
    "answered",
    "api_error",
    "step_limit",
    "time_limit",
    "stopped",
    "refused",
    "limited",
    "empty",
    "interrupted",
    "expired",
]

WORKING = "is thinking…"  # stands after the name
THREAD = "A question"  # the name of a thread whose question has no words
FORGOTTEN = "This conversation was forgotten."
QUESTION_FORGOTTEN = "This question was forgotten."
DELETED = "The question was deleted."
STOPPED_MARK = "(stopped)"
CUT_MARK = "(My answer became too long and ends here.)"


def ending(outcome: Outcome, turn: str, kind: str = "failed") -> str:
    """What is said instead of an answer; `turn` is the turn's id, whose first 6 are the reference.

    `kind` is a `ModelError.kind` and refines `api_error`; or it says which limit, for `limited`.
    """
    sentences = {"api_error": _API_ERRORS, "limited": LIMITED}.get(outcome, {})
    sentence = sentences.get(kind) or _ENDINGS[outcome]
    return f"{sentence} (reference {turn[:6]})"


_ENDINGS: dict[str, str] = {
    "answered": "I have nothing to add.",
    "step_limit": "I could not finish this in the number of steps that I may take.",
    "time_limit": "This took longer than I may take, so I stopped.",
    "stopped": "Stopped.",
    "refused": "I cannot help with that.",
    "limited": "I may not answer more right now.",
    "empty": "I found no answer. Please say it in other words.",
    "interrupted": "I was interrupted while I worked on this. Please ask again.",
    "expired": "This waited too long for an answer. Please ask again if it still matters.",
}

_API_ERRORS: dict[str, str] = {
    "failed": "The language model failed, so I have no answer. Please try again.",
    "busy": "The language model is busy right now. Please try again in a minute.",
    "too_long": "This conversation became too long for the language model. Begin a new one.",
    "blocked": "The language model's provider blocked this question.",
    "account": "The language model's account needs attention from whoever runs me.",
}

LIMITED = {
    "pace": (
        "You write faster than I may answer. What comes too fast is not kept: please say it again "
        "in a minute."
    ),
    "person": (
        "You have used up what I may do for you in a day. I answer again after midnight UTC; until "
        "then I stay silent."
    ),
    "total": (
        "What I may do in a day, for everybody together, is used up. I answer again after midnight "
        "UTC; until then I stay silent."
    ),
}


def status_text(
    *,
    model: str,
    turns: int,
    characters: int,
    budget: int,
    deleted_on: str,
    conversation: str,
    left: str,
    cached: int | None,
) -> str:
    """`cached` is in percent; None: nobody has counted."""
    share = "" if cached is None else f", {cached} % of what was sent last was cached"
    return f"""\
Conversation {conversation}
Model        {model}
Turns        {turns}
Context      {characters:,} of {budget:,} characters{share}
Deleted      {deleted_on}, unless something is said before
{left}"""


def left_today(tokens: int | None) -> str:
    """What a person may still use; None: as much as they like."""
    left = "no limit" if tokens is None else f"{count(tokens, 'token')}, until midnight UTC"
    return f"Left today   {left}"


ELSEWHERE = "(answered in another window)"
TAKING_UP = "I answer what you asked before."
OFFLINE_WITHOUT_TOOLS = (
    "No language model is set, and no tools are loaded, so there is little that I can answer. "
    "NIMBUS_MODEL names a model."
)
OFFLINE = """\
No language model is set, so I understand only a support desk's questions, such as:
  Can I get a refund for order #1043?"""


def still_answering(seconds: int) -> str:
    return (
        "Your last question is still being answered elsewhere. I wait for that; if that program "
        f"has ended, I take over in {count(seconds + 1, 'second')}. Ctrl-C leaves."
    )


def greeting(name: str, model: str, conversation: str, turns: int, *, has_tools: bool) -> str:
    """What a chat begins with."""
    alone = OFFLINE if has_tools else OFFLINE_WITHOUT_TOOLS
    offline = f"{alone}\n" if model == "offline" else ""
    so_far = f", {count(turns, 'turn')} so far" if turns else ""
    return (
        f"{name} · {model}\n{offline}"
        f"Conversation {conversation}{so_far}. help lists the commands, Ctrl-D ends."
    )


def how_to_resume(program: str, conversation: str) -> str:
    return f"To go on with this conversation: {program} chat --resume {conversation}"


def no_platform(program: str) -> str:
    return (
        "There is no chat platform to listen on. For Slack set SLACK_BOT_TOKEN and "
        "SLACK_APP_TOKEN (README, Slack), for Discord DISCORD_TOKEN (README, Discord); or talk in "
        f"the terminal with: {program} chat"
    )


MUTED = "I answer here only when I am mentioned, and keep nothing else. unmute ends that."
UNMUTED = "I listen here again."
UNMUTED_FOR_MENTIONS = "I answer here when I am mentioned, as everywhere."
UNMUTED_TO_KEEP = (
    f"{UNMUTED_FOR_MENTIONS} I keep the newest of what else is said here for my next answer again."
)
ALWAYS_ANSWERED = "Here I always answer, since nobody else is here."
MAY_NOT_FORGET = (
    "Only who began this conversation, or an administrator, can make me forget it. Of you nothing "
    "was kept here, and I will not read here what you said before now."
)
IN_CHANNEL = (
    "What you began or said elsewhere in this channel goes with /nimbus forget, outside of threads."
)
FORGETTING = "I am at it. This takes a few seconds."
REFUSED = "I may not answer you here. Please ask whoever runs me."
TOO_MANY = "Too much waits for an answer here already. Please say this again a little later."
HIDDEN = (
    "I was not let read your message here. Mention me or reply to me when you write to me; "
    "whoever runs me can change that."
)
EXPORTED = (
    "This is what I keep of you, from all places: your conversations as a whole where nobody else "
    "took part, elsewhere your messages and what I answered to them. Nobody else gets this."
)
EXPORT_SENT = "I sent you a direct message with what I keep of you."
EXPORT_NOT_SENT = (
    "I could not send you what I keep of you. Do you take direct messages from me? If you do, "
    "please ask whoever runs me."
)
TOLD_ALONE = "I answered that in a direct message."
NOT_TOLD_ALONE = (
    "I could not send you a direct message, and nobody else may read this. Type /nimbus memory."
)
EXPORT_IN_TERMINAL = (
    "Everything is in your own file: list names the conversations, export ID prints one as JSON."
)
NOTHING_KEPT = "I keep nothing of you."
UNREADABLE = "[This message was changed, and I was not let read its new words.]"
NO_PLATFORM_LEFT = "No chat platform is left to listen on."
NO_CONVERSATION = "Nothing is remembered here."
NEW = (
    "This is a new conversation. What was said here before is kept; forget wipes all of it, "
    "old and new."
)
STOPPING = "I stop."


def nothing_to_stop(platform: str) -> str:
    """In a terminal nothing is read while an answer is written, so `stop` always comes too late."""
    how = " Ctrl-C stops an answer while it is written." if platform == "terminal" else ""
    return f"Nothing is running that could be stopped.{how}"


STOP = "Stop"
CONFIRM = "Forget"
CANCEL = "Keep"
KEPT = "Nothing was changed."
NOT_DONE = "I could not do that: my memory cannot be reached. Please try again later."
ASKED_ALREADY = "This was answered before."


def only_in_threads(name: str, word: str) -> str:
    """A slash command that means one thread, where slash commands cannot be typed."""
    return (
        f"Which conversation? Slash commands do not work in threads. Say it in the thread, as a "
        f"message that is nothing else: @{name} {word}"
    )


def in_its_thread(name: str, word: str) -> str:
    """The same, where they can be typed in threads."""
    return (
        f"Which conversation? Say /nimbus {word} in its thread; where I answered without a thread, "
        f"reply to my answer: @{name} {word}"
    )


def welcome(name: str) -> str:
    """Said once in a person's direct messages."""
    return (
        f"Hello, I am {name}. Ask me anything here, or mention me in a channel: I answer in a "
        "thread and remember what was said in it. /nimbus help says what I can do and how long I "
        "keep what you say, /nimbus forget wipes it."
    )


def invited(name: str) -> str:
    """Said to whoever brought Nimbus into a channel."""
    return (
        f"Thanks for the invitation. Mention @{name} and I answer in a thread; in threads where I "
        "take part I also read what follows. /nimbus help says more."
    )


def unknown_command(word: str) -> str:
    if not _PLAIN_WORDS.fullmatch(word):  # somebody pasted what nobody should read again
        return "There is no such command. help shows what there is."
    return f"There is no command {word}. help shows what there is."


_PLAIN_WORDS = re.compile(r"[a-z ]{1,30}")


def days(number: int) -> str:
    return count(number, "day")


def count(number: int, noun: str) -> str:
    return f"{number:,} {noun}" if number == 1 else f"{number:,} {noun}s"


def left_out(characters: int) -> str:
    """Stands at the end of a question that was too long."""
    return f"[The rest of this message, {characters:,} characters, was left out.]"
