"""What can go wrong in storage, by who must act."""

from __future__ import annotations

from typing import Literal


class StorageError(Exception):
    """The database cannot be used; the text is one sentence that a person can act on."""


class DatabaseLockedError(StorageError):
    """Another program holds the database for longer than we wait."""


class DatabaseReadOnlyError(StorageError):
    """The file, its folder or the server refuses to be written to."""


class DatabaseFullError(StorageError):
    """The disk is full; what was not committed is not stored."""


class DatabaseCorruptError(StorageError):
    """The file is damaged or no database at all."""


class DatabaseGoneError(StorageError):
    """The file that is open stands no longer where the next program would look for it."""


class DatabaseTooNewError(StorageError):
    """A newer Nimbus has migrated this database; this one would damage it."""


class MigrationChangedError(StorageError):
    """A migration that was applied once reads differently now."""


class ConstraintError(Exception):
    """What was to be written contradicts what is stored: its parent is gone, its key is taken."""


class DamagedMessageError(Exception):
    """A stored message is no message: bytes were lost, or another program wrote them."""


class UnknownPartError(DamagedMessageError):
    """A newer Nimbus stored a kind of part that this one does not know."""


class UnknownConversationError(Exception):
    """There is no conversation with this id (any more)."""


class Superseded(Exception):  # noqa: N818 - an event in a turn's life, not somebody's mistake
    """Somebody else owns the turn now, or it is gone: the late writer writes nothing.

    `why` says which: `erased` (the row is gone, and our lease was not over: what was shown may be
    closed), `withdrawn` (the same, but its conversation is there), `deleted` (its question: the
    same, and then the turn goes), `taken` (another fence) or `late` (our own deadline is past):
    touch nothing.
    """

    def __init__(self, why: Literal["erased", "withdrawn", "deleted", "taken", "late"]) -> None:
        super().__init__(why)
        self.why = why


class SaidBeforeForgetError(Exception):
    """The message was said before its place or its author was forgotten, or so long ago that this
    may be so: it is never taken."""


class NotForUsError(Exception):
    """The message is not said to us, and its place is none where we listen: nothing is stored."""


class NothingWaitsError(Exception):
    """There is no turn to begin: nothing waits, or somebody else has begun it."""
