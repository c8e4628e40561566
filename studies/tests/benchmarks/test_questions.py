"""The questions of the benchmark: their games, schedulers and seeds."""

import numpy as np
import pytest

from maxin.core import InvalidInput, UnknownName
from maxin.games import make_game
from maxin_studies.benchmarks.questions import (
    BEST,
    FLIGHT,
    STOP,
    Arena,
    Question,
    by_seed,
    check_contestants,
    races,
    with_posterior,
)
from maxin_studies.benchmarks.races import game_of
from maxin_studies.tasks import fingerprint

FIELD = "field:n_players=5,spread=2"


def test_schedulers_with_a_posterior_are_found():
    names = ["top-two:k=3", "random+elo", "ranking", "alpha-ig", "double-thompson:alone=self"]
    assert with_posterior(names) == [names[0], names[2], names[4]]
    with pytest.raises(UnknownName, match="top-two"):
        with_posterior(["top-too"])


def test_files_of_one_name_are_told_apart_by_their_content(tmp_path):
    path = tmp_path / "coin.npy"
    marks = []
    for payoff in (0.5, 0.6):
        np.save(path, [[0.0, payoff], [-payoff, 0.0]])
        game_of.cache_clear()
        [[race]] = races(Question((Arena("c", str(path), 20),), 1), ["random"], 2000).values()
        marks.append(race.fingerprint)
        assert race.fingerprint == fingerprint(make_game(str(path), np.random.default_rng(0)))
    assert len(set(marks)) == 2
    assert races(BEST, ["random"], 0)[BEST.arenas[0], "random"][0].fingerprint == ""


def test_the_standard_questions_are_valid():
    for question in (BEST, FLIGHT, STOP):
        check_contestants(question, ["top-two"])


def test_schedulers_take_turns_on_each_seed():
    question = Question((Arena("tiny", FIELD, 40),), n_seeds=3)
    tasks = by_seed(races(question, ["top-two", "random"], 2000).values())
    assert [(task.scheduler, task.seed) for task in tasks[:3]] == [
        ("top-two", 2000),
        ("random", 2000),
        ("top-two", 2001),
    ]


@pytest.mark.parametrize(
    ("games", "schedulers", "message"),
    [
        ([FIELD, FIELD], ["random"], "games must be different"),
        ([FIELD], ["random", "random"], "schedulers must be different"),
        (["fieldd"], ["random"], "did you mean 'field'"),
        ([FIELD], ["top-tow"], "did you mean 'top-two'"),
    ],
)
def test_invalid_contestants_are_named(games, schedulers, message):
    question = Question(tuple(Arena(game, game, 10) for game in games), 1)
    with pytest.raises(InvalidInput, match=message):
        check_contestants(question, schedulers)
