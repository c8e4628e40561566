"""Read scores: all runners accept the same numbers, strings and JSON."""

from __future__ import annotations

import json
import math
import numbers
import re
from collections.abc import Mapping, Sequence
from typing import Any

from maxin.core import InvalidInput
from maxin.core.checks import check_costs, check_data_size
from maxin.runners.base import NOTHING, MatchFailed, Outcome

NUMBER = re.compile(r"[+-]?(\d+\.?\d*|\.\d+)([eE][+-]?\d+)?", re.ASCII)
LONGEST = 200  # characters of foreign text quoted in one of our messages
SEATS = ("first", "second")


def read_text(line: str) -> Outcome:
    """The outcome on a line: `1`, `0.5`, `0`, or a JSON object that `read_value` accepts.

    >>> read_text("0.5").score
    0.5
    >>> read_text('{"ranks": [2, 1], "errors": [0, 1]}')
    Outcome(score=0.0, errors=('second: error',), data=mappingproxy({}), games=None)
    """
    words = line.strip()
    if NUMBER.fullmatch(words):
        return read_value(float(words))
    if words.startswith("{"):
        return read_value(_parsed(words))
    raise MatchFailed(f"the last line must be a score: 1, 0.5, 0 or JSON; got {shown(words)}")


def read_value(value: object) -> Outcome:
    """The outcome of a number in [0, 1], of True or False, or of a mapping in one of two forms.

    Our own form is `{"score": 0.5, "errors": ["..."], "data": {...}}`. psyleague's form has
    `ranks`, where the lower rank wins and equal ranks are a draw, and `errors`, with one entry per
    player: 0, or what went wrong.

    >>> read_value({"score": 1, "data": {"moves": 40}})
    Outcome(score=1.0, errors=(), data={'moves': 40}, games=None)
    """
    if not isinstance(value, Mapping):
        return Outcome(_score(value))
    if "score" in value:
        data = _data(value.get("data"))
        return Outcome(_score(value["score"]), _errors(value.get("errors")), data)
    if "ranks" in value:
        return _psyleague(value)
    raise MatchFailed(f"a result must have the key 'score' or 'ranks'; got {shown(value)}")


def shown(value: object) -> str:
    r"""`value` in one line of limited length.

    >>> shown("0.5\nor so")
    "'0.5\\nor so'"
    """
    text = repr(value)
    return text if len(text) <= LONGEST else f"{text[:LONGEST]}..."


def _parsed(words: str) -> object:
    try:
        return json.loads(words)
    except (ValueError, RecursionError) as error:
        raise MatchFailed(f"the last line is not valid JSON, {error}: {shown(words)}") from None


def _score(value: object) -> float:
    """A share of the win; True is a win and False a loss, also as NumPy or PyTorch have them."""
    if getattr(value, "shape", None) == ():
        value = value.item()  # type: ignore[attr-defined]
    score = float(value) if isinstance(value, bool) else _number(value)
    if not 0.0 <= score <= 1.0:
        raise MatchFailed(
            f"a score is the first player's share of the win, in [0, 1]; got {shown(value)}"
        )
    return score + 0.0  # no -0.0


def _number(value: object) -> float:
    """`value` as a float; NaN if it is not a number, or is True or False."""
    if isinstance(value, bool) or not isinstance(value, numbers.Real):
        return math.nan
    try:
        return float(value)
    except OverflowError:
        return math.nan


def _errors(value: object) -> tuple[str, ...]:
    if value is None or isinstance(value, str):
        return (value,) if value else ()
    if not isinstance(value, Sequence):
        raise MatchFailed(f"errors must be a list of strings; got {shown(value)}")
    return tuple(str(error) for error in value)


def _data(value: object) -> Mapping[str, Any]:
    """Data after a round trip through JSON, as a store keeps it."""
    if not value:
        return NOTHING
    try:
        text = json.dumps(value, allow_nan=False)
        check_data_size(text, "data")
        kept = json.loads(text)
        if not isinstance(kept, dict):
            raise MatchFailed(f"data must be a JSON object; got {shown(value)}")
        check_costs(kept)
    except InvalidInput as error:
        raise MatchFailed(str(error)) from None
    except (TypeError, ValueError, RecursionError) as error:
        raise MatchFailed(f"data must be JSON serializable: {error}") from None
    return kept


def _psyleague(value: Mapping[str, Any]) -> Outcome:
    ranks, errors = value["ranks"], value.get("errors") or (0, 0)
    for what, pair in (("ranks", ranks), ("errors", errors)):
        if not isinstance(pair, Sequence) or isinstance(pair, str) or len(pair) != 2:
            raise MatchFailed(f"{what} must have two entries, one per player; got {shown(pair)}")
    words = [error if isinstance(error, str) else "error" for error in errors]
    named = zip(SEATS, words, errors, strict=True)
    wrong = tuple(f"{seat}: {word}" for seat, word, error in named if error)
    data = {key: value[key] for key in ("test_data", "player_data") if value.get(key)}
    return Outcome(_score_of_ranks(ranks), wrong, _data(data))


def _score_of_ranks(ranks: Sequence[object]) -> float:
    first, second = map(_number, ranks)
    if math.isnan(first + second):
        raise MatchFailed(f"ranks must be numbers, where the lower rank wins; got {shown(ranks)}")
    return 0.5 if first == second else float(first < second)
