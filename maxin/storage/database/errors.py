"""What can go wrong with a store, as errors that need no database library."""

from __future__ import annotations

from maxin.core import InvalidInput, MaxinError


class NoStore(InvalidInput):
    """There is no store at this address, and it was not to be created."""


class StoreFailed(MaxinError, OSError):
    """The store could not be read or written; nothing that was acknowledged is lost.

    Args:
        message: what failed, with the address of the store.
        reason: why, without the address: anybody may know it.
    """

    def __init__(self, message: str, *, reason: str = "") -> None:
        super().__init__(message)
        self.reason = reason


class StoreLost(StoreFailed):
    """The database server went away; it may come back."""

    pause = 0.0  # seconds that it asks to wait
    was_reached = True  # nobody waits for a server that was never there
