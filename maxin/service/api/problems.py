"""Problems: what went wrong, as RFC 9457 has it."""

from __future__ import annotations

from http import HTTPStatus

import msgspec
from starlette.exceptions import HTTPException

from maxin.core import InvalidInput, UnknownName
from maxin.service.access.refusal import Refusal
from maxin.service.api.answers import Answer
from maxin.service.arena.pairs import NoItems, PairGone, UnknownPair, VoteConflict
from maxin.service.group_writer import Over
from maxin.storage import StoreFailed
from maxin.worker.source import OtherHistory, ScoreConflict, UnknownMatch

MEDIA = "application/problem+json"
RETRY_AFTER = 2  # seconds, if the store is away
STATUSES: tuple[tuple[type[Exception], int], ...] = (  # the first that fits
    (ScoreConflict, 409),
    (OtherHistory, 409),
    (UnknownMatch, 404),
    (UnknownName, 404),
    (UnknownPair, 404),
    (PairGone, 410),
    (VoteConflict, 409),
    (NoItems, 409),
    (InvalidInput, 422),
    (Over, 410),
)


class Problem(msgspec.Struct):
    """The body of an error: `detail` names the value, the rule and the place."""

    title: str
    status: int
    detail: str
    type: str = "about:blank"
    reason: str | None = None  # how a tournament that is over has ended, or other-history


def problem(refused: Refusal) -> Answer:
    """The answer to a request that is refused."""
    phrase = HTTPStatus(refused.status).phrase
    body = Problem(phrase, refused.status, refused.detail, reason=refused.reason)
    return Answer(refused.status, body, refused.headers, MEDIA)


def refusal_of(error: Exception) -> Refusal | None:
    """What an error means to a client; None if it is a mistake of ours.

    >>> refusal_of(InvalidInput("a score must be in [0, 1]; got 2")).status
    422
    """
    if isinstance(error, Refusal):
        return error
    if isinstance(error, TimeoutError | StoreFailed):
        # The message of a store names its server, which is not for everybody.
        reason = error.reason if isinstance(error, StoreFailed) else ""
        trouble = f"fails: {reason}" if reason else "cannot be reached at the moment"
        detail = f"the store {trouble}; send the request again"
        return Refusal(503, detail, retry_after=RETRY_AFTER)
    if isinstance(error, HTTPException):
        return Refusal(error.status_code, error.detail)
    if isinstance(error, msgspec.DecodeError):
        return Refusal(400, f"the body must be JSON: {error}")
    for kind, status in STATUSES:
        if isinstance(error, kind):
            return Refusal(status, str(error), reason=getattr(error, "kind", None))
    return None
