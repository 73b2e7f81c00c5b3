"""Every sentence about notes."""

from __future__ import annotations

from bot import wording


def how_to_delete(notes: int) -> str:
    """Stands under the notes, which only their person sees."""
    if not notes:
        return "I have noted nothing about you."
    return (
        f"That is what I have noted about you: {wording.count(notes, 'note')}. Only you see them "
        "here. memory delete and a number deletes one, memory delete all deletes all."
    )


def more_notes(older: int) -> str:
    return f"… and {wording.count(older, 'older note')}: export has them all."


FORMS = (
    "memory shows what I have noted about you. Or: memory delete 3, memory delete all, memory off, "
    "memory on."
)
NOTES_ARE_ON = "memory off: I note nothing about you any more, and use no note."
NOTES_ARE_OFF = "You have switched notes off: none is made or used. memory on begins again."
NOTES_NOT_MADE = "Whoever runs me has switched notes off: none is made or used."
NOTES_SWITCHED_ON = (
    "From now on I note again what you say of yourself. What you said meanwhile I do not note."
)


def notes_switched_off(kept: int) -> str:
    """It deletes nothing by itself."""
    told = "I note nothing about you any more, and use no note. memory on begins again."
    if not kept:
        return told
    is_one = kept == 1
    return (
        f"{told} {wording.count(kept, 'note')} {'is' if is_one else 'are'} still kept; "
        f"memory delete all deletes {'it' if is_one else 'them'}."
    )


def no_such_note(number: int) -> str:
    return f"I have no note {number} about you. memory shows those that there are."


def note_deleted(number: int, text: str) -> str:
    return f"Note {number} is deleted: {text}. {_STAYS_SAID}"


def notes_deleted(notes: int) -> str:
    if not notes:
        return "I have noted nothing about you, so there was nothing to delete."
    return f"Deleted: {wording.count(notes, 'note')}. {_STAYS_SAID}"


_STAYS_SAID = "What you said stays in its conversation, until that is forgotten."


def said_in(surface: str) -> str:
    """Where a note was said, and so where it may be shown."""
    return _SAID_IN[surface.partition(":")[0]]


_SAID_IN = {
    "direct": "said to me alone",
    "channel": "said in a private channel",
    "workspace": "said in public",
}
