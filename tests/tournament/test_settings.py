"""Settings: checked when a tournament starts, and fixed afterwards."""

import dataclasses

import numpy as np
import pytest

from maxin.core import InvalidInput, UnknownName
from maxin.core.declaration import declared
from maxin.schedulers import SCHEDULERS
from maxin.tournament import Settings, SettingsDiffer, Tournament
from maxin.tournament.settings import settled
from tests.helpers.leagues import NAMES, play_some


@pytest.mark.parametrize(
    ("wrong", "message"),
    [
        ({"games_per_match": 3}, "games_per_match must be 1, or an even number .*; got 3"),
        ({"games_per_match": 1002}, "up to 1,000: games are played in pairs; got 1002"),
        ({"games_per_match": 0}, "games_per_match must be 1, or an even number .*; got 0"),
        ({"lag": -1}, "lag must be a whole number of at least 0; got -1"),
        ({"min_matches": -1}, "min_matches must be a whole number of at least 0; got -1"),
        ({"seed": 1.5}, "seed must be a whole number"),
        ({"first_advantage": 1}, "first_advantage must be true or false; got 1"),
        ({"match": 7}, "match must be a text; got 7"),
        ({"anchor": 3500}, "anchor must be one player and its rating .*; got 3500"),
        ({"anchor": {"anna": float("inf")}}, "anchor must be one player and its rating"),
        ({"anchor": {"anna": True}}, "anchor must be one player and its rating"),
        ({"scheduler": "maxin:alone=self"}, "a player cannot play itself in a tournament"),
        ({"scheduler": "top-two:k=x"}, "must be int; got 'x'"),
        ({"scheduler": "top-two:k=²"}, "must be int; got '²'"),
        ({"scheduler": "top-two+elo"}, "top-two has ratings of its own"),
    ],
)
def test_invalid_settings_are_refused(wrong, message):
    with pytest.raises(InvalidInput, match=message):
        Settings(**wrong)
    with pytest.raises(InvalidInput, match=message):
        Tournament(NAMES, **wrong)


def test_an_unknown_scheduler_is_refused_with_the_nearest_name():
    with pytest.raises(UnknownName, match="did you mean 'maxin'"):
        Tournament(NAMES, scheduler="maxim")


def test_different_settings_are_refused_one_by_one(url):
    Tournament(NAMES, url, seed=3).close()
    with pytest.raises(SettingsDiffer) as caught:
        Tournament(NAMES, url, goal="top-2", seed=4, scheduler="random")
    assert "goal is 'best' in the store and 'top-2' here" in str(caught.value)
    assert "seed is 3 in the store and 4 here" in str(caught.value)
    assert "scheduler is 'top-two' in the store and 'random' here" in str(caught.value)
    Tournament(NAMES, url, seed=3).close()


def test_settings_that_are_not_given_are_the_stored_ones(url):
    given = {"seed": 3, "scheduler": "random", "games_per_match": 2, "lag": 1, "min_matches": 2}
    first = Tournament(NAMES, url, goal="top-2", first_advantage=True, match="by hand", **given)
    first.close()
    again = Tournament(store=url)
    assert again.settings == first.settings == Settings(
        goal="top-2", first_advantage=True, match="by hand", **given
    )  # fmt: skip


def test_the_description_of_matches_may_change_before_the_first_result(url):
    Tournament(NAMES, url, match="command: pley.py {a} {b}").close()
    tournament = Tournament(NAMES, url, match="command: play.py {a} {b}")
    assert tournament.settings.match == "command: play.py {a} {b}"
    play_some(tournament, 1)
    assert Tournament(store=url).settings.match == "command: play.py {a} {b}"
    with pytest.raises(SettingsDiffer, match=r"match is 'command: play\.py"):
        Tournament(NAMES, url, match="command: other.py {a} {b}")


def test_stored_settings_of_a_later_version_are_ignored():
    assert settled({"seed": 3, "colour": "blue"}, {}) == Settings(seed=3)


def test_settings_that_the_first_version_did_not_have_are_declared_as_additions():
    """Otherwise the fingerprints in older reports would no longer be found."""
    first = ["goal", "scheduler", "seed", "games_per_match", "first_advantage", "lag"]
    first += ["min_matches", "anchor"]
    assert [name for name, one in declared(Settings).items() if not one.is_addition] == first


def test_every_setting_but_the_anchor_changes_the_fingerprint():
    plain = Settings()
    others = [
        Settings(goal="ranking", scheduler="top-two"),
        Settings(goal="best", scheduler="random"),
        Settings(seed=1),
        Settings(games_per_match=2),
        Settings(first_advantage=True),
        Settings(lag=1),
        Settings(min_matches=1),
        Settings(match="by hand"),
        Settings(features=("step",)),
        Settings(half_life=1000),
    ]
    assert len(others) == len(dataclasses.fields(Settings)) - 1  # without the anchor
    assert len({settings.fingerprint for settings in [plain, *others]}) == len(others) + 1
    assert Settings(goal="best").fingerprint == plain.fingerprint
    assert Settings(anchor={"anna": 3500}).fingerprint == plain.fingerprint


@pytest.mark.parametrize("scheduler", SCHEDULERS)
def test_every_scheduler_can_be_made_for_two_players(scheduler):
    made = Settings(scheduler=scheduler).make_scheduler(2, np.random.default_rng(0))
    assert set(made.choose()) == {0, 1}


@pytest.mark.parametrize("scheduler", ["swiss", "knockout:cycles=none"])
def test_rounds_cannot_wait_for_results_that_a_lag_withholds(scheduler):
    assert Settings(scheduler=scheduler, lag=1).lag == 1
    with pytest.raises(InvalidInput, match="a lag of 3 withholds the last 2; lag must be 0 or 1"):
        Settings(scheduler=scheduler, lag=3)


def test_a_top_is_smaller_than_the_field_it_is_sought_in():
    settings = Settings(goal="top-3", scheduler="top-two:k=3,kappa=2.0")
    for n_players, k in [(2, 1), (3, 2), (4, 3), (9, 3)]:
        assert settings.make_scheduler(n_players, np.random.default_rng(0)).k == k


def test_a_huge_top_costs_nothing_to_check():
    assert Tournament(NAMES, goal="top-1000000").ask() is not None
