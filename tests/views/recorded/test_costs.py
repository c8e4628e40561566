"""The cost of a tournament is the sum of what its matches report."""

import json

import pytest

from maxin.core import InvalidInput
from maxin.tournament import Tournament
from maxin.views import TotalCost
from maxin.views.recorded.costs import cost_of
from tests.helpers.leagues import NAMES


@pytest.mark.parametrize(
    ("data", "cost"),
    [
        ({}, None),
        ({"cost": 0}, 0.0),
        ({"cost": 0.25, "moves": 3}, 0.25),
        ({"games": [{"cost": 1}, {}, {"cost": 0.5}]}, 1.5),
        ({"cost": 1, "games": [{"cost": 2}]}, 3.0),
        ({"cost": True}, None),
        ({"cost": "12"}, None),
        ({"cost": [1]}, None),
        ({"games": 3}, None),
        ({"games": [3, None]}, None),
        ({"cost": 10**400}, None),
    ],
)
def test_a_cost_is_a_number_of_a_match_or_of_its_games(data, cost):
    assert cost_of(data) == cost


def test_no_costs_are_no_cost():
    assert TotalCost.of([]) is None
    assert TotalCost.of([{"moves": 3}]) is None
    assert Tournament(NAMES).cost() is None


@pytest.mark.parametrize("games", [1, 2])
def test_a_tournament_sums_the_costs_of_its_matches(games):
    tournament = Tournament(NAMES, games_per_match=games)

    def play(first, second, seed):
        data = {"cost": 0.25} if seed % 2 else {"note": "the cost is not known"}
        return {"score": first < second, "data": data}

    report = tournament.run(play, budget=12, confidence=None)
    n_with = sum(match.seed % 2 for match in tournament.matches())
    assert report.cost == tournament.cost() == TotalCost(0.25 * games * n_with, n_with)
    assert str(report).endswith(str(report.cost))
    assert str(report.cost) in report._repr_html_()
    json.dumps(report.cost.document())


def test_results_of_other_sources_count_too():
    tournament = Tournament(NAMES)
    ticket = tournament.ask()
    tournament.tell(ticket, 1.0, data={"cost": 0.5})
    tournament.tell(tournament.ask(), 1.0)
    assert tournament.cost() == TotalCost(0.5, 1)


def test_a_result_with_an_invalid_cost_is_refused():
    tournament = Tournament(NAMES)
    ticket = tournament.ask()
    with pytest.raises(InvalidInput, match="a cost must be a number of at least 0"):
        tournament.tell(ticket, 1.0, data={"cost": -0.5})
    assert tournament.n_matches == 0
