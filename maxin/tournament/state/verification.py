"""Verification: everything is recomputed from the record and compared with the running state."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from maxin.ratings import fit_seats
from maxin.storage import Store
from maxin.tournament.state.state import TournamentState, match_seed

TOLERANCE = 1e-9  # of a rating, in nats: points may be added in another order


class Verification(NamedTuple):
    """What was found: the results read, the largest difference of a rating, and the problems."""

    n_matches: int
    n_pending: int
    largest_difference: float
    problems: list[str]


def verify(store: Store, running: TournamentState) -> Verification:
    """Read the whole record, without snapshots, and compare it with the running state.

    Checked: every result belongs to a match that was handed out, once and with the same players;
    numbers and seeds follow from the settings; points, pending matches, ratings and the
    scheduler's ratings are the same, up to rounding.
    """
    fresh = TournamentState(running.settings)
    for entry in store.entries():
        if entry.seq > running.seq:
            break  # written since by another process
        fresh.take(entry)
    problems = _record_problems(store, fresh)
    problems += _differences(running, fresh, store)
    difference = _rating_difference(running, fresh)
    return Verification(fresh.n_told, len(fresh.pending), difference, problems)


def _rating_difference(one: TournamentState, two: TournamentState) -> float:
    """The largest difference of a rating, in nats; infinite if the players differ."""
    if one.names != two.names:
        return float("inf")
    if len(one.names) < 2:
        return 0.0
    fits = [fit_seats(state.tally).ratings for state in (one, two)]
    return float(np.abs(fits[0] - fits[1]).max())


def _differences(running: TournamentState, fresh: TournamentState, store: Store) -> list[str]:
    """What the running state has wrong."""
    problems = []
    if _rating_difference(running, fresh) > TOLERANCE:
        problems.append("ratings differ from those of the record")
    if running.n_told != fresh.n_told:
        problems.append(f"{running.n_told} results are counted, {fresh.n_told} are in the record")
    if running.pending != fresh.pending:
        problems.append("the pending matches differ from those of the record")
    if running.pairing is not None and len(fresh.active()) >= 2:
        fresh.restart_pairing(store)
        assert fresh.pairing is not None
        for state in (running, fresh):
            state.known()  # both learn everything that the next match may depend on
        one, two = running.pairing.scheduler.ratings(), fresh.pairing.scheduler.ratings()
        if not np.allclose(one, two, rtol=0.0, atol=TOLERANCE):
            problems.append("the scheduler differs from that of the record")
    return problems


def _record_problems(store: Store, state: TournamentState) -> list[str]:
    """What is wrong with the record itself."""
    problems: list[str] = []
    asked: dict[int, tuple[int, int]] = {}
    for entry in store.entries():
        pair = (entry.first or 0, entry.second or 0)
        if entry.match is None:
            continue
        if entry.kind == "ask" and asked.setdefault(entry.match, pair) != pair:
            problems.append(f"match {entry.match} was handed out again with other players")
        if entry.kind == "tell" and asked.pop(entry.match, pair) != pair:
            problems.append(f"the result of match {entry.match} has other players")
    for played in store.played():
        number = played.number
        if number is not None and played.seed is None:
            problems.append(f"match {number} has a result but was never handed out")
        elif number is not None and played.seed != match_seed(state.settings.seed, number):
            problems.append(f"match {number} has another seed than its tournament gives it")
    return problems
