"""What a report shows, before it is a page."""

import numpy as np
import pytest

from maxin.core import InvalidInput
from maxin.ratings import Posterior
from maxin.tournament import Tournament
from maxin.views.history import most_checkpoints
from maxin.views.html import report
from maxin.views.html.report_data import read_report
from tests.helpers.leagues import crowd, league


@pytest.fixture(scope="module")
def played():
    return league([f"player {n}" for n in range(6)], 24, first_advantage=True)


@pytest.fixture
def fits(monkeypatch):
    """The number of matches behind each fit of a posterior, in the order of the fits."""
    found, fit = [], Posterior.fit

    def counted(self, points, *given, **named):
        found.append(round(float(np.asarray(points).sum())))
        fit(self, points, *given, **named)

    monkeypatch.setattr(Posterior, "fit", counted)
    return found


def test_a_report_fits_the_present_once(fits):
    tournament = league([f"player {n}" for n in range(6)], 20)
    fits.clear()
    report(tournament)
    assert fits.count(20) == 1
    # The history rates the results of earlier moments: one more fit for each of them.
    assert sorted(fits) == list(range(21))


def test_a_second_report_of_the_same_record_does_not_fit_the_present_again(fits):
    tournament = league([f"player {n}" for n in range(6)], 20)
    report(tournament)
    fits.clear()
    report(tournament)
    assert 20 not in fits


def test_many_players_get_few_fits(fits):
    tournament = crowd([f"player {n}" for n in range(150)], 450)
    fits.clear()
    data = read_report(tournament)
    assert len(fits) == most_checkpoints(150) == 53  # the present is one of them
    assert data.crosstable.n_met.shape == (len(data.leaders.rows),) * 2


def test_the_crosstable_is_in_the_order_of_the_leaderboard(played):
    data = read_report(played)
    assert data.crosstable.names == tuple(data.leaders.names)
    points, met = data.crosstable.points, data.crosstable.n_met
    assert points.sum() == pytest.approx(24.0)
    assert met.sum() == 2 * 24
    for row, total, matches in zip(played.leaderboard(), points, met, strict=True):
        assert total.sum() / matches.sum() == pytest.approx(row.score)


def test_the_seats_add_up(played):
    data = read_report(played)
    assert sum(data.seats.first) == sum(data.seats.second) == 24
    for row, (name, first, second) in zip(
        data.overview.leaderboard, data.seats.per_player(), strict=True
    ):
        assert row.player == name
        assert row.matches == first + second
    scores = [match.score for match in played.matches()]
    assert data.seats.first_share == pytest.approx(np.mean(scores))


def test_the_history_counts_the_candidates_of_the_goal():
    tournament = league([f"player {n}" for n in range(6)], 12, goal="top-2")
    data = read_report(tournament)
    assert data.history.k == 2
    assert data.history.n_candidates[-1] == len(data.overview.top.candidates)


def test_the_times_are_those_of_the_first_and_the_last_result(played):
    times = [match.time for match in played.matches()]
    assert read_report(played).times == (min(times), max(times))
    assert read_report(Tournament(["anna", "bo"], "sqlite://")).times is None


def test_nobody_in_play_is_an_error():
    tournament = league(["anna", "bo"], 3)
    tournament.retire("anna", "bo")
    with pytest.raises(InvalidInput, match="a player who is not retired; all 2 are"):
        read_report(tournament)
