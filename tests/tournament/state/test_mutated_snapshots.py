"""A snapshot with anything changed in it, digest included, changes no number."""

import random
import tracemalloc

import numpy as np
import pytest

from maxin.ratings import fit_seats
from maxin.storage import Entry
from maxin.tournament import Tournament
from maxin.tournament.state import snapshots
from maxin.tournament.state.state import TournamentState
from tests.helpers.inside import state_of
from tests.helpers.leagues import play_some
from tests.helpers.snapshots import arrays_of, mutated, packed_of

NAMES = [f"player {number}" for number in range(12)]
SETTINGS = {
    "top-two": {"scheduler": "top-two"},
    "top-two, lag": {"scheduler": "top-two", "lag": 3},
    "maxin": {"scheduler": "maxin"},
    "elo": {"scheduler": "random+elo"},
    "elo, lag": {"scheduler": "random+elo", "lag": 2},
}


class Filled:
    """A stored tournament with pending, void and requested matches, and two of its snapshots."""

    def __init__(self, url, **settings):
        self.tournament = Tournament(NAMES, url, seed=3, **settings)
        play_some(self.tournament, 30)
        self.store, self.key = self.tournament.store, snapshots.fingerprint(self.settings)
        self.older = self._saved()
        play_some(self.tournament, 20)
        self.tournament.request("player 3", "player 7")
        play_some(self.tournament, 2)
        self.tournament.retract(48, "it was wrong")
        late = self.tournament.ask()
        self.tournament.void(self.tournament.ask(), "it was boring")
        self.tournament.void(late, "it was late")
        self.tournament.ask()
        self.tournament.add_results([("player 1", "player 2", 0.5)])
        self.tournament.ask()
        self.tournament.tell(late, 1.0)
        self.tournament.request("player 5", "player 4")
        self.tournament.request("player 8", "player 9")
        self.tournament.request("player 5", "player 4")
        self.packed = self._saved()
        self.seq = state_of(self.tournament).seq

    @property
    def settings(self):
        return self.tournament.settings

    def _saved(self):
        snapshots.save(self.store, state_of(self.tournament))
        return self.store.snapshot(self.key, 10**7)[1]

    def arrays(self):
        """The arrays of the snapshot, to be changed."""
        return arrays_of(self.packed)

    def loaded(self, packed):
        """The state that is loaded from a snapshot, or None."""
        self.store.save_snapshot(self.seq, self.key, packed)
        return snapshots.load(self.store, self.settings)

    def replayed(self):
        """The state according to the record."""
        state = TournamentState(self.settings)
        for entry in self.store.entries():
            state.take(entry)
        state.restart_pairing(self.store)
        return state


@pytest.fixture(scope="module")
def leagues(tmp_path_factory):
    """One for each of the settings."""
    folder = tmp_path_factory.mktemp("filled")
    found = {
        name: Filled(f"sqlite:///{folder / name}.db", **settings)
        for name, settings in SETTINGS.items()
    }
    yield found
    for filled in found.values():
        filled.tournament.close()


@pytest.fixture(params=["top-two", "top-two, lag"])
def filled(request, leagues):
    return leagues[request.param]


def first_row_lost(array):
    return array[1:].copy()


def plus_one(array):
    return array + 1


FORGED = {
    "a pending match is missing": {"pending": first_row_lost},
    "no match is pending": {"pending": lambda array: array[:0].copy()},
    "a pending match has its seats swapped": {"pending": lambda rows: rows[:, [0, 2, 1]].copy()},
    "seats were counted once more": {"first_counts": lambda rows: rows + np.array([0, 0, 1])},
    "seats were counted the other way": {
        "first_counts": lambda rows: np.array(sorted([j, i, n] for i, j, n in rows))
    },
    "a request is missing": {"requests": first_row_lost},
    "requests are in another order": {"requests": lambda rows: rows[[1, 0, 2]].copy()},
    "a request has its seats swapped": {"requests": lambda rows: rows[:, ::-1].copy()},
    "a request was fulfilled": {"requests": lambda rows: np.concatenate([[[3, 7]], rows])},
    "the scheduler expects less": {
        "pairing.flying": lambda array: array[:-1].copy(),
        "pairing.scheduler.in_flight": lambda array: array[:-1].copy(),
    },
    "the scheduler expects nothing": {
        name: lambda array: array[:0].copy()
        for name in ("pairing.flying", "pairing.scheduler.in_flight", "pairing.void")
    },
    "the scheduler expects the match of others": {
        "pairing.flying": lambda rows: np.concatenate([rows[:-1], [[rows[-1, 0], 10, 11]]]),
        "pairing.scheduler.in_flight": lambda rows: np.concatenate([rows[:-1], [[10, 11]]]),
    },
    "a void match waits too long": {"pairing.void": lambda rows: rows + np.array([1000, 0])},
    "a void match waits twice": {"pairing.void": lambda rows: np.concatenate([rows, rows[-1:]])},
    "a match with a result is void": {"pairing.void": lambda rows: rows - np.array([0, 40])},
    "the scheduler has more results": {
        "pairing.n_told": plus_one,
        "pairing.scheduler.n_told": plus_one,
    },
    "the scheduler has other results than its place": {"pairing.scheduler.n_told": plus_one},
    "results are known too early": {"pairing.n_known": plus_one},
    "known points differ": {
        "pairing.known.seats": lambda rows: rows if len(rows) else np.array([[0, 1]]),
        **{
            f"pairing.known.{name}": lambda sums: sums + 1.0 if len(sums) else np.ones(1)
            for name in ("games", "points")
        },
        "pairing.known.splits": lambda sums: sums if len(sums) else np.zeros(1),
        "pairing.known.outcomes": lambda sums: sums if len(sums) else np.array([[1, 0, 0]]),
    },
    "a result waits twice": {
        "pairing.unordered": lambda seqs: np.append(seqs, seqs[-1] if len(seqs) else 80)
    },
}


def test_a_snapshot_that_is_packed_again_is_used(filled):
    assert filled.loaded(packed_of(filled.arrays())) is not None


@pytest.mark.parametrize("what", FORGED)
def test_a_forged_snapshot_is_not_used(filled, what):
    """The forger makes the digest right; the record tells the difference."""
    arrays = filled.arrays()
    for name, change in FORGED[what].items():
        arrays[name] = np.ascontiguousarray(change(arrays[name]))
    assert filled.loaded(packed_of(arrays)) is None


def test_results_that_wait_are_those_of_the_record(filled):
    arrays = filled.arrays()
    for name in ("pairing.ended", "pairing.unordered"):
        if len(arrays[name]):
            assert filled.loaded(packed_of(arrays | {name: arrays[name][1:].copy()})) is None


def test_the_record_of_a_server_is_compared_too(postgres_url):
    filled = Filled(postgres_url, **SETTINGS["top-two, lag"])
    arrays = filled.arrays()
    assert filled.loaded(packed_of(arrays)) is not None
    for name in ("pending", "requests"):
        assert filled.loaded(packed_of(arrays | {name: first_row_lost(arrays[name])})) is None
    filled.tournament.close()


def check_mutations(leagues, n_mutations):
    """Load mutated snapshots: no exception, the numbers of the record, and little memory."""
    rng = random.Random(1)
    n_used = 0
    for filled in leagues.values():
        replayed = filled.replayed()
        ratings = fit_seats(replayed.tally).ratings
        tracemalloc.start()
        for _ in range(n_mutations // len(leagues)):
            kind, packed = mutated(filled.packed, filled.older, rng)
            loaded = filled.loaded(packed)
            if loaded is not None:
                n_used += 1
                check_numbers(loaded, replayed, ratings, kind)
                check_that_it_continues(loaded)
        _, peak = tracemalloc.get_traced_memory()
        tracemalloc.stop()
        assert peak < 10 * snapshots.most_bytes(len(NAMES), 1_000)
    assert n_used > 0


def check_numbers(loaded, replayed, ratings, kind):
    """Everything that is shown is right."""
    for name in ("seq", "n_told", "n_asked", "names", "states", "pending", "requests"):
        assert getattr(loaded, name) == getattr(replayed, name), (kind, name)
    np.testing.assert_array_equal(
        loaded.stored()["first_counts"], replayed.stored()["first_counts"]
    )
    assert loaded.tally.is_like(replayed.tally, 1e-6)
    np.testing.assert_allclose(fit_seats(loaded.tally).ratings, ratings, atol=1e-5)
    assert loaded.pairing.scheduler.n_told == replayed.pairing.scheduler.n_told


def check_that_it_continues(loaded):
    """Matches are asked, reported and given up as usual."""
    seq = loaded.seq
    for number, match in list(loaded.pending.items()):
        seq += 1
        loaded.take(Entry(seq, "tell", number, *match, 1.0))
    for _ in range(4):
        match = loaded.next_match()
        assert match is not None
        assert match.first != match.second
        assert max(match) < len(NAMES)
        number = loaded.n_asked + 1
        loaded.take(Entry(seq + 1, "ask", number, *match))
        loaded.take(Entry(seq + 2, "tell", number, *match, 0.5))
        seq += 2


def test_mutated_snapshots_change_no_number(leagues):
    check_mutations(leagues, 30)


@pytest.mark.slow
def test_many_mutated_snapshots_change_no_number(leagues):
    check_mutations(leagues, 1500)
