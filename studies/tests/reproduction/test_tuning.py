"""The two protocols choose the settings they should."""

from dataclasses import replace

import numpy as np
import pytest

from maxin.games import make_game
from maxin_studies.reproduction.figures import Algorithm
from maxin_studies.reproduction.tuning import PROTOCOLS, lines
from studies.tests.helpers.small_paper import SMALL, outcome

GAMES = {"tiny": make_game("elo:n_players=6", np.random.default_rng(0))}


def test_hindsight_chooses_per_seed_and_held_out_once():
    values = {  # late RR of setting a and b per tuning seed: a wins seeds 0 and 1, b seed 2
        ("a", 0): 0.5, ("a", 1): 0.6, ("a", 2): 0.1, ("b", 0): 0.4, ("b", 1): 0.2, ("b", 2): 0.3,
    }  # fmt: skip
    experiment = replace(SMALL, algorithms=(Algorithm("x", ("a", "b")),))

    def complete(name, runs):
        return {run: outcome(values.get((run.scheduler, run.seed), 0.25), 10.0) for run in runs}

    found = {line.protocol: line for line in lines(experiment, GAMES, PROTOCOLS, complete)}
    assert found["hindsight"].settings == ("a", "a", "b")
    assert found["hindsight"].end("rr")[0] == pytest.approx((0.5 + 0.6 + 0.3) / 3)
    assert found["held-out"].settings == ("a",) * 4
    assert found["held-out"].end("rr")[0] == pytest.approx(0.25)


def test_regret_breaks_ties_in_the_rank():
    experiment = replace(SMALL, algorithms=(Algorithm("x", ("a", "b")),))

    def complete(name, runs):
        return {run: outcome(0.5, 5.0 if run.scheduler == "b" else 9.0) for run in runs}

    for line in lines(experiment, GAMES, PROTOCOLS, complete):
        assert set(line.settings) == {"b"}
