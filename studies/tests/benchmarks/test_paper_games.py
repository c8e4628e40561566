"""The benchmark on the paper's games: seeds, limits and means."""

from maxin.games import Game
from maxin_studies.benchmarks.paper_games import OURS, Table, experiments, limits_section
from maxin_studies.reproduction.figures import PaperGame
from maxin_studies.reproduction.tuning import Line
from studies.tests.helpers.small_paper import outcome


def test_limits_by_hand():
    payoffs = [[0.0, -0.2, 0.9], [0.2, 0.0, 0.1], [-0.9, -0.1, 0.0]]  # the second beats the best
    twins = [[0.0, 0.0, 0.5], [0.0, 0.0, 0.5], [-0.5, -0.5, 0.0]]
    games = {"AlphaStar": Game("upset", payoffs), "5,3-Blotto": Game("twins", twins)}
    upset, tied = limits_section(games).rows
    assert upset[1:4] == ["3", "2000", "1"]
    assert upset[-2:] == ["0.400", "never"]
    assert tied[3] == "2"
    assert tied[-2:] == ["0.750", f"{(1.645 / 0.5) ** 2:.0f}"]


def test_the_papers_games_are_tuned_on_other_seeds_than_they_are_measured_on():
    for experiment in experiments(OURS, 10_000, 50):
        assert not set(experiment.tuning_seeds) & set(experiment.fresh_seeds)
        assert len(experiment.fresh_seeds) == 50
        assert {line.name for line in experiment.algorithms} >= {*OURS, "MaxIn", "Random + MAP fit"}


def line(game, algorithm, regrets):
    outcomes = tuple(outcome(1.0, end) for end in regrets)
    return Line(game, algorithm, "held-out", ("s",) * len(regrets), outcomes)


def test_means_over_games():
    games = [PaperGame(name, None, 10) for name in "xy"]
    table = Table([line(games[0], "a", [1.0, 3.0]), line(games[1], "a", [4.0, 4.0])], "regret")
    assert table.rows(["a"]) == [["x", "2.00 ± 1.00"], ["y", "4.00 ± 0.00"], ["mean", "3.000"]]
