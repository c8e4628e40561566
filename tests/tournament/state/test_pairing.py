"""The scheduler depends on the record alone; with a lag not even on the order of results."""

import time

import pytest

from maxin.tournament import Tournament
from tests.helpers.leagues import NAMES, play, results_of


@pytest.mark.parametrize("scheduler", ["maxin", "maxinp", "rg-ucb", "dbgd", "random"])
def test_with_a_lag_the_number_of_workers_changes_nothing(scheduler):
    results = []
    answers = []
    for workers in (1, 3, 8):
        tournament = Tournament(NAMES, seed=4, lag=8, scheduler=scheduler)

        def at_leisure(first, second, seed):
            time.sleep(seed % 7 / 2000)  # so that results come back in another order
            return play(first, second, seed)

        report = tournament.run(at_leisure, budget=42, confidence=0.8, workers=workers)
        results.append(sorted(results_of(tournament)))
        answers.append((report.reason, report.top.players, report.n_matches))
    assert results[0] == results[1] == results[2]
    assert answers[0] == answers[1] == answers[2]


def test_with_a_lag_an_interrupted_run_continues_the_same(url):
    whole = Tournament(NAMES, seed=4, lag=5)
    whole.run(play, budget=40, confidence=None, workers=4)
    parts = Tournament(NAMES, url, seed=4, lag=5)
    for budget in (10, 23, 40):
        parts.run(play, budget=budget, confidence=None, workers=3)
        parts.close()
        parts = Tournament(store=url)
    assert sorted(results_of(parts)) == sorted(results_of(whole))


def test_a_void_match_and_an_imported_result_of_the_same_pair():
    tournament = Tournament(["anna", "bo", "cy"], scheduler="random")
    ticket = tournament.ask()
    tournament.add_results([(ticket.first, ticket.second, 1.0)])
    tournament.void(ticket, "played by hand")
    for _ in range(8):
        tournament.tell(tournament.ask(), 1.0)
    assert tournament.verify().problems == []
