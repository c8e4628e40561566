"""Plans: deterministic, in the right direction, and ended by the rule of a real run."""

import math
from types import SimpleNamespace

import numpy as np
import pytest

from maxin.core import InvalidInput, Stop, UnknownName
from maxin.evaluation.stop_checks import check_every
from maxin.simulation import plan, plan_again
from maxin.simulation.planned_tournament import (
    DecisionReader,
    PlannedEnd,
    PlannedTournament,
    StrengthGame,
    fixed_schedule,
)
from maxin.simulation.planning import BASELINES, Forecast
from maxin.tournament import Goal, Tournament

FIELD = [1.5, 0.2, 0.0, -0.3, -1.0]
FEW = {"n_tournaments": 3, "budget": 80}
FEWER = {"n_tournaments": 2, "budget": 30}


def planned(scheduler, number, confidence):
    return PlannedTournament(
        scheduler,
        number,
        len(FIELD),
        tuple(FIELD),
        1.0,
        0.0,
        "best",
        Stop(400, confidence, 0.0),
        seed=0,
    ).run()


def test_the_same_seed_gives_the_same_plan():
    found = plan(4, seed=3, **FEWER)
    assert found == plan(4, seed=3, **FEWER)
    assert found != plan(4, seed=5, **FEWER)


def test_a_huge_budget_costs_no_memory():
    found = plan(3, spread=800.0, n_tournaments=1, budget=10**30)
    assert found.stop.budget == 3_000


def test_the_number_of_processes_changes_nothing():
    assert plan_again(FIELD, **FEWER, processes=2) == plan_again(FIELD, **FEWER)


def test_more_confidence_needs_more_matches():
    early, late = (
        [planned("random", n, confidence) for n in range(8)] for confidence in (0.8, 0.99)
    )
    # The same matches with a later end: never fewer, for most tournaments more.
    pairs = list(zip(early, late, strict=True))
    assert all(late.n_matches >= early.n_matches for early, late in pairs)
    assert sum(late.n_matches > early.n_matches for early, late in pairs) > 5


def test_a_clear_best_player_takes_fewer_matches_than_a_close_one():
    clear = plan_again([2.5, 0.0, 0.0, -0.5], **FEW).forecasts[0]
    close = plan_again([0.1, 0.0, 0.0, -0.5], **FEW).forecasts[0]
    assert clear.n_matches(0.5) < close.n_matches(0.5)
    assert clear.undecided == 0.0
    assert clear.right > 0.8


def test_the_asked_scheduler_comes_first_and_the_baselines_once():
    found = plan(4, scheduler="random", n_tournaments=1, budget=10)
    assert [one.scheduler for one in found.forecasts] == ["random", BASELINES[0]]
    assert found.stop.budget == 10
    assert found.n_tournaments == 1


def test_another_scheduler_does_not_change_the_baselines():
    one = plan(4, scheduler="maxin", **FEWER).forecasts
    other = plan(4, scheduler="dbgd", **FEWER).forecasts
    assert one[1:] == other[1:]


def test_progress_counts_every_simulated_tournament():
    calls = []
    plan(4, n_tournaments=2, budget=5, progress=lambda *call: calls.append(call))
    assert calls == [("plan", number, 6) for number in range(7)]


def test_a_scheduler_that_ends_early_is_undecided_there():
    end = planned("round-robin:cycles=1", 0, confidence=0.9999)
    assert end.n_matches == 10
    assert not end.is_decided


def test_the_top_two_and_an_advantage_of_the_first_seat_can_be_planned():
    found = plan_again([3.0, 2.8, -1.0, -1.0], goal="top-2", first_advantage=100.0, **FEW)
    assert str(found.goal) == "top-2"
    assert found.forecasts[0].scheduler == "top-two:k=2"
    assert found.forecasts[0].n_matches(0.5) < math.inf
    assert found.forecasts[0].right == 1.0


def test_a_tolerance_ends_near_ties():
    strengths = [0.05, 0.0, -2.0]
    never = plan_again(strengths, n_tournaments=2, budget=200).forecasts[0]
    soon = plan_again(strengths, n_tournaments=2, budget=200, tolerance=150.0)
    assert soon.stop.tolerance == 150.0
    assert never.undecided == 1.0
    for forecast in soon.forecasts:
        assert forecast.undecided == 0.0
        assert forecast.right == 1.0


@pytest.mark.parametrize("scheduler", BASELINES)
def test_a_fixed_schedule_is_that_of_its_scheduler(scheduler):
    """Every pair meets equally often, or at random, and sits first equally often."""
    n_players, rounds = 5, 400
    matches = fixed_schedule(scheduler, n_players, rounds, np.random.default_rng(0))
    firsts = np.zeros((n_players, n_players))
    np.add.at(firsts, tuple(matches.T), 1)
    assert np.abs(firsts - firsts.T).max() <= 1
    met = (firsts + firsts.T)[np.triu_indices(n_players, 1)]
    expected = rounds / len(met)
    assert np.abs(met - expected).max() <= (0 if scheduler != "random" else 4 * expected**0.5)


def test_results_read_at_once_end_where_those_read_one_by_one_do():
    game, rng = StrengthGame(FIELD), np.random.default_rng(0)
    matches = fixed_schedule("random", 5, 400, rng)
    scores = game.play_all(matches, rng)
    at_once, singly = (DecisionReader(5, Goal(), Stop(confidence=0.9)) for _ in range(2))
    n_matches = at_once.read_all(matches, scores)
    simulation = SimpleNamespace(matches=[], n_rounds=0, last_score=0.0)
    for match, score in zip(matches.tolist(), scores.tolist(), strict=True):
        simulation.matches.append(match)
        simulation.n_rounds, simulation.last_score = simulation.n_rounds + 1, score
        if singly.read(simulation):
            break
    assert at_once.is_decided
    assert simulation.n_rounds == n_matches
    assert singly.end(n_matches, game.strengths) == at_once.end(n_matches, game.strengths)


class CountingReader(DecisionReader):
    n_checks = 0

    def _check(self, n_matches):
        self.n_checks += 1
        super()._check(n_matches)


class EveryReader(CountingReader):
    def _is_check(self, n_matches):
        return n_matches % check_every(self._tally.n_players, n_matches) == 0


def test_a_fifth_of_all_checks_end_a_tournament_hardly_later():
    game, rng = StrengthGame([1.5, *[0.0] * 10]), np.random.default_rng(3)
    matches = fixed_schedule("random", 11, 1100, rng)
    scores = game.play_all(matches, rng)
    few, every = (kind(11, Goal(), Stop()) for kind in (CountingReader, EveryReader))
    assert few.read_all(matches, scores) <= 1.05 * every.read_all(matches, scores)
    assert few.is_decided
    assert few.n_checks <= every.n_checks / 5


def test_quantiles_count_the_undecided_as_never():
    ends = [PlannedEnd(10 * n, n <= 8, True) for n in range(1, 11)]
    forecast = Forecast("maxin", tuple(ends))
    assert [forecast.n_matches(share) for share in (0.1, 0.5, 0.8)] == [10.0, 50.0, 80.0]
    assert forecast.n_matches(0.9) == math.inf
    assert forecast.hours(0.9, seconds=1.0) == math.inf
    assert forecast.undecided == pytest.approx(0.2)


def test_nothing_decided_is_neither_right_nor_wrong():
    assert math.isnan(Forecast("maxin", (PlannedEnd(10, False, True),)).right)


@pytest.mark.parametrize(
    ("wrong", "message"),
    [
        ({"n_players": 1}, "at least two players"),
        ({"goal": "top-4"}, "'top-4' needs more than 4 players; got 4"),
        ({"goal": "top-0"}, "goal must be"),
        ({"confidence": None}, "a plan needs a confidence"),
        ({"confidence": 1.0}, r"confidence must be a number from 0\.5 to below 1"),
        ({"spread": 0.0}, "spread must be positive"),
        ({"first_advantage": math.nan}, "first_advantage must be a finite number"),
        ({"n_tournaments": 0}, "n_tournaments must be at least 1"),
        ({"budget": 0}, "budget must be a whole number of at least 1"),
        ({"processes": 0}, "processes must be at least 1"),
        ({"seed": -1}, "seed must be at least 0"),
        ({"scheduler": "maxin:alone=self"}, "cannot play itself"),
    ],
)
def test_terms_that_cannot_be_simulated_are_refused(wrong, message):
    with pytest.raises(InvalidInput, match=message):
        plan(**({"n_players": 4} | wrong))


def test_an_unknown_scheduler_is_refused_by_name():
    with pytest.raises(UnknownName, match="maxim"):
        plan(4, scheduler="maxim")


@pytest.mark.parametrize("strengths", [[1.0], [[1.0, 2.0]], [math.nan, 0.0]])
def test_strengths_must_be_one_finite_number_per_player(strengths):
    with pytest.raises(InvalidInput):
        plan_again(strengths)


def test_a_real_run_ends_where_a_simulated_one_checks():
    strengths = {"anna": 3.0, "bo": 0.0, "cy": -0.5, "di": -1.0}
    tournament = Tournament(strengths, seed=2)

    def play(first, second, seed):
        chance = 1.0 / (1.0 + math.exp(strengths[second] - strengths[first]))
        return float(np.random.default_rng(seed).random() < chance)

    report = tournament.run(play, confidence=0.95, budget=400)
    assert report.reason == "decided"
    assert tournament.belief().top_verdict(1, Stop()).kind == "decided"
    assert report.n_matches % check_every(4, report.n_matches) == 0


def test_goal_and_scheduler_imply_each_other():
    few = {"n_tournaments": 1, "budget": 5}
    by_goal, by_scheduler = plan(4, goal="ranking", **few), plan(4, scheduler="ranking", **few)
    assert by_goal == by_scheduler
    assert str(by_goal.goal) == by_goal.forecasts[0].scheduler == "ranking"
    assert str(plan(4, scheduler="maxin", **few).goal) == "best"


def test_a_plan_of_too_many_players_is_refused_at_once():
    with pytest.raises(InvalidInput, match="at most 2,000 players; got 1,000,000,000"):
        plan(1_000_000_000)
