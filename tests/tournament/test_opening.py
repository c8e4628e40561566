"""A tournament is opened by its store: given, named in the environment, or new in memory."""

from pathlib import Path

import pytest

from maxin.core import InvalidInput
from maxin.storage import Store, StoreLost, open_store
from maxin.storage.database import outage
from maxin.tournament import Settings, SettingsDiffer, Tournament
from maxin.tournament.record import record
from maxin.worker import Blocked
from tests.helpers.command import call
from tests.helpers.leagues import NAMES, play_some


def test_the_environment_names_the_store(url, monkeypatch):
    monkeypatch.setenv("MAXIN_STORE", url)
    play_some(Tournament(NAMES), 3)
    assert Tournament().n_matches == 3


def test_a_given_store_comes_before_the_environment(url, monkeypatch):
    monkeypatch.setenv("MAXIN_STORE", url)
    play_some(Tournament(NAMES, "sqlite://"), 3)
    with pytest.raises(InvalidInput, match="no store at"):
        Tournament()


def test_a_store_in_memory_is_not_shared(monkeypatch):
    monkeypatch.delenv("MAXIN_STORE", raising=False)
    play_some(Tournament(NAMES), 3)
    assert Tournament(NAMES).n_matches == 0


def test_an_open_store_may_be_given():
    store = open_store("sqlite://")
    play_some(Tournament(NAMES, store), 3)
    assert Tournament(store=store).n_matches == 3


@pytest.mark.parametrize("kind", [str, Path])
def test_the_path_of_a_file_may_be_given(kind, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    for place in (kind(tmp_path / "league.db"), kind("here.sqlite")):
        with Tournament(NAMES, place) as tournament:
            play_some(tournament, 3)
        assert Tournament(store=f"sqlite:///{place}").n_matches == 3
        assert open_store(place, create=False).settings()
    with pytest.raises(InvalidInput, match=r"in Python, Tournament\(players, store\) creates one"):
        Tournament(store=kind("nothing.db"))


def test_without_players_the_store_must_exist(url):
    with pytest.raises(InvalidInput, match="no store at"):
        Tournament(store=url)
    Tournament(NAMES, url).close()
    assert Tournament(store=url).names == NAMES


def test_a_tournament_closes_its_store(url):
    with Tournament(NAMES, url) as tournament:
        play_some(tournament, 3)
    assert Tournament(store=url).n_matches == 3


def test_a_tournament_that_cannot_be_opened_closes_only_its_own_store(url, connections):
    Tournament(NAMES, url, seed=1).close()
    with pytest.raises(SettingsDiffer) as caught:
        Tournament(NAMES, url, seed=2)
    assert caught.traceback  # it holds the store, which must be closed all the same
    assert connections == [True, True]
    store = open_store(url)
    with pytest.raises(SettingsDiffer):
        Tournament(NAMES, store, seed=2)
    assert connections == [True, True, False]
    store.close()


@pytest.mark.parametrize("given", [{"players": ["anna", "eve"]}, {"players": NAMES, "seed": 2}])
def test_a_refusal_names_the_store_and_the_variable_that_leads_there(url, monkeypatch, given):
    Tournament(NAMES, url, seed=1).close()
    with pytest.raises(SettingsDiffer, match=f"the tournament in the store {url} was started"):
        Tournament(store=url, **given)
    monkeypatch.setenv("MAXIN_STORE", url)
    words = "set by the environment variable MAXIN_STORE"
    with pytest.raises(SettingsDiffer, match=rf"{url} \({words}\) was started with other"):
        Tournament(**given)


@pytest.fixture
def losses(monkeypatch):
    """Lets methods of stores fail three times each, as if their server was away."""
    monkeypatch.setattr(outage, "retry_pause", lambda attempt, asked: 0.0)
    monkeypatch.setattr(record, "PATIENCE", 0.0)  # a run waits longer

    def lose(*names):
        for name in names:
            monkeypatch.setattr(Store, name, failing(getattr(Store, name)))

    return lose


def failing(method):
    left = [StoreLost("the store is away")] * 3

    def fail_first(*arguments):
        if left:
            raise left.pop()
        return method(*arguments)

    return fail_first


def test_a_server_that_is_lost_while_a_tournament_is_opened_is_waited_for(url, losses, caplog):
    losses("transact", "players", "settings")
    with Tournament(NAMES, url) as tournament:
        assert tournament.names == NAMES
    assert caplog.messages[0] == "the store is away; trying again"


def test_a_server_that_is_lost_while_a_run_begins_is_waited_for(url, losses):
    seen = []
    with Tournament(NAMES, url) as tournament:
        losses("entries", "players", "identity")
        tournament.run(lambda *_: 0.5, budget=3, confidence=None, watch=seen.append)
        assert tournament.n_matches == 3
    assert [event for event in seen if isinstance(event, Blocked)] == [
        Blocked("the store is away; trying again")
    ]


def test_a_server_that_is_lost_while_the_command_opens_its_store_is_waited_for(url, losses, caplog):
    losses("settings", "transact", "players", "entries")
    flags = ["--payoff", "elo", "--budget", 3, "--confidence", "none", "--quiet"]
    assert call("run", "--store", url, *flags).code == 0
    caplog.clear()
    losses("settings", "transact", "players", "entries")
    assert call("run", "--store", url, "--budget", 4, "--confidence", "none", "--quiet").code == 0
    assert set(caplog.messages) == {"the store is away; trying again"}


@pytest.mark.parametrize(
    "wrong", [{"lag": -1}, {"anchor": {"nobody": 1500}}, {"features": ["step"]}, {"goal": "bset"}]
)
def test_a_mistake_leaves_no_store(tmp_path, wrong):
    with pytest.raises(InvalidInput):
        Tournament(NAMES, tmp_path / "league.db", **wrong)
    assert not list(tmp_path.iterdir())


def test_a_new_tournament_of_the_command_is_validated_once(url, monkeypatch):
    made = []
    check = Settings._check_scheduler
    monkeypatch.setattr(Settings, "_check_scheduler", lambda self: made.append(check(self)))
    assert call("start", "--player", "a", "--player", "b", "--store", url).code == 0
    assert len(made) == 1


def test_a_player_is_named_once_among_those_who_may_be_the_anchor(tmp_path):
    url = f"sqlite:///{tmp_path}/league.db"
    Tournament(["anna", "bo"], url).close()
    with pytest.raises(ValueError, match=r"known: anna, bo$"):
        Tournament(["anna", "bo"], url, anchor={"cy": 1.0})
