"""Payoff tables: what they hold, checks (square, finite, fair to both seats), and pools."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from maxin.core import InvalidInput, check_name

Table = NDArray[np.float64]

TOLERANCE = 1e-6  # the unfairness that storing a fair table in single precision can cause
ROUNDED = 0.0101  # how far two win probabilities of two digits may be from adding up to 1
ENTRIES = ("payoffs", "probabilities")


def fair_payoffs(payoffs: ArrayLike, place: str) -> Table:
    """A new table with M + M' = 0 exactly, or an error that names the worst pair of entries.

    `place` tells readers of an error where the table comes from.

    >>> fair_payoffs([[0, 0.2], [-0.2, 0]], "example")
    array([[ 0. ,  0.2],
           [-0.2,  0. ]])
    """
    table = valid_payoffs(payoffs, place)
    gaps = np.abs(table + table.T)
    i, j = _index_of(gaps == gaps.max())
    if gaps[i, j] > TOLERANCE:
        raise InvalidInput(
            f"{place}: what one player wins the other must lose; entry ({i}, {j}) is "
            f"{table[i, j]:g} and entry ({j}, {i}) is {table[j, i]:g}; "
            f"load with average_seats to use (M - M') / 2"
            + ("; win probabilities P have the payoffs 2 P - 1" if _are_shares(table) else "")
        )
    return _antisymmetric_part(table)


def payoffs_in(
    entries: ArrayLike, place: str, kind: str | None = None, *, average_seats: bool = False
) -> Table:
    """The fair payoffs of a table of payoffs, or of win probabilities P, which are 2 P - 1.

    Entries that add up to 1 over the diagonal are probabilities, and those that add up to 0 are
    payoffs. Entries from 0 to 1 that do neither may be both, and are refused unless `kind` says
    what they are. The diagonal may be empty, and that of probabilities means nothing.

    >>> payoffs_in([[0.5, 0.8], [0.2, 0.5]], "example")
    array([[ 0. ,  0.6],
           [-0.6,  0. ]])
    """
    table = _square(_numbers(entries, place), place)
    diagonal = np.diagonal(table)
    np.fill_diagonal(table, np.where(np.isnan(diagonal), 0.0, diagonal))
    found = _kind(table, place) if kind is None else check_name(kind, ENTRIES, "kind of entries")
    if found == "payoffs":
        return seat_average(table, place) if average_seats else fair_payoffs(table, place)
    np.fill_diagonal(table, 0.5)
    _check_entries(table, (table >= 0.0) & (table <= 1.0), "probabilities, in [0, 1]", place)
    if not (average_seats or _adds_up(table)):
        i, j = _worst(table + table.T - 1.0)
        raise InvalidInput(
            f"{place}: win probabilities of two players must add up to 1; entry ({i}, {j}) is "
            f"{table[i, j]:g} and entry ({j}, {i}) is {table[j, i]:g}; load with average_seats to "
            "use (P + 1 - P') / 2"
        )
    return _antisymmetric_part(2.0 * table)


def _kind(table: Table, place: str) -> str:
    """What the entries are; raise if that depends on how they are read."""
    if not _are_shares(table) or not table[_apart(table)].any():
        return "payoffs"
    if _adds_up(table):
        return "probabilities"
    i, j = _worst(table - table.T)
    share, back = table[i, j], table[j, i]
    raise InvalidInput(
        f"{place}: entries from 0 to 1 that do not add up to 1 over the diagonal may be win "
        f"probabilities or payoffs of unequal seats. Entry ({i}, {j}) is {share:g} and entry "
        f"({j}, {i}) is {back:g}: read as probabilities, player {i} beats player {j} in "
        f"{50.0 * (share + 1.0 - back):.1f} % of matches, and read as payoffs in "
        f"{25.0 * (2.0 + share - back):.1f} %. Load with average_seats=True and entries="
        "'probabilities' or 'payoffs'; on the command line, "
        "FILE:average_seats=1,entries=probabilities"
    )


def _are_shares(table: Table) -> bool:
    """Whether all entries beside the diagonal are from 0 to 1."""
    apart = table[_apart(table)]
    return bool(((apart >= 0.0) & (apart <= 1.0)).all())


def _adds_up(table: Table) -> bool:
    """Whether opposite entries add up to 1, as far as rounding to two digits lets them."""
    return bool((np.abs(table + table.T - 1.0)[_apart(table)] <= ROUNDED).all())


def _apart(table: Table) -> NDArray[np.bool_]:
    """The entries beside the diagonal."""
    return ~np.eye(len(table), dtype=np.bool_)


def _worst(gaps: Table) -> tuple[int, int]:
    """The entry beside the diagonal that is furthest from 0."""
    apart = np.where(_apart(gaps), np.abs(gaps), -1.0)
    return _index_of(apart == apart.max())


def seat_average(payoffs: ArrayLike, place: str) -> Table:
    """The fair part (M - M') / 2 of a table in which the row's seat is better, or worse.

    >>> seat_average([[0.1, 0.5], [-0.1, 0.1]], "example")
    array([[ 0. ,  0.3],
           [-0.3,  0. ]])
    """
    return _antisymmetric_part(valid_payoffs(payoffs, place))


def valid_payoffs(payoffs: ArrayLike, place: str) -> Table:
    """The payoffs as a square table of numbers in [-1, 1], or an error that names a bad entry."""
    table = _square(_numbers(payoffs, place), place)
    _check_entries(table, np.isfinite(table), "finite", place)
    _check_entries(table, np.abs(table) <= 1.0, "in [-1, 1]", place)
    return table


def from_pool(payoffs: Table, n_players: int, rng: np.random.Generator) -> Table:
    """Some players of a pool, evenly spaced by mean payoff, with the pool's largest payoff as 1.

    Of N players sorted by mean payoff, the worst first, take numbers floor(k N / n) for k = 0, 1,
    ..., n - 1. They come in a random order; players of equal mean payoff are sorted at random.

    >>> order = np.sign(np.subtract.outer(np.arange(6.0), np.arange(6.0)))
    >>> from_pool(order, 3, np.random.default_rng(0)).sum(axis=1)
    array([-2.,  0.,  2.])
    """
    shuffled = rng.permutation(len(payoffs))
    ranked = shuffled[np.argsort(payoffs.mean(axis=1)[shuffled], kind="stable")]
    chosen = rng.permutation(ranked[np.arange(n_players) * len(payoffs) // n_players])
    table: Table = payoffs[np.ix_(chosen, chosen)] / np.abs(payoffs).max()
    return table


def _numbers(payoffs: ArrayLike, place: str) -> Table:
    """The payoffs as floats; text, complex numbers and rows of different lengths are errors."""
    try:
        given: NDArray[Any] = np.asarray(payoffs)
    except ValueError as error:
        raise InvalidInput(f"{place}: the rows of payoffs must have the same length") from error
    if given.dtype.kind not in "biuf":
        raise InvalidInput(
            f"{place}: payoffs must be real numbers; got entries of type {given.dtype}"
        )
    return given.astype(np.float64)


def _square(table: Table, place: str) -> Table:
    if table.ndim != 2 or table.shape[0] != table.shape[1]:
        raise InvalidInput(
            f"{place}: payoffs must be a square table, one row and one column per player; "
            f"got shape {table.shape}"
        )
    if len(table) < 2:
        raise InvalidInput(f"{place}: a game needs at least two players; got {len(table)}")
    return table


def _check_entries(table: Table, is_good: NDArray[np.bool_], rule: str, place: str) -> None:
    if not is_good.all():
        i, j = _index_of(~is_good)
        raise InvalidInput(
            f"{place}: payoffs must be {rule}; entry ({i}, {j}) is {float(table[i, j])!r}"
        )


def _index_of(mask: NDArray[np.bool_]) -> tuple[int, int]:
    """Row and column of the first true entry."""
    i, j = np.argwhere(mask)[0].tolist()
    return i, j


def _antisymmetric_part(table: Table) -> Table:
    part: Table = (table - table.T) / 2.0
    return part
