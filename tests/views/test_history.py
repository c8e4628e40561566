import json
from itertools import islice, pairwise

import numpy as np
import pytest

from maxin.core import Entrant, Stop
from maxin.ratings import Posterior
from maxin.storage import PlayedMatch
from maxin.tournament import Tournament
from maxin.views import history as history_module
from maxin.views.belief import Belief
from maxin.views.history import GameLog, History, checkpoints, most_checkpoints
from maxin.views.html import report
from maxin.views.standings import Leaderboard
from maxin.views.top import Top
from tests.helpers.leagues import league
from tests.helpers.markup import Page

NAMES = [f"player {n}" for n in range(6)]


def history_of(tournament, k=1, **options):
    belief = tournament.belief()
    numbers = {name: number for number, name in enumerate(belief.names)}
    log = GameLog.of(tournament.matches(), numbers)
    return History.of(log, belief, Top.of(belief, k), **options)


@pytest.fixture(scope="module")
def played():
    return league(NAMES, 36)


@pytest.fixture(scope="module")
def history(played):
    return history_of(played)


def test_the_last_checkpoint_is_the_leaderboard(played, history):
    board = {row.player: row for row in played.leaderboard()}
    assert history.after[-1] == 36
    np.testing.assert_allclose(
        history.ratings[-1], [board[name].rating for name in history.names], atol=1e-6
    )
    assert history.margin[-1] == pytest.approx(played.leaderboard()[0].margin)
    assert history.n_candidates[-1] == len(played.top().candidates)


@pytest.mark.parametrize("stop", [12, 30])
def test_an_earlier_checkpoint_is_what_the_leaderboard_was_then(played, history, stop):
    numbers = {name: number for number, name in enumerate(NAMES)}
    early = GameLog.of(islice(played.matches(), stop), numbers)
    belief = Belief(NAMES, early.tally(6))
    rated = {row.player: row.rating for row in Leaderboard.of(belief)}
    reading = history.ratings[history.after.index(stop)]
    known = ~np.isnan(reading)
    wanted = np.array([rated[name] for name in NAMES])
    np.testing.assert_allclose(reading[known], wanted[known], atol=1e-5)


def test_an_earlier_checkpoint_has_the_features_of_the_leaderboard():
    players = [Entrant(name, {"step": step}) for step, name in enumerate(NAMES)]
    tournament = Tournament(players, features=["step"])
    rng = np.random.default_rng(0)
    for _ in range(40):
        ticket = tournament.ask()
        lead = NAMES.index(ticket.first) - NAMES.index(ticket.second)
        tournament.tell(ticket, float(rng.random() < 1.0 / (1.0 + np.exp(-lead))))
    found = history_of(tournament, n_checkpoints=3)
    numbers = {name: number for number, name in enumerate(NAMES)}
    early = GameLog.of(islice(tournament.matches(), 20), numbers).tally(6)
    then = Belief(NAMES, early, features=tournament.belief().features)
    without = Belief(NAMES, early)
    assert found.after == [0, 20, 40]
    reading = found.ratings[1]
    known = ~np.isnan(reading)
    expected, plain = (one.scale.ratings(one.ratings)[known] for one in (then, without))
    np.testing.assert_allclose(reading[known], expected, atol=0.1)
    assert np.abs(reading[known] - plain).max() > 5.0


def test_a_player_has_no_rating_before_its_first_match(history):
    unknown = np.isnan(history.ratings)
    assert unknown[0].all()
    assert not unknown[-1].any()
    assert (np.diff(unknown.astype(int), axis=0) <= 0).all()


def test_the_present_is_not_fitted_again(played, monkeypatch):
    belief = played.belief()
    assert belief.fit is not None
    fitted = []
    fit = Posterior.fit

    def counted(self, points, field=None, *, split=0.0):
        fitted.append(round(float(np.asarray(points).sum())))
        fit(self, points, field, split=split)

    monkeypatch.setattr(Posterior, "fit", counted)
    history = history_of(played, n_checkpoints=7)
    assert fitted == history.after[:-1] == [0, 6, 12, 18, 24, 30]


def test_the_candidates_of_a_top_are_counted(played):
    history = history_of(played, k=2)
    assert history.k == 2
    assert history.n_candidates[0] == 6
    assert history.n_candidates.min() >= 2
    assert history.n_candidates[-1] == len(played.top(2).candidates)


def test_the_candidates_do_not_jump_when_a_tolerance_decides():
    """The best of three equal players is known once they are within the tolerance."""
    tournament, stop = Tournament(["anna", "bo", "cy"], "sqlite://"), Stop(tolerance=60.0)
    pairs = [("anna", "bo"), ("bo", "cy"), ("cy", "anna")]
    rounds = 0
    while tournament.top(tolerance=60.0).status == "undecided":
        rounds += 1
        tournament.add_results([(*pair, float(rounds % 2)) for pair in pairs])
    belief = tournament.belief()
    assert len(belief.candidates(1, 0.95)) == 3  # any of them may be a little better
    numbers = {name: number for number, name in enumerate(tournament.names)}
    log = GameLog.of(tournament.matches(), numbers)
    history = History.of(log, belief, Top.of(belief, 1, stop), stop=stop)
    counts = history.n_candidates.tolist()
    assert (counts[0], counts[-1]) == (3, 1)
    assert max(before - after for before, after in pairwise(counts)) == 1
    assert counts[-2] == 2


def test_the_certainty_is_that_of_the_stop_rule(history):
    assert history.certainty == 0.95


def test_all_players_of_a_top_that_holds_everyone_are_candidates():
    tournament = league(["anna", "bo", "cy"], 9)
    tournament.retire("cy")
    assert history_of(tournament, k=2).n_candidates.tolist() == [2] * 10


def test_matches_of_two_games_are_replayed_as_the_tournament_counts_them():
    tournament = Tournament(["anna", "bo", "cy"], "sqlite://", games_per_match=2)
    for games in ([1.0, 0.0], [0.5, 1.0], [0.0, 0.0], [1.0, 1.0]):
        tournament.tell(tournament.ask(), sum(games) / 2, games=games)
    numbers = {name: number for number, name in enumerate(tournament.names)}
    tally = GameLog.of(tournament.matches(), numbers).tally(3)
    assert tally.is_like(tournament.tally(), 1e-9)


def test_a_log_can_be_read_in_parts():
    played = [PlayedMatch(n, "anna", "bo", 1.0) for n in range(5)]
    log = GameLog.of(played, {"anna": 0, "bo": 1})
    assert log.tally(2, 0, 2).crosstable()[0, 1] == 2.0
    assert log.tally(2, 2).crosstable()[0, 1] == 3.0


def test_a_long_history_is_spaced_by_equal_factors():
    tournament = Tournament([f"p{n}" for n in range(5)], "sqlite://")
    pairs = np.random.default_rng(0).integers(5, size=(400, 2))
    tournament.add_results([(f"p{i}", f"p{(i + 1 + j % 4) % 5}", 0.5) for i, j in pairs.tolist()])
    history = history_of(tournament)
    assert history.is_log
    assert history.after[0] == 5
    assert history.after[-1] == 400


def test_the_document_is_json_without_numbers_that_are_none(history):
    document = json.loads(json.dumps(history.document(), allow_nan=False))
    assert document["after"] == history.after
    assert list(document["ratings"]) == NAMES
    assert document["ratings"]["player 0"][0] is None
    assert document["certainty"] == 0.95


@pytest.mark.parametrize("n_matches", [0, 1, 7, 1000])
def test_checkpoints_end_with_the_log_and_never_repeat(n_matches):
    after = checkpoints(n_matches, 61)
    assert after[0] == 0
    assert after[-1] == n_matches
    assert len(set(after)) == len(after) == min(61, n_matches + 1)


def test_of_very_many_players_only_the_present_is_rated():
    counts = [most_checkpoints(n_players) for n_players in range(1, 3_000)]
    assert counts == sorted(counts, reverse=True)
    assert (counts[0], counts[999], counts[-1]) == (61, 8, 1)
    assert checkpoints(9_000, 1) == [9_000]


def test_with_very_many_votes_fewer_points_are_rated_and_the_report_says_so(monkeypatch):
    monkeypatch.setattr(history_module, "VOTES_FITTED", 300)
    with Tournament(NAMES, seed=1) as tournament:
        for number in range(90):
            data = {"judge": f"judge {number % 9}"}
            tournament.tell(tournament.ask(), float(number % 3 > 0), data=data)
        history, text = tournament.history(), report(tournament)
        n_votes = len(tournament.belief().votes(tournament.tally()).games)
    assert len(history.after) == 300 // n_votes < 61
    assert f"so only {300 // n_votes} points are rated." in history.note
    assert history.note in text


def test_of_two_players_the_chart_has_the_interval_of_the_one_who_is_not_zero():
    for score, leader in ((1.0, "anna"), (0.0, "bo")):
        with Tournament(["anna", "bo"], seed=1) as tournament:
            for _ in range(6):
                ticket = tournament.ask()
                tournament.tell(ticket, score if ticket.first == "anna" else 1.0 - score)
            history, text = tournament.history(), report(tournament)
        assert history.names[history.leader] == leader
        assert history.document()["margin_of"] == "anna"
        assert (history.margin > 0.0).all()
        whose = "the leader's" if leader == "anna" else "of <bdi>anna</bdi>"
        assert whose in text[text.index("The shaded area is") :][:90]
        assert Page(text).count("path", class_="band") >= 1
