"""The scale of the leaderboard: relative to the field, or to an anchor."""

import numpy as np
import pytest

from maxin.core.units import ELO_PER_NAT
from maxin.ratings import Tally
from maxin.tournament import Tournament
from maxin.views import Belief, Leaderboard
from maxin.views.scale import Scale
from tests.helpers.fields import NAMES, ladder


def test_an_anchor_shifts_all_ratings_and_keeps_their_differences():
    plain = Leaderboard.of(Belief(NAMES, ladder()))
    board = Leaderboard.of(Belief(NAMES, ladder(), anchor={"cy": 3500}))
    by_name = {row.player: row for row in board}
    assert by_name["cy"].rating == by_name["cy"].low == by_name["cy"].high == 3500.0
    assert [row.player for row in board] == [row.player for row in plain]
    steps = np.diff([row.rating for row in board])
    np.testing.assert_allclose(steps, np.diff([row.rating for row in plain]))
    assert [row.p_best for row in board] == [row.p_best for row in plain]


def test_intervals_are_those_of_the_difference_to_the_anchor():
    belief = Belief(NAMES, ladder(n_matches=200), anchor={"cy": 0.0})
    margins = {row.player: row.margin for row in Leaderboard.of(belief)}
    spread, anna, cy = belief.fit.covariance, NAMES.index("anna"), NAMES.index("cy")
    deviation = np.sqrt(spread[anna, anna] + spread[cy, cy] - 2.0 * spread[anna, cy])
    assert 1.9 < margins["anna"] / (ELO_PER_NAT * deviation) < 2.3  # Student's quantile
    plain = {row.player: row.margin for row in Leaderboard.of(Belief(NAMES, ladder(200)))}
    assert margins["anna"] > plain["anna"]  # two players are less well known than one and a mean


def test_an_anchored_rating_has_no_sign_and_the_anchor_is_named():
    board = Leaderboard.of(Belief(NAMES, ladder(), anchor={"cy": 3500}))
    [column] = [column for column in board.columns if column.key == "rating"]
    ratings = {row.player: column.text(row) for row in board}
    assert ratings["cy"] == "3500"
    assert not any(rating.startswith("+") for rating in ratings.values())
    assert board.sorted("player").anchor == board.anchor == ("cy", 3500.0)


def test_of_two_players_the_second_is_zero_whoever_leads_and_the_table_says_so():
    for score, signs in ((1.0, "+"), (0.0, "-")):
        with Tournament(["anna", "bo"], seed=1) as tournament:
            tournament.add_results([("anna", "bo", score)] * 6)
            overview, found = tournament.overview(), tournament.best_by().table()
        rows = {row.player: row for row in overview.leaderboard}
        assert (rows["bo"].rating, rows["bo"].margin) == (0.0, 0.0)
        assert rows["anna"].margin > 100.0
        note = "ratings: bo is 0; the intervals are relative to it"
        for text in (str(overview.leaderboard), str(overview), overview._repr_html_()):
            assert text.count(note) == 1
        assert overview.document()["anchor"] == {"player": "bo", "rating": 0.0}
        [rating] = [column for column in found.columns if column.key == "rating"]
        shown = {row.player: rating.text(row) for row in found.rows}
        assert shown["anna"].startswith(signs)
        assert shown["bo"] == "+0"


def test_of_two_players_the_chance_to_be_best_is_that_of_superiority():
    for n_won in range(1, 20):
        tally = Tally(2)
        tally.add_many([0] * 20, [1] * 20, [1.0] * n_won + [0.0] * (20 - n_won))
        first, second = Leaderboard.of(Belief(["anna", "bo"], tally))
        assert first.p_best == pytest.approx(first.los, abs=1e-9)
        assert first.p_best + second.p_best == pytest.approx(1.0)


def test_of_two_players_who_are_left_after_others_were_removed_the_second_is_zero():
    with Tournament(["anna", "cy", "bo"], seed=1) as tournament:
        tournament.remove("cy")
        tournament.add_results([("anna", "bo", 1.0)])
        assert tournament.leaderboard().anchor == ("bo", 0.0)
        tournament.add("dee")
        assert tournament.leaderboard().anchor is None


def test_a_retired_anchor_still_sets_the_scale_and_a_missing_one_does_not():
    belief = Belief(NAMES, ladder(), {"cy": "retired"}, anchor={"cy": 3500})
    assert {row.player: row.rating for row in Leaderboard.of(belief)}["cy"] == 3500.0
    gone = Leaderboard.of(Belief(NAMES, ladder(), anchor={"zed": 3500}))
    assert list(gone) == list(Leaderboard.of(Belief(NAMES, ladder())))


def test_without_an_anchor_zero_is_the_mean_of_those_in_play():
    scale = Scale.of(NAMES, np.array([1, 2]))
    assert scale.ratings(np.arange(5.0))[[1, 2]].sum() == pytest.approx(0.0)


def test_an_anchor_is_stored_and_may_change(tmp_path):
    url = f"sqlite:///{tmp_path}/league.db"
    with Tournament(NAMES, url, anchor={"bo": 3500}) as tournament:
        tournament.add_results([("anna", "bo", 1.0)])
    with Tournament(store=url) as tournament:
        assert tournament.settings.anchor == {"bo": 3500.0}
        assert {row.player: row.rating for row in tournament.leaderboard()}["bo"] == 3500.0
        assert any("bo is 3500" in note for note in str(tournament.overview()).splitlines())
    with Tournament(store=url, anchor={"cy": 2000}) as tournament:
        assert tournament.verify().problems == []
    with Tournament(store=url, anchor={}) as tournament:
        assert tournament.settings.anchor is None
    with Tournament(store=url) as tournament:
        assert tournament.leaderboard().anchor is None
        assert tournament.verify().problems == []
    with pytest.raises(ValueError, match="no player for the anchor named 'zed'"):
        Tournament(store=url, anchor={"zed": 1})
    with pytest.raises(ValueError, match="no player for the anchor named 'zed'"):
        Tournament(NAMES, anchor={"zed": 1})


def test_the_history_ends_on_the_scale_of_the_leaderboard():
    from maxin.views.html.report_data import read_report

    with Tournament(NAMES, anchor={"bo": 3500}) as tournament:
        tournament.add_results([("anna", "bo", 1.0), ("bo", "cy", 0.5), ("dee", "eve", 1.0)])
        data = read_report(tournament)
    last = dict(zip(data.history.names, data.history.ratings[-1], strict=True))
    assert last == pytest.approx({row.player: row.rating for row in data.overview.leaderboard})
