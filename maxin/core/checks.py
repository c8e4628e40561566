"""Input checks: each returns its value or raises an error that names value, rule and place."""

from __future__ import annotations

import difflib
import inspect
import math
import operator
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any, TypeGuard

from maxin.core.errors import InvalidInput, UnknownName
from maxin.core.values import Match, Result

LARGEST_COST = 1e100  # sums of larger numbers could overflow
LARGEST_DATA = 1 << 20  # bytes of JSON that are kept with a result or a player
MOST_ASKED = 10_000  # matches that a tournament hands out at a time
LONGEST_LEASE = 366 * 86_400  # seconds, a year: a longer lease must be a mistake
CLOSE = 0.65  # least similarity of a name that an error suggests; 1 is identical
MOST_KNOWN = 50  # names that an error lists
LONGEST_NAME = 300  # characters of a player's name
ANCHOR = "one player and its rating in Elo points, {stockfish = 3500}"
CONFIDENCE = "a number from 0.5 to below 1"
MOST_GAMES = 1000  # per match
GAMES = f"1, or an even number up to {MOST_GAMES:,}: games are played in pairs"


def check_n_players(n_players: int) -> int:
    """Return `n_players`, or raise unless there are at least two players."""
    count = check_whole(n_players, "the number of players")
    if count < 2:
        raise InvalidInput(f"a tournament needs at least two players; got {count}")
    return count


def check_whole(value: int, what: str) -> int:
    """Return `value` as an int, or raise unless its type is an integer type."""
    try:
        return operator.index(value)
    except TypeError:
        raise InvalidInput(f"{what} must be a whole number; got {value!r}") from None


def check_n_matches(n_matches: int, most: float = math.inf) -> int:
    """Return `n_matches`, or raise unless it is a whole number of 0 or more, up to `most`."""
    count = check_whole(n_matches, "the number of matches")
    if not 0 <= count <= most:
        rule = "0 or more" if most == math.inf else f"from 0 to {most:,} at a time"
        raise InvalidInput(f"the number of matches must be {rule}; got {count:,}")
    return count


def check_positive(value: float, what: str) -> float:
    """Return `value` as a float, or raise unless it is positive and finite."""
    try:
        number = float(value)
    except (TypeError, ValueError):
        raise InvalidInput(f"{what} must be a number; got {value!r}") from None
    if not 0.0 < number < math.inf:
        raise InvalidInput(f"{what} must be positive and finite; got {value!r}")
    return number


def check_lease(lease: float) -> float:
    """Return `lease` as a float, or raise unless it is a positive time of at most a year."""
    seconds = check_positive(lease, "lease")
    if seconds > LONGEST_LEASE:
        raise InvalidInput(f"lease must be at most {LONGEST_LEASE:,} seconds; got {lease!r}")
    return seconds


def check_data_size(text: str, what: str, most: int = LARGEST_DATA) -> None:
    """Raise if the JSON `text` is too large to be kept.

    >>> check_data_size("[1]" * 400_000, "data")
    Traceback (most recent call last):
    maxin.core.errors.InvalidInput: data must have at most 1,048,576 bytes as JSON; got 1,200,000
    """
    if len(text) > most:  # JSON as we write it is ASCII: a character is a byte
        raise InvalidInput(f"{what} must have at most {most:,} bytes as JSON; got {len(text):,}")


def check_costs(data: Mapping[str, Any]) -> None:
    """Raise unless the costs in the data of a result are numbers of at least 0; None is no cost.

    >>> check_costs({"cost": 0.02}), check_costs({"cost": None})
    (None, None)
    >>> check_costs({"cost": "0.02"})
    Traceback (most recent call last):
    maxin.core.errors.InvalidInput: a cost must be a number of at least 0; got '0.02'
    """
    for cost in given_costs(data):
        if not is_cost(cost):
            rule = "at least 0" if not _is_number(cost) or cost < 0 else f"at most {LARGEST_COST:g}"
            raise InvalidInput(f"a cost must be a number of {rule}; got {cost!r:.200}")


def given_costs(data: Mapping[str, Any]) -> list[Any]:
    """Each `cost` in the data of a result and of its games, valid or not.

    >>> given_costs({"cost": 1, "games": [{"cost": "much"}, {}]})
    [1, 'much']
    """
    games = data.get("games")
    parts = [data, *(games if isinstance(games, list) else ())]
    found = [part.get("cost") for part in parts if isinstance(part, Mapping)]
    return [cost for cost in found if cost is not None]


def is_cost(value: object) -> bool:
    """Whether a match can cost so much: no cost can undo a budget.

    >>> is_cost(0.02), is_cost("0.02"), is_cost(-1)
    (True, False, False)
    """
    return _is_number(value) and 0.0 <= value <= LARGEST_COST


def _is_number(value: object) -> TypeGuard[float]:
    return isinstance(value, int | float) and not isinstance(value, bool)


def is_game_count(value: object) -> bool:
    """Whether a match can have so many games; `GAMES` describes it.

    >>> is_game_count(1), is_game_count(3), is_game_count(4)
    (True, False, True)
    """
    if not isinstance(value, int):
        return False
    return value == 1 or (value % 2 == 0 and 2 <= value <= MOST_GAMES)


def check_anchor(anchor: object) -> dict[str, float] | None:
    """Return the anchor as {name: rating}, None if it is empty; raise if it is invalid.

    >>> check_anchor({"stockfish": 3500})
    {'stockfish': 3500.0}
    """
    if not anchor and (anchor is None or isinstance(anchor, Mapping)):
        return None
    if not is_anchor(anchor):
        raise InvalidInput(f"anchor must be {ANCHOR}; got {anchor!r}")
    return {str(name): float(rating) for name, rating in dict(anchor).items()}  # type: ignore[call-overload]


def is_anchor(value: object) -> bool:
    """Whether `value` is one player with its rating; `ANCHOR` describes it.

    >>> is_anchor({"stockfish": 3500}), is_anchor({"a": 1, "b": 2})
    (True, False)
    """
    if not isinstance(value, Mapping) or len(value) != 1:
        return False
    ((name, rating),) = value.items()
    is_number = isinstance(rating, int | float) and not isinstance(rating, bool)
    return isinstance(name, str) and is_number and math.isfinite(rating)


def is_confidence(value: object) -> bool:
    """Whether `value` is a probability from one half to below one; `CONFIDENCE` describes it.

    >>> is_confidence(0.95), is_confidence(1.0)
    (True, False)
    """
    return isinstance(value, int | float) and 0.5 <= value < 1.0  # NumPy's float64 is a float


def check_confidence(confidence: float) -> float:
    """Return `confidence`, or raise unless it is valid; see `is_confidence`."""
    if not is_confidence(confidence):
        raise InvalidInput(f"confidence must be {CONFIDENCE}; got {confidence!r}")
    return confidence


def check_match(match: tuple[int, int], n_players: int) -> Match:
    """Return the match, or raise unless it names two existing players.

    >>> check_match((0, 1), n_players=2)
    Match(first=0, second=1)
    """
    if type(match) is Match:  # the form our own rooms pass, once per round
        first, second = match
        is_known = type(first) is type(second) is int
        if is_known and 0 <= first < n_players and 0 <= second < n_players:
            return match
    try:
        first, second = match
    except (TypeError, ValueError):
        raise InvalidInput(f"a match is two players; got {match!r}") from None
    pair = Match(check_whole(first, "a player"), check_whole(second, "a player"))
    for player in pair:
        if not 0 <= player < n_players:
            raise InvalidInput(
                f"players are numbered 0..{n_players - 1}; {tuple(pair)} names player {player}"
            )
    return pair


def check_result(result: tuple[tuple[int, int], float], n_players: int) -> Result:
    """Return the result, or raise an error that says what is wrong with it.

    >>> check_result(((0, 1), 0.5), n_players=2)
    Result(match=Match(first=0, second=1), score=0.5)
    """
    if type(result) is Result and type(result.match) is Match and type(result.score) is float:
        # The form our own rooms pass, once per round: nothing needs converting.
        (first, second), score = result
        is_known = type(first) is type(second) is int
        if is_known and 0 <= first < n_players and 0 <= second < n_players and 0.0 <= score <= 1.0:
            return result
    try:
        match, given = result
    except (TypeError, ValueError):
        raise InvalidInput(f"a result is a match and a score; got {result!r}") from None
    pair = check_match(match, n_players)
    return Result(pair, _check_score(given, pair))


def _check_score(score: float, match: Match) -> float:
    try:
        share = float(score)
    except (TypeError, ValueError):
        share = math.nan
    if not 0.0 <= share <= 1.0:
        raise InvalidInput(
            f"a score is the first player's share of the win, in [0, 1]; "
            f"match {tuple(match)} got {score!r}"
        )
    return share


def check_name(name: str, known: Iterable[str], kind: str) -> str:
    """Return `name`, or raise `UnknownName` suggesting the nearest of `known`."""
    names = sorted(known)
    if name in names:
        return name
    raise UnknownName(f"there is no {kind} named {name!r}; {_hint(name, names)}")


def _hint(name: str, names: Sequence[str]) -> str:
    """The nearest of the names, or all of them."""
    nearest = difflib.get_close_matches(name.lower(), names, n=1, cutoff=CLOSE)
    n_more = len(names) - MOST_KNOWN
    everything = f"known: {', '.join(names[:MOST_KNOWN])}" if names else "it has none"
    everything += f" and {n_more:,} more" * (n_more > 0)
    return f"did you mean {nearest[0]!r}?" if nearest else everything


def check_keywords(function: Callable[..., Any], given: Iterable[str], known: type) -> None:
    """Raise a `TypeError` unless all of `given` are keys of `known`, a `TypedDict`.

    The error suggests the nearest argument of `function`.

    >>> from maxin.core import Stop, StopTerms
    >>> check_keywords(Stop, ["budgt"], StopTerms)
    Traceback (most recent call last):
    TypeError: Stop() has no argument 'budgt'; did you mean 'budget'?
    """
    wrong = [name for name in given if name not in known.__annotations__]
    if wrong:
        own = inspect.signature(function).parameters.values()
        names = [one.name for one in own if one.kind is not one.VAR_KEYWORD and one.name != "self"]
        hint = _hint(wrong[0], sorted({*names, *known.__annotations__}))
        raise TypeError(f"{function.__qualname__}() has no argument {wrong[0]!r}; {hint}")


def check_player_name(name: str) -> str:
    """Return `name`, or raise unless it is a text that a table and a command line can hold.

    >>> check_player_name("Anna; the 'first'")
    "Anna; the 'first'"
    """
    if not isinstance(name, str) or not name.strip():
        raise InvalidInput(f"a player's name must be a text that is not blank; got {name!r}")
    if len(name) > LONGEST_NAME:
        raise InvalidInput(
            f"a player's name has at most {LONGEST_NAME} characters; "
            f"{name[:40]!r}... has {len(name)}"
        )
    if not name.isprintable():
        raise InvalidInput(f"a player's name must have no control characters; got {name!r}")
    return name
