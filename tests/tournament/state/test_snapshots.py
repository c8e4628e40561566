"""Snapshots make resuming quick and change nothing else."""

import pickle
import zlib

import pytest

from maxin.schedulers import SCHEDULERS
from maxin.tournament import Tournament
from maxin.tournament.state import snapshots
from maxin.tournament.tickets import tickets as tickets_module
from tests.helpers.inside import state_of
from tests.helpers.leagues import NAMES, play_some, results_of


class Evil:
    """Runs code when it is unpickled."""

    def __reduce__(self):
        return (print, ("this must not run",))


def test_a_stored_tournament_resumes_where_it_was(url):
    whole = Tournament(NAMES, seed=3)
    play_some(whole, 60)
    parts = Tournament(NAMES, url, seed=3)
    for _ in range(6):
        play_some(parts, 10)
        parts.close()
        parts = Tournament(store=url)
    assert results_of(parts) == results_of(whole)
    assert list(parts.leaderboard()) == list(whole.leaderboard())
    assert parts.settings == whole.settings


@pytest.mark.parametrize("scheduler", SCHEDULERS)
def test_snapshots_change_nothing(scheduler, url, monkeypatch):
    endless = ":cycles=none" if scheduler in ("round-robin", "knockout") else ""
    plain = Tournament(NAMES, seed=3, scheduler=scheduler + endless)
    play_some(plain, 40)
    monkeypatch.setattr(tickets_module, "SNAPSHOT_EVERY", 1)
    parts = Tournament(NAMES, url, seed=3, scheduler=scheduler + endless)
    for _ in range(5):
        play_some(parts, 8)
        parts.close()
        parts = Tournament(store=url)
        loaded = snapshots.load(parts.store, parts.settings)
        assert loaded.seq == state_of(parts).seq
        assert state_of(parts).pairing is not None, "the snapshot was not used"
    assert results_of(parts) == results_of(plain)
    assert parts.verify().problems == []


def test_short_visits_save_snapshots_too(url, monkeypatch):
    monkeypatch.setattr(tickets_module, "SNAPSHOT_EVERY", 30)
    Tournament(NAMES, url).close()
    seen = []
    for _ in range(12):
        with Tournament(store=url) as tournament:
            play_some(tournament, 4)
            found = tournament.store.snapshot(snapshots.fingerprint(tournament.settings))
            seen.append(found and found[0])
    assert seen[0] is None
    assert len(set(seen)) >= 3


@pytest.mark.parametrize(
    "state",
    [
        zlib.compress(pickle.dumps(Evil())),
        zlib.compress(pickle.dumps({"a": "dict"})),
        zlib.compress(pickle.dumps(snapshots.fingerprint)),
        zlib.compress(b"not a pickle"),
        b"not compressed",
        b"",
    ],
    ids=["code", "another type", "a function", "no pickle", "not compressed", "empty"],
)
def test_a_snapshot_that_holds_anything_else_is_ignored(url, state, capsys):
    tournament = Tournament(NAMES, url)
    play_some(tournament, 5)
    fingerprint = snapshots.fingerprint(tournament.settings)
    tournament.store.save_snapshot(10**6, fingerprint, state)
    tournament.close()
    again = Tournament(store=url)
    assert again.n_matches == 5
    assert again.verify().problems == []
    assert capsys.readouterr().out == ""


def test_a_snapshot_with_other_settings_or_versions_is_not_used(url, monkeypatch):
    monkeypatch.setattr(tickets_module, "SNAPSHOT_EVERY", 1)
    tournament = Tournament(NAMES, url, seed=3)
    play_some(tournament, 3)
    assert snapshots.load(tournament.store, tournament.settings) is not None
    assert snapshots.load(tournament.store, Tournament(NAMES, seed=4).settings) is None
    monkeypatch.setattr(snapshots, "__version__", "0.0.0")
    assert snapshots.load(tournament.store, tournament.settings) is None
