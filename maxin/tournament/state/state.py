"""The state of a tournament: a fold over its record."""

from __future__ import annotations

import heapq
import itertools
from array import array
from bisect import bisect_left
from collections import deque
from collections.abc import Iterable, Iterator
from typing import Self

import numpy as np

from maxin.core import InvalidInput, Match
from maxin.core.values import match_seed
from maxin.ratings import Features, Tally
from maxin.ratings.base import Array
from maxin.ratings.fading import FadingTally
from maxin.ratings.judging.judged_tally import JudgedTally
from maxin.storage import AWAY, Entry, PlayerState, Store, StoreFailed, StoreLost
from maxin.tournament.features import check_has_features, features_of
from maxin.tournament.settings import Settings
from maxin.tournament.state.pairing import (
    Pairing,
    add_entry,
    counted_tally,
    remove_entry,
    weigh_entry,
)
from maxin.tournament.state.seating import SeatCounts, balanced_seats

FEW = 1_000  # entries that are quicker to undo than the whole record is to count
MOST_PROMISING = 500_000  # pairs that are looked at one by one
MANY_IMPORTED = 1_000  # results in a row after which a scheduler starts from the points
RESTART_EVERY = 10_000  # entries of the record after which a scheduler starts from the points


class TournamentState:
    """Players, points, pending matches and the scheduler, all derived from the record.

    Only `take` changes it. Its size does not grow with the number of matches.

    Every so many entries (see `restart_step`), a scheduler that can starts again from the points so
    far. So a process that resumes counts the results up to the last such entry, reads the rest, and
    has the same scheduler as a process that never stopped.
    """

    def __init__(self, settings: Settings) -> None:
        self.settings = settings
        self.seq = 0  # number of the last entry taken
        self.names: list[str] = []
        self.numbers: dict[str, int] = {}  # the players by name
        self.states: list[PlayerState] = []
        self.players_at = 0  # the number of the last entry about a player
        fading = settings.fading
        self.tally = JudgedTally(0) if fading is None else FadingTally(0, fading)
        self.n_told = 0  # how many results there are
        self.n_asked = 0  # the number of the latest match
        self.pending: dict[int, Match] = {}  # handed out, neither reported nor void
        self.requests: deque[Match] = deque()
        self._first_counts = SeatCounts()
        self._n_results = array("q")  # of each player
        self._active: list[int] | None = []  # None when it has to be found again
        self._places = np.zeros(0, dtype=np.int64)  # the same players, as an array
        self.pairing: Pairing | None = None  # None when the active players have changed
        self._restart = 0  # the entry from which a new scheduler learns match by match
        self._pending_then: dict[int, Match] = {}  # the matches that were pending at that entry
        self._n_imported = 0  # results in a row that were played elsewhere
        self._features: Features | None = None  # None until they are read

    @classmethod
    def resumed(cls, settings: Settings, store: Store) -> Self:
        """The state after the last entry at which schedulers start again; empty if none has."""
        state = cls(settings)
        try:
            last = store.seq()
            players = store.field(last)
            start = _last_restart(store, players, last)
            if start:
                state._start_at(start, players, store)
        except StoreLost:
            raise
        except Exception:  # whoever reads the whole record finds the row that is damaged
            return cls(settings)
        return state

    def _start_at(self, start: int, players: Iterable[Entry], store: Store) -> None:
        """Count the record up to entry `start`; `players` are the entries about them."""
        for entry in players:
            if entry.seq <= start:
                self.take(entry)
        counted, unfinished = store.counted(start), store.unfinished(start)
        self.seq = start
        self.tally.add_tally(counted_tally(counted, len(self.names)))
        self.n_told = sum(times for *_, times in counted.results)
        self.n_asked = counted.n_asked
        self.pending = dict(sorted(unfinished.pending().items()))
        self.requests = deque(unfinished.requests)
        for first, second, times in unfinished.seats:
            self._first_counts.add(Match(first, second), times)
        self._n_results = array("q", self.tally.n_matches.round().astype(np.int64).tolist())
        if isinstance(self.tally, FadingTally):
            self.tally.mark_stale()
            self.weigh_in(store)
        self._n_imported = 0
        self._restart_here()

    def take(self, entry: Entry) -> None:
        """Apply the next entry of the record."""
        step, before = restart_step(len(self.names)), self.seq
        self._take(entry)
        if before < entry.seq // step * step:
            self._start_again()

    def _start_again(self) -> None:
        """Let a scheduler that can start from the points so far.

        It is made before the next choice, outside of any transaction: in a large field that takes
        seconds.
        """
        self._n_imported = 0
        if self.pairing is None or self.pairing.can_start_from_points:
            self._restart_here()

    def _take(self, entry: Entry) -> None:
        self.seq = entry.seq
        is_imported, is_late = entry.kind == "tell" and entry.match is None, self._is_late(entry)
        self._n_imported = self._n_imported + 1 if is_imported else 0
        if entry.kind == "player":
            self._take_player(entry)
            return
        if entry.kind == "retract":
            self._count(entry, -1)
            remove_entry(self.tally, entry)
            self._restart_here()  # no scheduler can forget a result
            return
        if entry.kind == "ask":
            self._take_ask(entry)
        elif entry.kind == "tell":
            self._take_tell(entry)
        elif entry.kind == "void":
            self.pending.pop(entry.match or 0, None)
        else:
            self.requests.append(_match(entry))
        is_many = self._n_imported > MANY_IMPORTED
        if is_late or (is_many and (self.pairing is None or self.pairing.can_start_from_points)):
            self._restart_here()
        elif self.pairing is not None:
            self.pairing.take(entry)

    def _is_late(self, entry: Entry) -> bool:
        """Whether it is a result that has faded before it came; no scheduler can learn that."""
        if entry.kind != "tell" or not isinstance(self.tally, FadingTally):
            return False
        return self.tally.clock.is_late(entry.time)

    def _take_player(self, entry: Entry) -> None:
        player, state = entry.first, entry.state
        assert player is not None
        assert state is not None
        self.players_at = entry.seq
        if player == len(self.names):
            self.names.append(entry.name or "")
            self.numbers[self.names[-1]] = player
            self.states.append("active")
            self.tally.grow(len(self.names))
            self._n_results.append(0)
            self._features = None
            self._restart_here()
        if state != self.states[player]:
            if self.states[player] == "removed":  # it joins again, perhaps with other options
                self._features = None
            self.states[player] = state
            self._restart_here()

    def _restart_here(self) -> None:
        """Have a new scheduler start from the points up to this entry.

        The entry is the same for every process that reads the record, so the schedulers are too.
        """
        self.pairing = self._active = None
        self._restart = self.seq
        self._pending_then = dict(self.pending)

    def _take_ask(self, entry: Entry) -> None:
        assert entry.match is not None
        if entry.match <= self.n_asked:
            return  # handed out again
        match = _match(entry)
        self.n_asked = entry.match
        self.pending[entry.match] = match
        self._first_counts.add(match)
        if match in self.requests:
            self.requests.remove(match)

    def _take_tell(self, entry: Entry) -> None:
        if entry.match is not None:
            self.pending.pop(entry.match, None)
        self._count(entry, 1)
        add_entry(self.tally, entry)

    def _count(self, entry: Entry, times: int) -> None:
        """Count a result, or one less."""
        self.n_told += times
        for player in _match(entry):
            self._n_results[player] += times

    def weigh_in(self, store: Store) -> None:
        """Weigh all results again, if they fade and one was taken back.

        They are read from the store, outside of any transaction.
        """
        if isinstance(self.tally, FadingTally) and self.tally.is_stale:
            _weigh_all(self.tally, self.seq, store)

    def features_in(self, store: Store) -> Features | None:
        """The features of all players, which are those with which they joined.

        They are read from the store once after players joined, outside of any transaction.
        """
        if self._features is None and self.settings.features:
            rows = store.players()[: len(self.names)]
            playing = (row for row in rows if row.state != "removed")
            try:
                check_has_features(self.settings.features, playing)
            except InvalidInput as error:  # they were checked when the players joined
                raise StoreFailed(f"the store {store} is damaged: {error}") from None
            self._features = features_of(self.settings.features, rows)
        return self._features

    def known(self) -> tuple[int, Tally]:
        """How many results the next match may depend on, and their points."""
        if not self.settings.lag or self.pairing is None:
            return self.n_told, self.tally
        self.pairing.catch_up(self.n_asked + 1)
        return self.pairing.n_known, self.pairing.known

    def active(self) -> list[int]:
        """The players who may be asked to play."""
        if self._active is None:
            states = enumerate(self.states)
            self._active = [player for player, state in states if state == "active"]
            self._places = np.array(self._active, dtype=np.int64)
        return self._active

    def in_play(self) -> list[int]:
        """The players who are neither retired nor removed."""
        return [player for player, state in enumerate(self.states) if state not in AWAY]

    def is_anyone_starved(self) -> bool:
        """Whether an active player has fewer results than every player gets."""
        least = self.settings.min_matches
        if not least or not self.active():
            return False
        return bool((np.array(self._n_results)[self._places] < least).any())

    def restart_pairing(self, store: Store) -> None:
        """Make a scheduler for the players who are active now.

        If it can, it starts from the points at the entry that made it necessary, and learns what
        came after that match by match; else it learns the whole record again.
        """
        self.features_in(store)
        pairing = self._new_pairing()
        start = self._restart if pairing.can_start_from_points else 0
        if start:
            self._teach(pairing, self._tally_after(start, store))
        for entry in store.standing(start, self.seq):
            pairing.take(entry)
        self.pairing = pairing

    def _new_pairing(self) -> Pairing:
        return Pairing(self.settings, self.active(), len(self.names), self._features)

    def _teach(self, pairing: Pairing, tally: Tally) -> None:
        """Start a scheduler from the points at the restart, and the matches pending then."""
        pairing.start_from(tally)
        for number, match in self._pending_then.items():
            pairing.take(Entry(self._restart, "ask", number, *match))

    def _tally_after(self, start: int, store: Store) -> Tally:
        """The points after entry `start`: by undoing what came since, if that is little."""
        if isinstance(self.tally, FadingTally):
            return self._weighed_after(self.tally, start, store)
        if self.seq - start > FEW:
            return counted_tally(store.counted(start), len(self.names))
        tally = self.tally.copy()
        for entry in store.standing(start, self.seq):
            if entry.kind == "tell":
                remove_entry(tally, entry)
        return tally

    def _weighed_after(self, tally: FadingTally, start: int, store: Store) -> Tally:
        """The points after entry `start` if results fade: nothing that has faded can be undone."""
        if start == self.seq and not tally.is_stale:
            return tally
        found = FadingTally(len(self.names), tally.half_life)
        for entry in store.standing(0, start):
            if entry.kind == "tell":
                add_entry(found, entry)
        return found

    def next_match(self) -> Match | None:
        """Who meets next, and who sits first; None if nothing can be asked now."""
        for request in self.requests:
            if all(self.states[player] == "active" for player in request):
                return request
        if len(self.active()) < 2:
            return None
        assert self.pairing is not None
        match = self._match_of_the_starved() or self.pairing.choose(self.n_asked + 1)
        return None if match is None else self.seated(match)

    def next_matches(self, n: int) -> list[Match]:
        """The next `n` matches, each as if those before it were pending; fewer if it ends there.

        There is only one while requests wait, or void matches that are tried again.
        """
        n_asked = self.n_asked
        found: list[Match] = []
        try:
            while len(found) < n and (match := self.next_match()) is not None:
                found.append(match)
                if self.requests or self.pairing is None or self.pairing.has_void:
                    break
                self._suppose(match)
        except InvalidInput:
            if not found:
                raise
        finally:
            while self.n_asked > n_asked:
                self._suppose_no_more()
        return found

    def _suppose(self, match: Match) -> None:
        """Count a match as pending that was only chosen so far."""
        assert self.pairing is not None
        self.n_asked += 1
        self.pending[self.n_asked] = match
        self._first_counts.add(match)
        self.pairing.suppose(self.n_asked, match)

    def _suppose_no_more(self) -> None:
        """Undo the last `_suppose`."""
        assert self.pairing is not None
        self.pairing.suppose_no_more(self.n_asked)
        self._first_counts.add(self.pending.pop(self.n_asked), -1)
        self.n_asked -= 1

    def seated(self, match: Match) -> Match:
        """The next match of two players: who sits first."""
        coin = self.seed(self.n_asked + 1) % 2 == 1
        return balanced_seats(match, self._first_counts, lambda: coin)

    def promising(self) -> Iterator[Match]:
        """Pairs of active players, those first that matter most for the goal.

        With r_i the ratings: for a ranking the pairs by |r_i - r_j|, the closest first; otherwise
        by r_i + r_j, the strongest first. With more than 1,000 players, the first 500,000.
        """
        assert self.pairing is not None
        active, ratings = self.active(), self.pairing.scheduler.ratings()
        found = ordered_pairs(ratings, by_gap=self.settings.parsed_goal.is_ranking)
        for one, two in itertools.islice(found, MOST_PROMISING):
            yield Match(active[min(one, two)], active[max(one, two)])

    def played(self) -> Array:
        """How many matches every player has, pending ones included."""
        played = np.array(self._n_results, dtype=np.float64)
        playing = itertools.chain.from_iterable(self.pending.values())
        np.add.at(played, np.fromiter(playing, np.int64, 2 * len(self.pending)), 1.0)
        return played

    def _match_of_the_starved(self) -> Match | None:
        """A match for the player with the fewest, if those are fewer than every player gets."""
        if not self.settings.min_matches:
            return None
        played, active = self.played(), self._places
        first = int(active[played[active].argmin()])
        if played[first] >= self.settings.min_matches:
            return None
        rivals = active[active != first]
        order, ordered = played[rivals], []
        for _ in range(rivals.size):  # soon found, where the field is large
            place = int(order.argmin())
            rival = int(rivals[place])
            if not self._first_counts.n_met(first, rival):
                return Match(first, rival)
            ordered.append(rival)
            order[place] = np.inf
        return Match(first, min(ordered, key=lambda rival: self._first_counts.n_met(first, rival)))

    def seed(self, number: int) -> int:
        """The seed of match `number`, in [0, 2^31)."""
        return match_seed(self.settings.seed, number)


def restart_step(n_players: int) -> int:
    """Entries from one restart of a scheduler to the next: 10,000 2^j, and at least n / 2.

    Points of many players take longer to learn.

    >>> restart_step(100), restart_step(100_000)
    (10000, 80000)
    """
    return RESTART_EVERY << max(0, -(-n_players // (2 * RESTART_EVERY)) - 1).bit_length()


def _last_restart(store: Store, players: Iterable[Entry], last: int) -> int:
    """The last entry up to `last` at which schedulers start again; 0 if there is none."""
    joined: dict[int, int] = {}  # the entry with which each player joined
    for entry in players:
        joined.setdefault(entry.first or 0, entry.seq)
    joins = sorted(joined.values())
    for mark in range(last // RESTART_EVERY * RESTART_EVERY, 0, -RESTART_EVERY):
        if mark % restart_step(bisect_left(joins, mark)) == 0:
            entry_there = next(store.entries(mark - 1), None)
            if entry_there is not None:
                return entry_there.seq
    return 0


def _weigh_all(tally: FadingTally, seq: int, store: Store) -> None:
    """Weigh all results that stand after entry `seq`, in their order."""
    tally.forget()
    for entry in store.standing(0, seq):
        if entry.kind == "tell":
            weigh_entry(tally, entry)


def ordered_pairs(ratings: Array, *, by_gap: bool) -> Iterator[tuple[int, int]]:
    """All pairs (i, j), by r_i + r_j from the largest on, or by |r_i - r_j| from the least on.

    They come one by one, from a heap that has the next pair of each player who had one before: the
    first ones are found without looking at all.

    >>> list(ordered_pairs(np.array([0.0, 3.0, 1.0]), by_gap=False))
    [(1, 2), (1, 0), (2, 0)]
    >>> list(ordered_pairs(np.array([0.0, 3.0, 1.0]), by_gap=True))
    [(2, 0), (1, 2), (1, 0)]
    """
    order = np.argsort(-ratings, kind="stable").tolist()
    ranked: list[float] = ratings[order].tolist()
    n_ranked, sign = len(ranked), 1.0 if by_gap else -1.0

    def candidate(a: int, b: int) -> tuple[float, int, int]:
        return sign * ranked[a] - ranked[b], a, b

    heap = [candidate(a, a + 1) for a in range(n_ranked - 1)[: n_ranked if by_gap else 1]]
    heapq.heapify(heap)
    while heap:
        _, a, b = heapq.heappop(heap)
        yield order[a], order[b]
        if b + 1 < n_ranked:
            heapq.heappush(heap, candidate(a, b + 1))
            if not by_gap and b == a + 1:
                heapq.heappush(heap, candidate(b, b + 1))


def _match(entry: Entry) -> Match:
    assert entry.first is not None
    assert entry.second is not None
    return Match(entry.first, entry.second)
