"""What `help` says; it depends on the settings and on the platform."""

from __future__ import annotations

from collections.abc import Sequence

from bot import wording
from bot.rules import Rules


def help_text(rules: Rules, tools: Sequence[str], retention_days: int, platform: str) -> str:
    """What Nimbus can do, its commands, and how long it keeps what is said."""
    able = f" I can use: {', '.join(tools)}." if tools else ""
    alone = platform == "terminal"
    observed = _OBSERVED if rules.observe and not alone else ""
    return f"""\
I am {rules.name}. I answer questions and remember what was said in this conversation.{able}
{_typed(rules.name, platform)}
  forget   {_FORGET if alone else _FORGET_IN_CHANNEL}
  forget me  {_FORGET_ME_HERE if alone else _FORGET_ME}
  new      start afresh; what was said before is kept
{_KEYS_OF_TERMINAL if alone else _KEYS}
{_EXPORT_IN_TERMINAL if alone else _EXPORT}
  memory   what I have noted about you, to delete it or to switch it off; only you see it
  status   model, size, and when this conversation is deleted
  help     this
{_END_OF_TERMINAL if alone else ""}
What you say here is kept for {wording.days(retention_days)} after the last message, then \
deleted.{observed}{"" if alone else _NOT_READ_BACK}"""


def _typed(name: str, platform: str) -> str:
    """How a command is typed, in a paragraph of its own."""
    how = _TYPED.get(platform)
    return f"\n{how.format(name=name)}\n" if how else ""


_TYPED = {
    "slack": "Type /nimbus and one of these words; in a thread @{name} and the word, no more.",
    "discord": "Type /nimbus and one of these words (forget-me), or @{name} and the word, no more.",
}
_FORGET = "wipe all that was said here, at once and for good"
_FORGET_IN_CHANNEL = (
    f"{_FORGET}, where you began it; else what you said and asked. /nimbus forget at the top of a "
    "channel: all that you began in it, threads too, and your part in what others began; I ask "
    "first where more than one conversation goes"
)
_NOT_READ_BACK = " I never read back here what is older, or was said before a forget."
_FORGET_ME = (
    "wipe all that I keep about you, wherever you said it: your conversations whole, and your part "
    "in those of others"
)
_FORGET_ME_HERE = "wipe all that you said in this terminal's chats"
_KEYS_OF_TERMINAL = "  Ctrl-C   end the answer that is being written"
_END_OF_TERMINAL = "  exit     end the chat; Ctrl-D does so, too\n"
_KEYS = """\
  stop     end the answer that is being written
  mute     in a thread: answer only when I am mentioned, and keep nothing else
  unmute   end that"""
_EXPORT = "  export   all that I keep of you, as files, only to you"
_EXPORT_IN_TERMINAL = "  export   how to print conversations as JSON"
_OBSERVED = (
    " In a thread where I was asked I also keep, for the next answer, the newest of what is not "
    "said to me."
)


def unmuted(rules: Rules) -> str:
    """What is true of a thread that is no longer muted."""
    if rules.follow_up != "mention":
        return wording.UNMUTED
    return wording.UNMUTED_TO_KEEP if rules.observe else wording.UNMUTED_FOR_MENTIONS
