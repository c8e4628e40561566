"""Whether a state that comes from a snapshot agrees with the record, without replaying it.

A few queries give the points, the seats, the pending matches and the requests. From these follow
the matches that the scheduler expects and the number of results it learnt from. Two things do not:
the numbers that the scheduler learnt, and how long it still waits before it tries a void match
again.
"""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from maxin.core import Match
from maxin.core.stored import StoredArrays, Unusable, rows
from maxin.ratings.judging.judged_tally import JudgedTally
from maxin.storage import Counted, Entry, Store, Unfinished
from maxin.tournament.state.pairing import add_entry, counted_tally, numbered_matches
from maxin.tournament.state.state import TournamentState

TOLERANCE = 1e-6  # of points, which may be added in another order


def check_against_record(
    store: Store, state: TournamentState, stored: StoredArrays, waiting: Mapping[int, Entry]
) -> None:
    """Raise `Unusable` unless the state is that of the record.

    Args:
        store: the record.
        state: the state, restored from `stored`.
        stored: the arrays of the snapshot.
        waiting: the entries that wait for their turn in the scheduler, by number.
    """
    counted, unfinished = store.counted(state.seq), store.unfinished(state.seq)
    pairing = _StoredPairing(state, stored.part("pairing"), waiting)
    is_same = (
        state.seq <= counted.last
        and (state.n_told, state.n_asked) == (_n_results(counted), counted.n_asked)
        and state.tally.is_like(counted_tally(counted, len(state.names)), TOLERANCE)
        and state.pending == unfinished.pending()
        and list(state.requests) == unfinished.requests
        and np.array_equal(stored.wholes("first_counts", (None, 3)), rows(unfinished.seats, 3))
        and pairing.agrees(counted, unfinished)
    )
    if not is_same:
        raise Unusable("the record has something else")


class _StoredPairing:
    """The stored part of `Pairing`: what the scheduler expects, and what it has yet to learn."""

    def __init__(
        self, state: TournamentState, stored: StoredArrays, waiting: Mapping[int, Entry]
    ) -> None:
        self._state = state
        self._places = {player: place for place, player in enumerate(state.active())}
        self._n_known, self._n_told = stored.whole("n_known"), stored.whole("n_told")
        self._known = JudgedTally(len(state.names))
        self._known.restore(stored.part("known"))
        self._ended = [waiting[seq] for seq in stored.wholes("ended", (None,)).tolist()]
        self._unordered = [waiting[seq] for seq in stored.wholes("unordered", (None,)).tolist()]
        self._flying = numbered_matches(stored, "flying", len(self._places))
        self._void: list[list[int]] = stored.wholes("void", (None, 2)).tolist()
        has_clock = state.settings.half_life is not None
        self._n_aged = int(stored.wholes("clock", (2,))[0]) if has_clock else state.n_told

    def agrees(self, counted: Counted, unfinished: Unfinished) -> bool:
        """Whether it is that of the record."""
        return (
            (self._has_lag(unfinished) if self._state.settings.lag else self._has_no_lag())
            and self._has_void(unfinished)
            and self._n_told == self._n_learnt(counted)
            and self._n_aged == self._state.n_told
            and self._flying == self._expected(unfinished)
        )

    def _has_no_lag(self) -> bool:
        """Every result is learnt at once."""
        n_waiting = len(self._ended) + len(self._unordered)
        return self._n_known == 0 and n_waiting == 0 and not self._known.games.any()

    def _has_lag(self, unfinished: Unfinished) -> bool:
        """The matches after `n_known` are pending or wait, and all other results are learnt.

        Results without a place in that order may wait too.
        """
        state, seqs = self._state, [entry.seq for entry in (*self._ended, *self._unordered)]
        ended, void = {entry.match for entry in self._ended}, unfinished.void
        known = self._known.copy()
        for entry in self._results():
            add_entry(known, entry)
        return (
            self._n_known <= max(0, state.n_asked + 1 - state.settings.lag)
            and ended | state.pending.keys() == set(range(self._n_known + 1, state.n_asked + 1))
            and len(set(seqs)) == len(seqs)
            and all((entry.match in void) == (entry.kind == "void") for entry in self._ended)
            and all(entry.kind == "tell" for entry in self._unordered)
            and known.is_like(state.tally, TOLERANCE)
        )

    def _has_void(self, unfinished: Unfinished) -> bool:
        """The void matches that wait to be tried again are void, and do not wait too long."""
        limits, numbers = [limit for limit, _ in self._void], {number for _, number in self._void}
        longest = self._n_told + len(self._places)
        return (
            len(numbers) == len(self._void)
            and numbers <= unfinished.void - {entry.match for entry in self._ended}
            and limits == sorted(limits)
            and all(self._n_told < limit <= longest for limit in limits)
        )

    def _results(self) -> list[Entry]:
        """The results that the scheduler has yet to learn."""
        return [entry for entry in (*self._ended, *self._unordered) if entry.kind == "tell"]

    def _n_learnt(self, counted: Counted) -> int:
        """How many results between active players the scheduler has learnt from."""
        active = self._places
        learnt = [times for i, j, *_, times in counted.results if i in active and j in active]
        waiting = [e for e in self._results() if e.first in active and e.second in active]
        return sum(learnt) - len(waiting)

    def _expected(self, unfinished: Unfinished) -> dict[int, Match]:
        """The matches that the scheduler expects, in its own numbers of the players.

        A void match that waits for its turn is no longer expected once a late result was learnt.
        """
        players = dict(unfinished.unreported)
        for entry in self._results():
            if entry.match is not None:
                players[entry.match] = Match(entry.first or 0, entry.second or 0)
        numbers = {*self._state.pending, *(number for _, number in self._void)}
        numbers |= {entry.match or 0 for entry in self._ended}
        numbers &= players.keys()
        return {
            number: Match(self._places[players[number].first], self._places[players[number].second])
            for number in numbers
            if self._places.keys() >= {*players[number]}
        }


def _n_results(counted: Counted) -> int:
    return sum(times for *_, times in counted.results)
