"""The errors that a user can put right."""

from __future__ import annotations


class MaxinError(Exception):
    """Something the caller can put right; the message says what, where and how."""


class InvalidInput(MaxinError, ValueError):
    """A value breaks a rule; the message names the value, the rule and the place."""


class UnknownName(InvalidInput):
    """A name that is not in the list; the message offers the nearest one that is."""


class MissingExtra(MaxinError, ImportError):
    """An optional library is not installed; the message names the extra that brings it."""
