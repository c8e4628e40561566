"""Runs of the paper: functions of their descriptions, and the same numbers as ever."""

import json
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from maxin.games import Game, make_game
from maxin.schedulers import make_scheduler
from maxin.simulation.simulation import Simulation
from maxin_studies.reproduction.figures import FIGURES, load_games
from maxin_studies.reproduction.runs import Run, reading_rounds

GAME = make_game("elo:n_players=6", np.random.default_rng(0))


def run_of(seed=0, scheduler="random", **changes):
    return replace(Run("tiny", "abc", scheduler, 60, seed, GAME), **changes)


def same(one, other):
    return all(np.array_equal(a, b) for a, b in zip(one[:-1], other[:-1], strict=True))


def test_a_run_is_a_function_of_its_description():
    assert same(run_of().run(), run_of().run())
    assert not same(run_of().run(), run_of(seed=1).run())
    assert run_of().key == run_of().key
    changed = [run_of(seed=1), run_of(scheduler="dbgd"), run_of(rounds=61)]
    assert len({run.key for run in [run_of(), *changed]}) == 4


def test_keys_of_stored_runs_stay_valid():
    assert run_of().key == "13e4034e61a470d044b6"


def test_all_settings_see_the_same_first_batch_on_a_seed():
    ends = [
        run_of(scheduler=f"maxin:batch_size=60,step_size={eta}", rounds=60).run().regret[-1]
        for eta in (0.1, 1, 10)
    ]
    assert len(set(ends)) == 1
    assert run_of(scheduler="maxin:batch_size=60", seed=1).run().regret[-1] != ends[0]


def test_curves_of_a_schedule_that_ends_early_stay_level():
    curves = run_of(scheduler="knockout").run()
    assert len(curves.regret) == 60
    assert (curves.regret[5:] == curves.regret[4]).all()


def test_the_last_reading_is_the_end_for_any_number_of_rounds():
    for rounds in (60, 100, 199, 250):
        curves = run_of(rounds=rounds).run()
        choices, play = (np.random.default_rng([0, stream]) for stream in (1, 2))
        simulation = Simulation(GAME, make_scheduler("random", 6, choices), play)
        simulation.advance(rounds)
        assert curves.regret[-1] == np.float32(simulation.regret)
        assert len(curves.regret) == len(reading_rounds(rounds))
        assert reading_rounds(rounds)[-1] == rounds


def test_ratings_that_overflow_count_as_the_worst_order():
    game = make_game("disc:n_players=20", np.random.default_rng(0))
    run = Run("disc", "", "random+melo:step_size=50", 2000, 0, game)
    with np.errstate(all="ignore"):
        curves = run.run()
    assert curves.rr_by_rating[-1] == np.float32(1 / 20)


def test_ranks_are_taken_by_rating_and_by_score():
    """Two players that neither measure ranks alike: one narrow loss, one nearly certain win."""
    game = Game("close", [[0, -0.2, 0.998], [0.2, 0, 1], [-0.998, -1, 0]])
    curves = Run("close", "", "round-robin:cycles=none", 300, 0, game).run()
    assert curves.rr_by_score[-1] == 1.0  # the fit sees wins, and the second player wins most
    assert curves.rr_by_rating[-1] == 0.5
    assert curves.hit_by_score[0] == 1.0
    assert curves.hit_by_rating[0] == 0.0
    assert curves.ndcg_by_score[0] == 1.0
    assert curves.ndcg_by_rating[0] == 0.0


def test_a_run_says_how_many_matches_it_played_and_who_is_left():
    ended = run_of(scheduler="knockout").run()
    assert (ended.n_played, ended.n_candidates, ended.keeps_best) == (5, 0, False)
    sure = Game("order", [[0, 1, 1], [-1, 0, 1], [-1, -1, 0]])
    left = Run("order", "", "maxin:exploration=0.2,alone=self", 100, 0, sure).run()
    assert (left.n_played, left.n_candidates, left.keeps_best) == (100, 1, True)
    wide = Run("order", "", "maxin:exploration=1000,alone=self", 100, 0, sure).run()
    assert (wide.n_candidates, wide.keeps_best) == (3, True)


GOLDEN = Path(__file__).parents[1] / "golden" / "figure_ends.json"


def small_ends(games):
    """Where the lines of a small Figure 2 and 3 end: two games, four seeds, one setting each."""
    ends = {}
    for figure in (FIGURES["figure2"], FIGURES["figure3"]):
        for game in (figure.games[0], figure.games[-1]):
            for line in figure.at_prior(1.0).algorithms:
                setting = line.settings[len(line.settings) // 2]
                runs = [
                    Run(game.name, "", setting, 400, seed, games[game.name]) for seed in range(4)
                ]
                outcomes = [run.run() for run in runs]
                regret = np.mean([outcome.regret[-1] for outcome in outcomes])
                rank = np.mean([outcome.mean_rr(game.truth) for outcome in outcomes])
                ends[f"{game.name}, {line.name}"] = [float(regret), float(rank)]
    return ends


def test_no_curve_has_moved(paper_games):
    """Ends of a small run against stored ones; run this file as a script to store them again."""
    golden = json.loads(GOLDEN.read_text())
    found = small_ends(paper_games)
    assert found.keys() == golden.keys()
    for name, (regret, rank) in golden.items():
        assert found[name][0] == pytest.approx(regret, rel=0.03), name
        assert found[name][1] == pytest.approx(rank, abs=0.05), name


if __name__ == "__main__":
    GOLDEN.parent.mkdir(exist_ok=True)
    GOLDEN.write_text(json.dumps(small_ends(load_games(None)), indent=1))
