"""Everything recomputed from the record, and compared with what a running tournament believes."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from maxin.ratings import fit_seats
from maxin.storage import Store
from maxin.tournament.state.state import League, match_seed
from maxin.tournament.tickets.tickets import Desk

TOLERANCE = 1e-9  # of a rating, in nats: the points may be added in another order


class Verification(NamedTuple):
    """What was found: how many results, how far the ratings are apart, and what is wrong."""

    n_matches: int
    n_out: int
    largest_difference: float
    problems: list[str]


def verify(desk: Desk) -> Verification:
    """Read the whole record, without snapshots, and compare.

    Checked: every told match was asked, with the same players and once; numbers and seeds are
    those of the settings; points, matches out, ratings and the scheduler's ratings are the same,
    to rounding.
    """
    believed = desk.league
    fresh = League(desk.settings)
    for entry in desk.store.entries():
        if entry.seq > believed.seq:
            break  # written since by others
        fresh.take(entry)
    problems = _record_problems(desk.store, fresh)
    problems += _differences(believed, fresh, desk.store)
    return Verification(fresh.n_told, len(fresh.out), _rating_difference(believed, fresh), problems)


def _rating_difference(one: League, two: League) -> float:
    """The largest difference of a rating, in nats; infinite if the fields differ."""
    if one.names != two.names:
        return float("inf")
    if len(one.names) < 2:
        return 0.0
    fits = [fit_seats(league.tally).ratings for league in (one, two)]
    return float(np.abs(fits[0] - fits[1]).max())


def _differences(believed: League, fresh: League, store: Store) -> list[str]:
    """What a running league has wrong."""
    problems = []
    if _rating_difference(believed, fresh) > TOLERANCE:
        problems.append("ratings differ from those of the record")
    if believed.n_told != fresh.n_told:
        problems.append(f"{believed.n_told} results are counted, {fresh.n_told} are in the record")
    if believed.out != fresh.out:
        problems.append("the matches out are not those of the record")
    if believed.pairing is not None and len(fresh.active()) >= 2:
        fresh.pair_anew(entry for entry in store.entries() if entry.seq <= believed.seq)
        assert fresh.pairing is not None
        for league in (believed, fresh):
            league.known()  # both up to what the next match may depend on
        one, two = (league.pairing.scheduler.ratings() for league in (believed, fresh))  # type: ignore[union-attr]
        if not np.allclose(one, two, rtol=0.0, atol=TOLERANCE):
            problems.append("the scheduler is not that of the record")
    return problems


def _record_problems(store: Store, league: League) -> list[str]:
    """What is wrong with the record itself."""
    problems: list[str] = []
    asked: dict[int, tuple[int, int]] = {}
    for entry in store.entries():
        if entry.kind == "ask" and entry.match is not None:
            pair = (entry.first or 0, entry.second or 0)
            if asked.setdefault(entry.match, pair) != pair:
                problems.append(f"match {entry.match} was asked again with other players")
        elif entry.kind == "tell" and entry.match is not None:
            pair = (entry.first or 0, entry.second or 0)
            if asked.pop(entry.match, pair) != pair:
                problems.append(f"match {entry.match} was told with other players than asked")
    for row in store.told():
        number = row.telling.match
        if number is not None and row.seed is None:
            problems.append(f"match {number} was told and never asked")
        elif number is not None and row.seed != match_seed(league.settings.seed, number):
            problems.append(f"match {number} has another seed than its tournament gives it")
    return problems
