"""Leaderboards by other rating methods than the posterior."""

import numpy as np
import pytest

from maxin.core import InvalidInput, Match, UnknownName
from maxin.core.units import ELO_PER_NAT as ELO
from maxin.ratings import BradleyTerry, Elo, Features, Posterior, Tally, fit_bradley_terry
from maxin.ratings.base import MOST_EXACT
from maxin.tournament import Tournament
from maxin.views import Belief, BestBy, Leaderboard
from tests.helpers.fields import NAMES, N, ladder, tally_of


def by_points(points):
    """Ratings by points won, all equally uncertain and independent."""
    return points.sum(axis=1) / 100.0, 0.01 * np.eye(len(points))


def test_a_leaderboard_by_bradley_terry_has_the_ratings_and_intervals_of_that_fit():
    tally = ladder(200)
    board = Leaderboard.of(Belief(NAMES, tally, {"eve": "retired"}, ratings="bradley-terry"))
    means, covariance = fit_bradley_terry(tally.crosstable())
    away = np.eye(N)
    away[:, :4] -= 0.25  # minus the mean of the four who are not retired
    deviations = np.sqrt(np.diag(away @ covariance @ away.T))
    for row in board:
        player = NAMES.index(row.player)
        assert row.rating == pytest.approx(ELO * (away @ means)[player], abs=1e-5)
        assert row.margin == pytest.approx(1.959964 * ELO * deviations[player], rel=1e-6)
    assert sum(row.p_best for row in board) == pytest.approx(1.0)
    assert str(board).splitlines()[-1] == "rated by bradley-terry"
    assert board.document()["rated_by"] == "bradley-terry"
    assert board.sorted("player").rated_by == "bradley-terry"


def test_the_posterior_is_the_default_and_is_not_named():
    board = Leaderboard.of(Belief(NAMES, ladder(50)))
    assert board.rated_by == "posterior"
    assert "rated by" not in str(board)


def test_any_function_of_the_crosstable_can_rate():
    tournament = Tournament(["anna", "bo", "cy"], anchor={"cy": 1000.0}, first_advantage=True)
    tournament.add_results([("anna", "bo", 1.0), ("bo", "cy", 1.0), ("anna", "cy", 0.5)] * 10)
    board = tournament.leaderboard(ratings=by_points)
    assert board.rated_by == "by_points"
    assert [round(row.rating - 1000.0, 6) for row in board] == pytest.approx(
        [0.1 * ELO, 0.05 * ELO, 0.0], abs=1e-5
    )
    assert board.advantage is None  # which the method does not know
    assert tournament.leaderboard().advantage is not None


def test_a_model_that_can_be_fitted_can_rate():
    model, tally = BradleyTerry(N), ladder(200)
    board = Leaderboard.of(Belief(NAMES, tally, ratings=model))
    named = Leaderboard.of(Belief(NAMES, tally, ratings="bradley-terry"))
    assert board.rated_by == "BradleyTerry"
    for one, other in zip(board, named, strict=True):
        assert one.player == other.player
        assert (one.rating, one.margin) == pytest.approx((other.rating, other.margin), abs=1e-4)
    assert not model.points().any()  # it is copied
    assert Leaderboard.of(Belief(NAMES, tally, ratings=Posterior(N)))[0].player == "anna"
    with pytest.raises(InvalidInput, match="the crosstable must have 4 players; got 5"):
        Leaderboard.of(Belief(NAMES, tally, ratings=BradleyTerry(4)))


@pytest.mark.parametrize("ratings", [Elo(3), BradleyTerry, 3, None])
def test_what_cannot_rate_is_refused(ratings):
    with pytest.raises(InvalidInput, match=r"ratings must be .* such as BradleyTerry\(n_players\)"):
        Tournament(["anna", "bo", "cy"]).leaderboard(ratings=ratings)


def test_older_results_fade_for_other_methods_too():
    plain, fading = (Tournament(["anna", "bo"], half_life=half_life) for half_life in (None, 5))
    for tournament in (plain, fading):
        tournament.add_results([("bo", "anna", 1.0)] * 20 + [("anna", "bo", 1.0)] * 10)
    boards = [one.leaderboard(ratings="bradley-terry") for one in (plain, fading)]
    assert [board[0].player for board in boards] == ["bo", "anna"]


def test_features_and_judges_are_the_posteriors():
    features = Features({"step": [1.0, 2.0, 3.0, 4.0, 5.0]})
    belief = Belief(NAMES, ladder(50), features=features, ratings="bradley-terry")
    plain = Belief(NAMES, ladder(50), ratings="bradley-terry")
    assert belief.ratings.tolist() == plain.ratings.tolist()
    assert belief.judges is None


def test_who_is_best_by_each_meaning_needs_only_means_and_covariances():
    belief = Belief(NAMES, ladder(400), ratings="bradley-terry")
    assert BestBy.of(belief).condorcet == "anna"
    chances = belief.fit.chances(np.arange(N))
    assert chances + chances.T == pytest.approx(np.ones((N, N)))
    assert belief.fit.lead_chance(Match(0, 4)) > 0.999
    assert belief.fit.lead_chance(Match(4, 0)) == pytest.approx(
        1.0 - belief.fit.lead_chance(Match(0, 4))
    )


def test_one_player_and_none_are_rated_by_any_method():
    for count in (0, 1):
        belief = Belief(NAMES[:count], Tally(count), ratings="bradley-terry")
        assert len(Leaderboard.of(belief)) == count


@pytest.mark.parametrize(
    "method",
    [
        lambda points: (np.zeros(N - 1), np.eye(N)),
        lambda points: (np.zeros(N), np.eye(N - 1)),
        lambda points: (np.full(N, np.nan), np.eye(N)),
        lambda points: 3.0,
        lambda points: points.sum(axis=1),
        lambda points: ("high", "low"),
    ],
)
def test_a_method_that_gives_something_else_is_named(method):
    method.__name__ = "mine"
    with pytest.raises(InvalidInput, match="the rating method mine must give 5 ratings"):
        Leaderboard.of(Belief(NAMES, tally_of([]), ratings=method))


@pytest.mark.parametrize(
    ("covariance", "rule"),
    [
        (np.eye(N) - 0.9, "must be positive semi-definite; got an eigenvalue of -3.5"),
        (-np.eye(N), "must be positive semi-definite"),
        (np.eye(N) + np.triu(np.ones((N, N)), 1), "must be symmetric"),
        (np.eye(N) * (1.0 + 1.0j), "all finite and real; got complex numbers"),
    ],
)
def test_a_covariance_that_cannot_be_one_is_refused(covariance, rule):
    def mine(points):
        return np.zeros(N), covariance

    with pytest.raises(InvalidInput, match=rf"rating method mine .*{rule}"):
        Leaderboard.of(Belief(NAMES, tally_of([]), ratings=mine))


def test_unknown_methods_and_large_fields_are_refused():
    with pytest.raises(UnknownName, match="no rating method named 'elo'"):
        Tournament(["anna", "bo"]).leaderboard(ratings="elo")
    n_players = MOST_EXACT + 1
    belief = Belief(list(map(str, range(n_players))), Tally(n_players), ratings="bradley-terry")
    with pytest.raises(InvalidInput, match="bradley-terry rates at most 2,000 players, and there"):
        Leaderboard.of(belief)
