"""A tournament is opened by its store: given, named in the environment, or new in memory."""

import pytest

from maxin.core import InvalidInput
from maxin.storage import open_store
from maxin.tournament import SettingsDiffer, Tournament
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
