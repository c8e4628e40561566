"""Errors of a service that is away, or that refuses a caller."""

from __future__ import annotations

from maxin.core import MaxinError
from maxin.storage import StoreLost


class ServiceLost(StoreLost):
    """The service gave no answer, or asked to come back later; it may be well again soon.

    Args:
        message: what happened, and at which URL.
        pause: seconds that the service asks to wait.
        was_reached: whether there was a connection; not if it was refused.
    """

    def __init__(self, message: str, *, pause: float = 0.0, was_reached: bool = True) -> None:
        super().__init__(message)
        self.pause, self.was_reached = pause, was_reached


class AccessDenied(MaxinError):
    """The service wants a token, or one of another role; the message says how to get it."""
