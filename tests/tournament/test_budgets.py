"""Budgets of cost and time: no match is handed out that they do not allow."""

from types import SimpleNamespace

import pytest

from maxin.core import Stop
from maxin.tournament import Tournament, budgets
from maxin.tournament.tournament import session_of
from maxin.worker import MatchesFailed
from maxin.worker.source import Ask, Renew
from tests.helpers.leagues import NAMES

FREE = {"confidence": None, "budget": 60}  # a test that fails ends


def priced(*costs):
    """A game that costs these, one after the other and again."""
    played = []

    def play(first, second, seed):
        played.append(seed)
        cost = costs[(len(played) - 1) % len(costs)]
        return {"score": float(first < second), "data": {"cost": cost}}

    return play


@pytest.fixture
def clock(monkeypatch):
    """The time, as budgets see it; a test moves it."""
    now = SimpleNamespace(seconds=1000.0)
    fake = SimpleNamespace(monotonic=lambda: now.seconds)
    monkeypatch.setattr(budgets, "time", fake)
    return now


@pytest.mark.parametrize("workers", [1, 3])
def test_a_run_ends_when_its_cost_is_spent(workers):
    report = Tournament(NAMES).run(priced(0.1), budget_cost=1.0, workers=workers, **FREE)
    assert (report.reason, report.n_matches) == ("budget", 10)
    assert str(report.cost) == "cost: 1 for 10 matches, 0.1 per match"
    assert report.sentence.startswith("the budget is spent after 10 matches; too early to say: ")
    assert report.sentence.endswith("; the cost is 1, and a match costs 0.1 on average")


def test_the_cost_is_exceeded_at_most_by_what_the_last_matches_cost_above_the_mean():
    costs = [0.02, 0.3, 0.11, 0.05]
    for budget in (0.5, 1.0, 3.0):
        report = Tournament(NAMES).run(priced(*costs), budget_cost=budget, **FREE)
        assert report.reason == "budget"
        assert budget - 0.3 < report.cost.total <= budget + max(costs) - 0.12


def test_the_cost_of_earlier_runs_counts_and_that_of_results_taken_back():
    tournament = Tournament(NAMES)
    assert tournament.run(priced(0.25), budget_cost=1.0, **FREE).n_new == 4
    assert tournament.run(priced(0.25), budget_cost=1.0, **FREE).n_new == 0
    tournament.retract(1, "it was a test")
    assert tournament.run(priced(0.25), budget_cost=1.0, **FREE).n_new == 0
    assert tournament.run(priced(0.25), budget_cost=1.5, **FREE).n_new == 2


def test_the_games_of_a_match_cost_together():
    tournament = Tournament(NAMES, games_per_match=2)
    assert tournament.run(priced(0.25), budget_cost=1.0, **FREE).n_new == 2


def test_a_cost_that_nobody_reports_ends_the_run_early():
    tournament = Tournament(NAMES)
    with pytest.raises(
        MatchesFailed, match=r"none of 10 results has a cost.*budget_cost 5"
    ) as caught:
        tournament.run(lambda first, second, seed: 0.5, budget_cost=5.0, **FREE)
    assert caught.value.report.n_matches == 10
    # Results of before do not count against those that have a cost.
    assert tournament.run(priced(0.5), budget_cost=5.0, **FREE).n_new == 10


def test_a_cost_below_zero_does_not_undo_a_budget():
    report = Tournament(NAMES).run(priced(0.5, -9.0), budget_cost=2.0, **FREE)
    assert (report.cost.total, report.cost.n_matches, report.n_matches) == (2.0, 4, 4)
    with pytest.raises(MatchesFailed, match=r"a cost must be a number of at least 0; got -1\.0"):
        Tournament(NAMES).run(priced(-1.0), budget_cost=1.0, **FREE)


def test_processes_share_the_cost_that_is_left(tmp_path):
    url = f"sqlite:///{tmp_path / 'league.db'}"
    with Tournament(NAMES, url) as one, Tournament(None, url) as other:
        held = []
        for tournament in (one, other) * 3:
            ticket = tournament.ask(budget_cost=1.0)
            held += [(tournament, ticket)]
            if len(held) == 1:
                tournament.tell(ticket, 1.0, data={"cost": 0.25})
        assert [ticket is None for _, ticket in held] == [False] * 4 + [True] * 2
        idle = other.idle_reason(budget_cost=1.0)
        reason = "the budget of a cost of 1 is spent; 3 matches pending"
        assert (idle.reason, idle.is_over) == (reason, False)
        one.tell(held[2][1], 1.0, data={"cost": 0.05})  # cheaper than the mean
        assert other.ask(budget_cost=1.0) is not None


def test_a_run_hands_out_no_match_once_its_time_is_over(clock):
    def play(first, second, seed):
        clock.seconds += 600.0
        return float(first < second)

    tournament = Tournament(NAMES)
    report = tournament.run(play, budget_time="1h", **FREE)
    assert (report.reason, report.n_new) == ("budget", 6)
    assert report.sentence.endswith("; the time of 1 hour is over")
    assert tournament.run(play, budget_time="21m", **FREE).n_new == 3  # a new run, a new clock


def test_a_match_that_was_given_back_is_not_handed_out_after_the_time(clock):
    tournament = Tournament(NAMES)
    session = session_of(tournament, Stop(confidence=None, budget_time="1m"))
    (first,) = session.answer(Ask(1)).tickets
    session.answer(Renew((first.id,), 0.0))
    (again,) = session.answer(Ask(1)).tickets
    assert again.id == first.id
    session.answer(Renew((first.id,), 0.0))
    clock.seconds += 60.0
    offers = session.answer(Ask(1))
    reason = "the budget of 1 minute is spent; 1 match pending"
    assert (list(offers.tickets), offers.idle.reason, offers.idle.is_over) == ([], reason, True)
    later = session_of(tournament, Stop(confidence=None, budget_time="1m"))  # its time begins now
    assert later.answer(Ask(1)).tickets[0].id == first.id


def test_whatever_is_spent_first_ends_the_run(clock):
    terms = {"budget": 3, "budget_cost": 1.0, "budget_time": "1h", "confidence": None}
    assert Tournament(NAMES).run(priced(0.1), **terms).n_new == 3
    assert Tournament(NAMES).run(priced(0.5), **terms).n_new == 2
    assert Tournament(["anna", "bo"]).run(priced(0.01), budget_cost=1.0).reason == "decided"


def test_the_budgets_of_the_last_run_are_recorded():
    tournament = Tournament(NAMES)
    tournament.run(priced(0.1), budget_cost=1, budget_time="120m", **FREE)
    assert tournament.last_stop() == Stop(**FREE, budget_cost=1.0, budget_time="2h")
    tournament.run(priced(0.1), budget=61, confidence=None)
    (*_, last) = tournament.store.events("run")
    assert last.detail == {"budget": 61, "confidence": None, "tolerance": 10.0}


def test_single_matches_have_no_time():
    with pytest.raises(TypeError, match=r"ask\(\) has no argument 'budget_time'"):
        Tournament(NAMES).ask(budget_time="2h")
