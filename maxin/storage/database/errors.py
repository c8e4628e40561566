"""What can go wrong with a store, as errors that need no database library."""

from __future__ import annotations

from maxin.core import InvalidInput, MaxinError


class NoStore(InvalidInput):
    """There is no store at this address, and none was to be created."""


class StoreFailed(MaxinError, OSError):
    """The store could not be read or written; nothing that was acknowledged is lost."""


class StoreLost(StoreFailed):
    """The database server went away; it may come back."""
