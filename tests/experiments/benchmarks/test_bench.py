"""The bench in small: races and stops are functions of their descriptions, and tables are right."""

import math
import subprocess
import sys

import numpy as np
import pytest
from scipy.stats import kendalltau

from maxin.core import InvalidInput, Match, UnknownName
from maxin.experiments.archive import Archive
from maxin.experiments.benchmarks.paper_games import OURS, Table, experiments, limits_section
from maxin.experiments.benchmarks.questions import (
    BEST,
    FLIGHT,
    SCHEDULERS,
    STOP,
    Arena,
    Question,
    by_seed,
    check_contestants,
    races,
    stops,
    with_posterior,
)
from maxin.experiments.benchmarks.races import Course, Race, game_of, reading_rounds, run_race
from maxin.experiments.benchmarks.report import (
    best_section,
    flight_section,
    goals_section,
    rules_section,
    stop_section,
)
from maxin.experiments.benchmarks.stops import (
    DECIDED,
    RULES,
    TIED,
    Ending,
    Stop,
    Watch,
    evidence,
    run_stop,
)
from maxin.experiments.estimates import matches_needed, mean_over, needed_interval, wilson
from maxin.experiments.pool import complete
from maxin.experiments.reproduction.runs import fingerprint
from maxin.experiments.simulation import start_simulation
from maxin.games import Game, make_game
from maxin.ratings import Posterior

needs_pyarrow = pytest.mark.skipif(
    "not __import__('importlib').util.find_spec('pyarrow')", reason="the extra 'paper'"
)
FIELD = "field:n_players=5,spread=2"


def same(one, other):
    return all(np.array_equal(a, b) for a, b in zip(one, other, strict=True))


def test_a_race_is_a_function_of_its_description():
    race = Race(FIELD, "", "top-two", 60, 0)
    assert same(run_race(race), run_race(race))
    others = [Race(FIELD, "", "top-two", 60, 1), Race(FIELD, "", "top-two", 60, 0, in_flight=4)]
    assert not any(same(run_race(race), run_race(other)) for other in others)
    assert len({race.key, *(other.key for other in others)}) == 3


def test_a_race_reads_what_the_simulation_says():
    course = run_race(Race(FIELD, "", "random+bradley-terry", 50, 3))
    simulation = start_simulation(game_of(FIELD, 3), "random+bradley-terry", 3)
    for place, rounds in enumerate(reading_rounds(50)):
        simulation.advance(int(rounds) - simulation.n_rounds)
        leader = simulation.scheduler.ratings().argmax()
        assert course.reciprocal_rank[place] == np.float32(1 / simulation.rank)
        if rounds > 10:
            assert course.found[place] == (leader == game_of(FIELD, 3).ratings.argmax())
            tau = kendalltau(simulation.scheduler.ratings(), game_of(FIELD, 3).ratings).statistic
            assert course.ordered[place] == pytest.approx(0.5 + tau / 2.0)
    assert course.regret[-1] == np.float32(simulation.regret)


def test_readings_end_with_the_last_match():
    for rounds in (10, 199, 4000, 30_000):
        readings = reading_rounds(rounds)
        assert readings[0] >= 1
        assert readings[-1] == rounds
        assert (np.diff(readings) > 0).all()


@pytest.mark.parametrize("scheduler", SCHEDULERS)
def test_as_many_matches_fly_as_may(scheduler):
    game = game_of(FIELD, 0)
    simulation = start_simulation(game, scheduler, 0, in_flight=3)
    for _ in range(20):
        simulation.advance(1)
        assert len(simulation.scheduler.in_flight) == 2  # one of three is back
    assert simulation.n_rounds == 20


def test_a_schedule_that_ends_lands_all_its_matches():
    simulation = start_simulation(game_of(FIELD, 0), "round-robin", 0, in_flight=4)
    simulation.advance(100)
    assert simulation.is_over
    assert simulation.n_rounds == 10


def test_a_stop_says_when_and_whether_it_was_right():
    stop = Stop(FIELD, "", "top-two", 2000, 7, confidence=0.9)
    ending = run_stop(stop)
    assert same(ending, run_stop(stop))
    assert ending.matches[DECIDED] > 0
    simulation = start_simulation(game_of(FIELD, 7), "top-two", 7)
    simulation.advance(int(ending.matches[DECIDED]))
    is_right = simulation.scheduler.ratings().argmax() == game_of(FIELD, 7).ratings.argmax()
    assert ending.is_wrong[DECIDED] == (not is_right)
    assert ending.matches[TIED] == ending.matches[DECIDED]  # without an indifference
    assert ending.matches[2] <= ending.matches[DECIDED]  # a fifth of the risk takes longer
    assert ending.matches[3] <= ending.matches[5]


def test_a_stop_that_never_comes():
    ending = run_stop(Stop("rock-paper-scissors", "", "top-two", 30, 0, confidence=0.999))
    assert (ending.matches == -1.0).all()
    assert not ending.is_wrong.any()
    assert 0.0 <= ending.covered <= 1.0


def test_a_wrong_stop_and_a_wrong_tie_are_seen():
    posterior = Posterior(3)
    posterior.belief.strengths[:] = [0.1, 0.0, -3.0]
    posterior.belief.strength_cov[:] = 1e-6 * np.eye(3)
    stop = Stop("", "", "top-two", 10, 0, indifference=50.0)
    right, wrong = (
        Watch(posterior, np.array(truth), stop) for truth in ([1, 0, -1.0], [0, 1, -1.0])
    )
    for watch in (right, wrong):
        watch.look(5)
        assert (watch.matches == 5.0).all()
        assert watch.is_over
    assert not right.is_wrong.any()
    assert wrong.is_wrong.all()
    posterior.belief.strength_cov[:] = 4e-3 * np.eye(3)  # the best two cannot be told apart
    far, near = (Watch(posterior, np.array(truth), stop) for truth in ([2.0, 0, -1], [0.1, 0, -1]))
    for watch, is_wrong in ((far, 1.0), (near, 0.0)):
        watch.look(5)
        assert watch.is_tied == 1.0
        assert watch.is_wrong[TIED] == is_wrong
        assert watch.matches[DECIDED] == -1.0


def test_evidence_by_hand():
    means, cov = np.array([1.0, 0.0, 0.5]), np.diag([0.1, 0.3, 0.15])
    z = [1.0 / math.sqrt(0.4), 0.5 / math.sqrt(0.25)]
    tails = sum(0.5 * math.erfc(value / math.sqrt(2.0)) for value in z)
    assert evidence(means, cov, 0) == pytest.approx((tails, min(z) ** 2 / 2.0))


def test_those_with_a_posterior_can_say_when_to_stop():
    names = ["top-two:k=3", "random+elo", "ranking", "alpha-ig", "double-thompson:alone=self"]
    assert with_posterior(names) == [names[0], names[2], names[4]]
    with pytest.raises(UnknownName, match="top-two"):
        with_posterior(["top-too"])


def test_limits_by_hand():
    payoffs = [[0.0, -0.2, 0.9], [0.2, 0.0, 0.1], [-0.9, -0.1, 0.0]]  # the second beats the best
    twins = [[0.0, 0.0, 0.5], [0.0, 0.0, 0.5], [-0.5, -0.5, 0.0]]
    games = {"AlphaStar": Game("upset", payoffs), "5,3-Blotto": Game("twins", twins)}
    upset, tied = limits_section(games).rows
    assert upset[1:4] == ["3", "2000", "1"]
    assert upset[-2:] == ["0.400", "never"]
    assert tied[3] == "2"
    assert tied[-2:] == ["0.750", f"{(1.645 / 0.5) ** 2:.0f}"]


def test_matches_needed_by_hand():
    rounds = np.array([10, 20, 40, 80])
    found = np.array([[0, 0, 1, 1], [0, 1, 0, 1], [0, 1, 1, 1], [0, 0, 1, 1.0]])
    # means 0, 1/2, 3/4, 1: 0.9 lies three fifths of the way from 40 to 80
    assert matches_needed(found, rounds) == pytest.approx(64.0)
    assert matches_needed(found[:, :3], rounds[:3]) == math.inf
    assert matches_needed(np.ones((2, 4)), rounds) == 10.0
    low, high = needed_interval(found, rounds, np.random.default_rng(0))
    assert low <= 64.0 <= high
    np.testing.assert_allclose(mean_over(found[:1], rounds), [(0 * 10 + 0.5 * 20 + 40) / 70])
    np.testing.assert_allclose(mean_over(found[:1], rounds, start=0.5), [1.0])


@pytest.mark.parametrize(("k", "n"), [(0, 20), (3, 20), (20, 20), (7, 2000)])
def test_wilson_is_where_the_score_test_turns(k, n):
    for bound in wilson(k, n):
        if 0.0 < bound < 1.0:
            score = (k / n - bound) / math.sqrt(bound * (1.0 - bound) / n)
            assert abs(score) == pytest.approx(1.96, abs=1e-3)


def course(found, rounds):
    curve = np.array(found, dtype=np.float32)
    return Course(curve, curve, np.cumsum(curve), curve, curve)


def test_tables_by_hand(tmp_path):
    pytest.importorskip("matplotlib", reason="the extra 'plot'")
    arena = Arena("tiny", FIELD, 2)  # read after one match and after two
    one = {(arena, "a"): [course([0, 1], 2)] * 3, (arena, "b"): [course([0, 0], 2)] * 3}
    [first, second] = best_section(one, tmp_path).rows
    assert first[:5] == ["tiny", "a", "3", "2 [2, 2]", "1.00"]
    assert first[5] == "1.00 [0.44, 1.00]"
    assert second[3:5] == ["> 2 [> 2, > 2]", "> 1.1"]
    goals = goals_section({"top": one, "ordered": one}, tmp_path)
    assert [row[2] for row in goals.rows] == ["a", "b"] * 2
    assert goals.rows[2][4:8] == ["0.95", "2 [2, 2]", "1.00", "1.00 ± 0.00"]
    [row, _] = flight_section(one, {**one, (arena, "a"): one[arena, "b"]}, 16, tmp_path).rows
    assert row[-2] == "+100.0 ± 0.0 %"
    stopped, never = (
        Ending(np.full(len(RULES), matches), np.full(len(RULES), wrong), 0.0, 0.8, 1.0)
        for matches, wrong in ((1.0, 1.0), (-1.0, 0.0))
    )
    endings = {"a": {arena: [stopped, never, never]}}
    [row] = stop_section(endings, 0.95, 50.0, tmp_path).rows
    assert row[3:7] == ["3", "2", "2", "1 / 1"]  # the median is the cap
    assert row[-2:] == ["0.800", "1.00"]
    assert rules_section(endings).rows[0][3] == "1 / 1, 2"


@needs_pyarrow
def test_numbers_do_not_depend_on_workers_and_nothing_is_done_twice(tmp_path):
    asked = Question((Arena("tiny", FIELD, 40),), n_seeds=3)
    tasks = by_seed(races(asked, ["top-two", "random"], 2000).values())
    assert [task.scheduler for task in tasks[:2]] == ["top-two", "random"]
    told = []
    one, two = (
        complete(
            tasks, run_race, Archive(tmp_path / str(workers), Course), workers=workers,
            progress=told.append,
        )
        for workers in (1, 2)
    )  # fmt: skip
    assert sum(told) == 2 * sum(task.rounds for task in tasks)
    assert all(same(one[task], two[task]) and same(one[task], run_race(task)) for task in tasks)
    files = sorted((tmp_path / "1").iterdir())
    again = complete(
        tasks, run_race, Archive(tmp_path / "1", Course), workers=1, progress=told.append
    )
    assert sorted((tmp_path / "1").iterdir()) == files
    assert all(same(one[task], again[task]) for task in tasks)


@needs_pyarrow
def test_endings_come_back_as_they_were(tmp_path):
    [tasks] = stops(Question((Arena("t", FIELD, 300),), 2), "top-two", 5, 0.9, 50.0).values()
    archive = Archive(tmp_path, Ending)
    done = {task: run_stop(task) for task in tasks}
    archive.add(done)
    found = archive.outcomes(tasks)
    assert all(same(found[task], done[task]) for task in tasks)


def test_files_are_told_apart_by_what_is_in_them(tmp_path):
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


def test_the_standard_questions_can_be_asked():
    for asked in (BEST, FLIGHT, STOP):
        check_contestants(asked, ["top-two"])


@pytest.mark.parametrize(
    ("games", "schedulers", "words"),
    [
        ([FIELD, FIELD], ["random"], "every --game once"),
        ([FIELD], ["random", "random"], "every --scheduler once"),
        (["fieldd"], ["random"], "did you mean 'field'"),
        ([FIELD], ["top-tow"], "did you mean 'top-two'"),
    ],
)
def test_what_is_asked_amiss_is_named(games, schedulers, words):
    asked = Question(tuple(Arena(game, game, 10) for game in games), 1)
    with pytest.raises(InvalidInput, match=words):
        check_contestants(asked, schedulers)


def test_fields_are_as_asked():
    for seed in range(20):
        rng = np.random.default_rng(seed)
        game = make_game("field:n_players=4,most_players=6,kappa=1,least_gap=0.1,most_gap=0.5", rng)
        assert 4 <= game.n_players <= 6
        second, best = np.sort(game.ratings)[-2:]
        assert 0.1 <= best - second <= 0.5 + 1e-9
    flat = make_game("field:n_players=40,spread=0,kappa=1,cycles=sparse", np.random.default_rng(0))
    assert 0.05 < (flat.payoffs != 0).mean() < 0.15
    ladder = make_game("field:n_players=10", np.random.default_rng(0))
    advantages = np.log(ladder.probabilities / ladder.probabilities.T)
    np.testing.assert_allclose(advantages, np.subtract.outer(*[ladder.ratings] * 2), atol=1e-9)


def test_draws_are_as_many_as_asked():
    game = make_game("field:n_players=2,spread=0.5,draws=0.6", np.random.default_rng(1))
    rng, chance = np.random.default_rng(0), game.probabilities[0, 1]
    scores = np.array([game.play(Match(0, 1), rng) for _ in range(20_000)])
    assert scores.mean() == pytest.approx(chance, abs=0.015)
    assert (scores == 0.5).mean() == pytest.approx(1.2 * min(chance, 1 - chance), abs=0.015)


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("field:n_players=5,most_players=4", "most_players is at least 5"),
        ("field:spread=2,most_spread=1", "most_spread is at least 2"),
        ("field:spread=50", "spread must be from 0 to 10"),
        ("field:draws=1.5", "draws must be from 0 to 1"),
        ("field:kappa=1,cycles=round", "no kind of cycles named 'round'"),
        ("field:n_players=2,least_gap=90", "a gap from 90 to inf nats"),
    ],
)
def test_fields_that_cannot_be_are_refused(text, words):
    with pytest.raises(InvalidInput, match=words):
        make_game(text, np.random.default_rng(0))
    assert issubclass(UnknownName, InvalidInput)


def test_the_papers_games_are_tuned_on_other_seeds_than_they_are_measured_on():
    for experiment in experiments(OURS, 10_000, 50):
        assert not set(experiment.tuning_seeds) & set(experiment.fresh_seeds)
        assert len(experiment.fresh_seeds) == 50
        assert {line.name for line in experiment.algorithms} >= {*OURS, "MaxIn", "Random + MAP fit"}


def bench(*arguments, cwd):
    call = [sys.executable, "-m", "maxin", "bench", *arguments, "--workers", "1"]
    return subprocess.run(call, capture_output=True, text=True, cwd=cwd, timeout=120, check=False)


@needs_pyarrow
def test_the_command_writes_tables_and_pictures_and_goes_on(tmp_path):
    pytest.importorskip("matplotlib", reason="the extra 'plot'")
    small = (
        "--game",
        FIELD,
        "--seeds",
        "2",
        "--rounds",
        "30",
        "--scheduler",
        "top-two",
        "--out",
        "b",
    )
    done = bench(*small, cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    page = (tmp_path / "b" / "benchmarks.md").read_text()
    for words in ("Finding the best", "Stopping at confidence 0.95", "16 matches in flight", FIELD):
        assert words in page
    for name in ("best", "stop", "flight"):
        assert (tmp_path / "b" / "figures" / f"bench-{name}.png").stat().st_size > 5000
    runs = sorted((tmp_path / "b" / "runs").rglob("*.parquet"))
    again = bench(*small, cwd=tmp_path)
    assert sorted((tmp_path / "b" / "runs").rglob("*.parquet")) == runs
    assert again.stdout == done.stdout


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (("--confidence", "1.5"), "--confidence is from 0.5 to below 1; got 1.5"),
        (("stop", "--scheduler", "random"), "need a scheduler with a posterior, such as top-two"),
        (("stop", "--indifference", "inf"), "--indifference is a number of Elo points; got inf"),
        (("goals", "--game", "good-bad:good=1,bad=1"), "top-two:k=3 on good-bad:good=1,bad=1: "),
        (("best", "--game", "fieldd"), "did you mean 'field'"),
        (("best", "--game", FIELD, "--out", "taken"), "cannot be a folder"),
        (("paper", "--paper", "nowhere"), "there is no folder 'nowhere' of payoff files"),
    ],
)
def test_the_command_says_what_is_amiss(arguments, words, tmp_path):
    (tmp_path / "taken").write_text("")
    done = bench(*arguments, cwd=tmp_path)
    assert done.returncode == 2
    assert words in done.stderr


def test_means_over_games():
    class Line:
        def __init__(self, game, algorithm, regret):
            self.game, self.algorithm, self.regret = game, algorithm, regret

        def curves(self, name):
            return np.array(self.regret)[:, None]

    games = [type("Game", (), {"name": name})() for name in "xy"]
    table = Table([Line(games[0], "a", [1.0, 3.0]), Line(games[1], "a", [4.0, 4.0])], "regret")
    assert table.rows(["a"]) == [["x", "2.00 ± 1.00"], ["y", "4.00 ± 0.00"], ["mean", "3.000"]]
