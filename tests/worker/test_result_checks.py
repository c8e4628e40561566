"""A reported result is checked: score, games, complaints and data."""

import pytest

from maxin.core import InvalidInput
from maxin.tournament import Tournament
from tests.helpers.leagues import NAMES


@pytest.mark.parametrize("score", [-0.1, 1.1, float("nan"), "won", None])
def test_a_score_outside_the_unit_interval_is_refused(score):
    tournament = Tournament(NAMES)
    ticket = tournament.ask()
    with pytest.raises(InvalidInput, match=r"share of the win.*match 1 got"):
        tournament.tell(ticket, score)
    assert tournament.tell(ticket, 0.3)


def test_the_score_of_a_match_is_the_mean_of_its_games():
    tournament = Tournament(NAMES)
    ticket = tournament.ask()
    with pytest.raises(InvalidInput, match=r"the mean of its games; 0\.5 is not the mean of 1, 1"):
        tournament.tell(ticket, 0.5, games=[1.0, 1.0])
    with pytest.raises(InvalidInput, match="games must be a list"):
        tournament.tell(ticket, 0.5, games=[])
    with pytest.raises(InvalidInput, match="share of the win"):
        tournament.tell(ticket, 1.0, games=[2.0, 0.0])
    assert tournament.tell(ticket, 0.75, games=[1.0, 0.5])
    (played,) = tournament.matches()
    assert played.games == (1.0, 0.5)


def test_errors_and_data_are_kept_with_the_result():
    tournament = Tournament(NAMES)
    tournament.tell(tournament.ask(), 1.0, errors=["slow"], data={"plies": 12})
    (played,) = tournament.matches()
    assert (played.errors, played.data) == (("slow",), {"plies": 12})
