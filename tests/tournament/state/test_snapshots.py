"""Snapshots make resuming quick and change nothing else."""

import random
import zlib

import numpy as np
import pytest

from maxin.core import Match
from maxin.ratings import BradleyTerry
from maxin.schedulers import SCHEDULERS
from maxin.schedulers.base import LearningScheduler
from maxin.schedulers.registry import LEARNERS
from maxin.tournament import Tournament
from maxin.tournament.state import snapshots
from maxin.tournament.state.state import TournamentState
from maxin.tournament.tickets import ledger
from tests.helpers.inside import refresh, state_of
from tests.helpers.leagues import NAMES, play_some, results_of

GOALS = [{"goal": goal} for goal in ("best", "top-2", "ranking", "ratings", "regret")]


def endless(settings):
    """The same settings, with a scheduler that always has a match to ask."""
    name = settings.get("scheduler")
    if name in ("round-robin", "knockout"):
        return {"scheduler": f"{name}:cycles=none"}
    return settings


def test_a_stored_tournament_resumes_where_it_was(url):
    whole = Tournament(NAMES, seed=3)
    play_some(whole, 36)
    parts = Tournament(NAMES, url, seed=3)
    for _ in range(4):
        play_some(parts, 9)
        parts.close()
        parts = Tournament(store=url)
    assert results_of(parts) == results_of(whole)
    assert list(parts.leaderboard()) == list(whole.leaderboard())
    assert parts.settings == whole.settings


@pytest.mark.parametrize("scheduler", SCHEDULERS)
def test_snapshots_change_nothing(scheduler, url, monkeypatch):
    endless = ":cycles=none" if scheduler in ("round-robin", "knockout") else ""
    plain = Tournament(NAMES, seed=3, scheduler=scheduler + endless)
    play_some(plain, 15)
    monkeypatch.setattr(ledger, "SNAPSHOT_EVERY", 1)
    parts = Tournament(NAMES, url, seed=3, scheduler=scheduler + endless)
    for _ in range(3):
        play_some(parts, 5)
        refresh(parts)
        parts.close()
        parts = Tournament(store=url)
        loaded = snapshots.load(parts.store, parts.settings)
        assert loaded.seq == state_of(parts).seq
        assert state_of(parts).pairing is not None, "the snapshot was not used"
    assert results_of(parts) == results_of(plain)
    assert parts.verify().problems == []


@pytest.mark.parametrize(
    ("settings", "lag"),
    [
        *[({"scheduler": name}, 3) for name in SCHEDULERS],
        *[(settings, 0) for settings in GOALS],
        *[pytest.param({"scheduler": name}, 0, marks=pytest.mark.slow) for name in SCHEDULERS],
        *[pytest.param(settings, 3, marks=pytest.mark.slow) for settings in GOALS],
    ],
)
def test_loading_equals_replaying(url, settings, lag):
    if settings in ({"scheduler": "knockout"}, {"scheduler": "swiss"}):
        lag = 1  # with a larger one, a round waits for results that it has to know
    with Tournament(NAMES, url, seed=3, lag=lag, **endless(settings)) as tournament:
        play_some(tournament, 23)
        tournament.add_results([("cy", "dee", 0.5)])
        tournament.void(tournament.ask(), "it was boring")
        tournament.retract(20, "it was wrong")
        tournament.retract(21, "it was wrong")
        tournament.tell(21, 0.5)
        tournament.request("anna", "bo")
        tournament.request("dee", "cy")
        tournament.ask()
        state = state_of(tournament)
        snapshots.save(tournament.store, state)
        loaded = snapshots.load(tournament.store, tournament.settings)
        replayed = TournamentState(tournament.settings)
        for entry in tournament.store.entries():
            replayed.take(entry)
        replayed.restart_pairing(tournament.store)
    assert vars(loaded).keys() == vars(replayed).keys()
    assert (loaded.seq, loaded.names, loaded.states) == (
        replayed.seq,
        replayed.names,
        replayed.states,
    )
    one, two, before = loaded.stored(), replayed.stored(), state.stored()
    assert one.keys() == two.keys() == before.keys()
    for name, array in one.items():
        np.testing.assert_array_equal(array, before[name], name)
        np.testing.assert_allclose(array, two[name], rtol=0.0, atol=1e-9, err_msg=name)
    assert loaded.next_match() == replayed.next_match()


def test_a_scheduler_that_says_nothing_about_storing_is_replayed(url, monkeypatch):
    class Final(LearningScheduler):
        def _choose(self):
            return Match(0, 1)

    def build(*, n_players, rng):
        return Final(BradleyTerry(n_players))

    monkeypatch.setitem(SCHEDULERS, "final", build)
    monkeypatch.setattr(ledger, "SNAPSHOT_EVERY", 1)
    with Tournament(NAMES, url, scheduler="final") as tournament:
        play_some(tournament, 5)
        assert snapshots.load(tournament.store, tournament.settings) is None


class Counting:
    """A learner that counts wins, and says nothing about storing."""

    def __init__(self, n_players):
        self.n_players, self.wins = n_players, np.zeros(n_players)

    def tell(self, result):
        self.wins[result.match.first] += result.score

    def ratings(self):
        return self.wins


def test_a_learner_that_says_nothing_about_storing_is_replayed(url, monkeypatch):
    monkeypatch.setitem(LEARNERS, "counting", lambda *, n_players, rng: Counting(n_players))
    monkeypatch.setattr(ledger, "SNAPSHOT_EVERY", 1)
    tournament = Tournament(NAMES, url, scheduler="random+counting")
    play_some(tournament, 10)
    tournament.close()
    again = Tournament(store=url)
    assert snapshots.load(again.store, again.settings) is None
    assert len(results_of(again)) == 10


def test_short_visits_save_snapshots_too(url, monkeypatch):
    monkeypatch.setattr(ledger, "SNAPSHOT_EVERY", 12)
    Tournament(NAMES, url).close()
    seen = []
    for _ in range(8):
        with Tournament(store=url) as tournament:
            play_some(tournament, 2)
            found = tournament.store.snapshot(snapshots.fingerprint(tournament.settings), 10**7)
            seen.append(found and found[0])
    assert seen[0] is None
    assert len(set(seen)) >= 3


@pytest.mark.parametrize("state", [zlib.compress(b"no header"), b"not compressed", b""])
def test_a_snapshot_that_holds_anything_else_is_ignored(url, state):
    with Tournament(NAMES, url) as tournament:
        play_some(tournament, 5)
        tournament.store.save_snapshot(10, snapshots.fingerprint(tournament.settings), state)
    with Tournament(store=url) as again:
        assert again.n_matches == 5
        assert again.verify().problems == []


def test_a_snapshot_with_other_settings_or_versions_is_not_used(url, monkeypatch):
    monkeypatch.setattr(ledger, "SNAPSHOT_EVERY", 1)
    tournament = Tournament(NAMES, url, seed=3)
    play_some(tournament, 3)
    assert snapshots.load(tournament.store, tournament.settings) is not None
    assert snapshots.load(tournament.store, Tournament(NAMES, seed=4).settings) is None
    monkeypatch.setattr(snapshots, "__version__", "0.0.0")
    assert snapshots.load(tournament.store, tournament.settings) is None


def do_anything(tournament, rng):
    """One of the things that can happen in a tournament."""
    state = state_of(tournament)
    names = [state.names[player] for player in state.active()]  # only they can be requested
    kind = rng.choice(
        ["ask", "ask", "ask", "tell", "tell", "void", "late", "request", "add", "pause", "retract"]
    )
    pending = tournament.pending()
    if kind == "ask":
        tournament.ask()
    elif kind == "tell" and pending:
        tournament.tell(rng.choice(pending), rng.choice([0.0, 0.5, 1.0]))
    elif kind == "void" and pending:
        tournament.void(rng.choice(pending), "it was boring")
    elif kind == "late":
        void = [event.match for event in tournament.store.events("void")]
        told = {row.number for row in tournament.matches()}
        if late := [number for number in void if number not in told]:
            tournament.tell(rng.choice(late), 1.0)
    elif kind == "retract":
        if told := [row.number for row in tournament.matches() if row.number is not None]:
            tournament.retract(rng.choice(told), "it was wrong")
    elif kind == "request":
        tournament.request(*rng.sample(names, 2))
    elif kind == "add":
        tournament.add_results([(*rng.sample(names, 2), 0.5)])
    elif rng.random() < 0.3:
        name = rng.choice(names)
        if len(names) > 3:
            tournament.pause(name)
        else:
            for paused in set(tournament.names) - set(names):
                tournament.resume(paused)


@pytest.mark.parametrize(
    ("seed", "lag"),
    [
        *[(0, 0), (1, 1), (1, 3)],
        *[
            pytest.param(seed, lag, marks=pytest.mark.slow)
            for seed, lag in [(1, 0), (0, 1), (0, 3)]
        ],
    ],
)
def test_whatever_happened_a_snapshot_agrees_with_the_record(url, seed, lag):
    rng = random.Random(seed)
    n_saved = 0
    with Tournament([*NAMES, "eve", "fay"], url, seed=seed, lag=lag) as tournament:
        for _ in range(40):
            do_anything(tournament, rng)
            state = state_of(tournament)
            if state.pairing is None:
                continue  # the players have changed: no snapshot is saved
            n_saved += 1
            snapshots.save(tournament.store, state)
            assert snapshots.load(tournament.store, tournament.settings) is not None
    assert n_saved > 20
