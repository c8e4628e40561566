"""Checks of a reported result."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from maxin.core import InvalidInput, Match, check_result, check_whole
from maxin.core.checks import check_costs, check_data_size
from maxin.runners import Outcome
from maxin.storage.records import ROUNDING, with_judge
from maxin.worker.source import RefusedResults, Tell, Ticket

LARGEST_SENT = 1 << 18  # bytes of what a result has besides its score, over the network


def checked_outcome(
    number: int,
    score: float,
    games: Sequence[float] | None,
    errors: Sequence[str],
    data: Mapping[str, Any] | None,
    judge: str | None = None,
) -> Outcome:
    """The outcome of match `number`, or an error that names what is wrong with it.

    >>> checked_outcome(1, 0.75, [1.0, 0.5], ["slow"], None).games
    (1.0, 0.5)
    """
    share = _score(number, score)
    shares = _games(number, share, games)
    kept = check_data(with_judge(data, judge), "data") or {}
    check_costs(kept)
    return Outcome(share, _texts(errors), kept, shares)


def check_sent(outcome: Outcome) -> Outcome:
    """Return an outcome, or raise if it is larger than what a service takes.

    >>> check_sent(Outcome(1.0, data={"answers": ["x" * 300_000, ""]}))
    Traceback (most recent call last):
    maxin.core.errors.InvalidInput: data, errors and games of a result must have at most 262,144 ...
    """
    text = json.dumps([dict(outcome.data), outcome.errors, outcome.games])
    check_data_size(text, "data, errors and games of a result", LARGEST_SENT)
    return outcome


def checked_results(
    results: Iterable[tuple[Ticket | int, float | Outcome]],
) -> list[Tell | InvalidInput]:
    """Each result, or why it is invalid."""

    def checked(match: Ticket | int, score: float | Outcome) -> Tell | InvalidInput:
        try:
            number, fence = number_of(match)
            share, errors, data, games = score if isinstance(score, Outcome) else Outcome(score)
            return Tell(number, checked_outcome(number, share, games, errors, data), fence)
        except InvalidInput as error:
            return error

    return [checked(match, score) for match, score in results]


def number_of(match: Ticket | int) -> tuple[int, str]:
    """The number of a match, and the fence of its ticket; empty if there is none."""
    if isinstance(match, Ticket):
        return match.id, match.fence
    return check_whole(match, "a match's number"), ""


def recorded(answers: Sequence[bool | Exception]) -> list[bool]:
    """Whether each result was new; raises `RefusedResults` if some were refused.

    An error that is not about a result is raised as it is.
    """
    for answer in answers:
        if isinstance(answer, Exception) and not isinstance(answer, InvalidInput):
            raise answer
    new = [answer for answer in answers if isinstance(answer, bool)]
    if len(new) < len(answers):
        raise RefusedResults(answers)
    return new


def _score(number: int, score: float) -> float:
    try:
        return check_result((Match(0, 1), score), 2).score + 0.0  # no -0.0
    except InvalidInput:
        raise InvalidInput(
            f"a score must be the first player's share of the win, in [0, 1]; "
            f"match {number} got {score!r}"
        ) from None


def _games(number: int, score: float, games: Sequence[float] | None) -> tuple[float, ...] | None:
    if games is None:
        return None
    if not isinstance(games, list | tuple) or not games:
        raise InvalidInput(f"games must be a list of the first player's scores; got {games!r}")
    shares = tuple(_score(number, game) for game in games)
    if abs(score - sum(shares) / len(shares)) > ROUNDING:
        raise InvalidInput(
            f"the score of a match must be the mean of its games; {score:g} is not the mean of "
            f"{', '.join(f'{share:g}' for share in shares)}"
        )
    return shares


def _texts(errors: Sequence[str]) -> tuple[str, ...]:
    if isinstance(errors, str) or not all(isinstance(error, str) for error in errors):
        raise InvalidInput(f"errors must be a list of texts; got {errors!r}")
    return tuple(errors)


def checked_reason(reason: str) -> str:
    """Why a result is taken back, or an error unless that is a text in one line."""
    if not isinstance(reason, str) or not reason.strip() or not reason.isprintable():
        raise InvalidInput(f"a reason must be a text in one line that is not blank; got {reason!r}")
    check_data_size(reason, "a reason")
    return reason


def check_data(data: Any, what: str) -> Mapping[str, Any] | None:
    """Return `data`, or raise unless it is None or a mapping that JSON can hold."""
    if data is None:
        return None
    try:
        text = json.dumps(dict(data), allow_nan=False)
    except (TypeError, ValueError) as error:
        raise InvalidInput(f"{what} must be what a JSON object can hold: {error}") from None
    check_data_size(text, what)
    found: Mapping[str, Any] = json.loads(text)
    return found
