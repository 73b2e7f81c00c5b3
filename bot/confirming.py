"""What is said before and after a forget: what goes, what stays, from when on nothing is read."""

from __future__ import annotations

from bot import wording

_STAYS = {"terminal": "What your terminal still shows stays there; clear it yourself."}
_STAYS_ELSEWHERE = "The messages on the platform stay; delete them there."


def forgotten(
    gone: str,
    platform: str,
    *,
    has_parts: bool = False,
    is_done: bool = True,
    is_everything: bool = False,
) -> str:
    """Confirms a forget: what is `gone`, what is not, and from when on nothing is read."""
    stays = _STAYS.get(platform, _STAYS_ELSEWHERE)
    if not gone and is_done:
        return f"There was nothing to forget. {stays}"
    told = (f"Forgotten: {gone}." if gone else "I am looking.") + ("" if is_done else _GOES_ON)
    others = _OTHERS_WORDS if has_parts else ""
    where = "anywhere" if is_everything else "here"
    whose = "what you said" if is_everything or has_parts else "what was said"
    return (
        f"{told} {stays}{others} Support tickets stay in the shop. "
        f"I will not read {where} {whose} before now."
    )


_OTHERS_WORDS = " What others wrote in their own words stays."
_GOES_ON = " I go on until I find nothing more, also when I am restarted."


def gone(conversations: int, parts: int, turns: int, messages: int) -> str:
    """What a forget takes away; empty where that is nothing."""
    if not messages:
        return ""
    wholes = [wording.count(conversations, "conversation")] if conversations else []
    mine = [f"your part in {wording.count(parts, 'conversation')} of others"] if parts else []
    where = " and ".join(wholes + mine)
    return ", ".join((where, wording.count(turns, "turn"), wording.count(messages, "message")))


def sure_to_forget(gone: str, *, is_everything: bool = False) -> str:
    """Asks before much goes."""
    where = " That is all that I keep about you, wherever you said it." if is_everything else ""
    return f"This would make me forget {gone or 'nothing yet'}, at once and for good.{where}"
