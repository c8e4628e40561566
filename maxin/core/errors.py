"""Errors that the caller can fix."""

from __future__ import annotations


class MaxinError(Exception):
    """Something the caller can fix; the message says what is wrong, where, and what to do."""


class InvalidInput(MaxinError, ValueError):
    """A value breaks a rule; the message names the value, the rule and the place."""


class UnknownName(InvalidInput):
    """A name that does not exist; the message suggests the nearest one that does."""


class MissingExtra(MaxinError, ImportError):
    """An optional library is not installed; the message says how to install it."""
