"""A snapshot that somebody else wrote runs no code, changes no number and takes little memory."""

import io
import pickle
import tracemalloc
import zlib

import numpy as np
import pytest

from maxin.core.stored import Unusable
from maxin.tournament import Tournament
from maxin.tournament.state import snapshots
from tests.helpers.command import right
from tests.helpers.inside import state_of
from tests.helpers.leagues import NAMES, play, play_some
from tests.helpers.snapshots import resealed

N_MATCHES = 12


class RunsCode:
    """Makes a file when it is unpickled, by means of a class of ours."""

    def __init__(self, path):
        self.path = path

    def __reduce__(self):
        return (Tournament, (["anna", "bo"], f"sqlite:///{self.path}"))


def pickled(thing):
    return zlib.compress(pickle.dumps(thing, protocol=5))


def as_it_is(path):
    return pickled(RunsCode(path))


def in_an_array(path):
    """NumPy's own functions rebuild the array around it."""
    return pickled(np.array([RunsCode(path)], dtype=object))


def in_our_format(path):
    """An array of objects in the place of an array of numbers."""
    body = io.BytesIO()
    np.lib.format.write_array(body, np.array([RunsCode(path)], dtype=object), allow_pickle=True)
    plain = snapshots.written({"n_told": np.zeros(1)})
    start = plain.index(b"\x93NUMPY")
    return zlib.compress(resealed(plain[:start] + body.getvalue()))


@pytest.fixture(params=["sqlite", "postgresql"])
def store_url(request, tmp_path):
    if request.param == "sqlite":
        return f"sqlite:///{tmp_path / 'league.db'}"
    return request.getfixturevalue("postgres_url")


@pytest.mark.parametrize("crafted", [as_it_is, in_an_array])
def test_a_crafted_snapshot_runs_no_code(store_url, tmp_path, crafted):
    check_that_it_runs_no_code(store_url, tmp_path, crafted)


def test_an_array_of_objects_runs_no_code(store_url, tmp_path):
    check_that_it_runs_no_code(store_url, tmp_path, in_our_format)


def check_that_it_runs_no_code(store_url, tmp_path, crafted):
    made = tmp_path / "made.db"
    with Tournament(NAMES, store_url, seed=3, match='payoff = "x"') as tournament:
        play_some(tournament, N_MATCHES)
        seq, key = state_of(tournament).seq, snapshots.fingerprint(tournament.settings)
        tournament.store.save_snapshot(seq, key, crafted(made))
    where = ("--store", store_url)
    assert len(right("export", *where).out.splitlines()) == N_MATCHES + 1
    assert right("show", *where, "--format", "json").document["n_matches"] == N_MATCHES
    right("report", tmp_path / "report.html", *where)
    assert "OK" in right("verify", *where).out
    assert not made.exists()
    with Tournament(store=store_url) as tournament:
        tournament.run(play, budget=N_MATCHES + 1)
        assert tournament.n_matches == N_MATCHES + 1
    assert not made.exists()


def test_commands_that_show_results_load_no_snapshot(store_url, tmp_path, monkeypatch):
    with Tournament(NAMES, store_url, seed=3) as tournament:
        play_some(tournament, N_MATCHES)
        snapshots.save(tournament.store, state_of(tournament))
    monkeypatch.setattr(snapshots, "load", lambda *_: pytest.fail("a snapshot was loaded"))
    for command in (["show"], ["report", tmp_path / "report.html"], ["export"]):
        right(*command, "--store", store_url)


def test_a_bomb_is_not_unpacked(tmp_path):
    bomb = zlib.compress(bytes(60_000_000))
    with Tournament(NAMES, f"sqlite:///{tmp_path / 'league.db'}") as tournament:
        play_some(tournament, N_MATCHES)
        state = state_of(tournament)
        tournament.store.save_snapshot(state.seq, snapshots.fingerprint(state.settings), bomb)
        tracemalloc.start()
        assert snapshots.load(tournament.store, tournament.settings) is None
        _, peak = tracemalloc.get_traced_memory()
        tracemalloc.stop()
        assert peak < 5 * snapshots.most_bytes(len(NAMES), 1_000)


def test_a_forged_shape_takes_no_memory():
    plain = snapshots.written({"games": np.zeros((4, 4))})
    shape = b"(4, 4), }" + b" " * 12
    assert shape in plain
    forged = resealed(plain.replace(shape, b"(99999999, 999999), }"))
    with pytest.raises(Unusable, match="another type, order or size"):
        snapshots.read(forged)
