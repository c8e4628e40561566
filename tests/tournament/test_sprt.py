"""A tournament of two players that ends by a sequential test."""

import numpy as np
import pytest

from maxin.core import InvalidInput, Stop
from maxin.tournament import Tournament

TEST = "elo0=0,elo1=60"
HALF = [0.0, 0.5, 1.0]


def play(lead):
    """Games with a draw in two, in which the player `new` has this lead in its score."""

    def one(first, second, seed):
        shift = lead if first == "new" else -lead
        return np.random.default_rng(seed).choice(HALF, p=[0.25 - shift, 0.5, 0.25 + shift])

    return one


def seeded(lead):
    """The same with another draw for each seat, so that the games of a pair differ."""
    game = play(lead)
    return lambda first, second, seed: game(first, second, [seed, first == "new"])


@pytest.mark.parametrize("games", [1, 2])
@pytest.mark.parametrize(("lead", "accepted"), [(0.12, "H1"), (-0.05, "H0")])
def test_a_run_ends_when_a_hypothesis_is_accepted(lead, accepted, games):
    tournament = Tournament(["new", "old"], seed=3, games_per_match=games)
    report = tournament.run(seeded(lead), sprt=TEST, budget=3000)
    duel = report.overview.duel
    assert (report.reason, duel.decision) == ("decided", accepted)
    assert duel.sample.is_paired == (games == 2)
    assert duel.sample.n_games == games * report.n_matches
    low, high = duel.test.bounds
    assert not low < duel.sample.log_ratio(duel.test) < high
    assert report.sentence.startswith(f"decided: {accepted} (new - old is ")
    assert "LLR" in report.sentence
    assert duel.sentence in report.overview.caveats
    again = tournament.run(seeded(lead), sprt=TEST)
    assert (again.reason, again.n_new) == ("decided", 0)
    assert tournament.ask(sprt=TEST) is None
    assert tournament.idle_reason(sprt=TEST).kind == "decided"


def test_the_run_stops_right_where_the_ratio_leaves_its_bounds():
    tournament = Tournament(["new", "old"], seed=3)
    tournament.run(seeded(0.12), sprt=TEST, budget=3000)
    played = [(match.first, match.second, match.score) for match in tournament.matches()]
    before = Tournament(["new", "old"])
    before.add_results(played[:-1])
    assert before.overview(Stop(sprt=TEST)).status == "undecided"
    assert "is accepted yet" in before.overview(Stop(sprt=TEST)).verdict


def test_the_stop_is_stored_and_shown(tmp_path):
    url = f"sqlite:///{tmp_path}/two.db"
    with Tournament(["new", "old"], url, seed=3) as tournament:
        tournament.run(seeded(0.12), sprt=TEST, budget=20)
        assert tournament.last_stop() == Stop(budget=20, sprt=TEST)
    with Tournament(store=url) as tournament:
        overview = tournament.overview(tournament.last_stop())
        document = overview.document()["duel"]["sprt"]
        assert (document["elo1"], document["accepted"]) == (60.0, None)
        assert overview.n_left is None
        assert "elo0=0,elo1=60" in tournament.report(tmp_path / "two.html").read_text()


def test_a_run_without_a_test_stores_what_it_always_did(tmp_path):
    with Tournament(["new", "old"], seed=3) as tournament:
        tournament.run(play(0.1), budget=2)
        (run,) = tournament.store.events("run")
        assert set(run.detail) == {"budget", "confidence", "tolerance"}


@pytest.mark.parametrize("n_players", [3, 4])
def test_a_test_needs_exactly_two_players(n_players):
    tournament = Tournament([f"p{number}" for number in range(n_players)])
    for start in (tournament.run, tournament.ask):
        arguments = [play(0.1)] if start == tournament.run else []
        with pytest.raises(InvalidInput, match=f"exactly two players .*; there are {n_players}"):
            start(*arguments, sprt=TEST)


def test_a_player_who_joins_ends_the_test():
    tournament = Tournament(["new", "old"], seed=3)

    def play_and_join(first, second, seed):
        if tournament.n_matches == 2 and len(tournament.names) == 2:
            tournament.add("third")
        return 0.5

    with pytest.warns(RuntimeWarning, match="exactly two players"):
        report = tournament.run(play_and_join, sprt=TEST, raises=False)
    assert report.reason == "aborted"
    assert "there are 3" in report.message


def test_results_that_fade_or_are_graded_cannot_be_tested():
    with pytest.raises(InvalidInput, match="counts all results alike"):
        Tournament(["new", "old"], half_life=50).run(play(0.1), sprt=TEST)
    with pytest.warns(RuntimeWarning, match="won, drawn or lost"):
        graded = Tournament(["new", "old"]).run(lambda *_: 0.3, sprt=TEST, raises=False)
    assert graded.reason == "aborted"
    assert "games won, drawn or lost" in graded.message


def test_of_equal_players_hardly_ever_one_is_named_the_best():
    sentences = []
    for seed in range(6):
        tournament = Tournament(["new", "old"], seed=seed)
        report = tournament.run(play(0.0), tolerance=60.0, budget=3000)
        assert report.reason == "decided"
        sentences.append(report.sentence)
    assert sum(" is the best" in sentence for sentence in sentences) <= 2
    assert sum("which of them is better is not known" in sentence for sentence in sentences) >= 4


def test_a_difference_within_the_tolerance_is_said_to_be_none():
    tournament = Tournament(["new", "old"])
    tournament.add_results([("new", "old", 1.0), ("old", "new", 1.0)] * 300)
    assert tournament.overview(Stop(tolerance=60.0)).verdict in {
        f"decided: no difference larger than the tolerance of 60 Elo between {pair}"
        for pair in ("new and old", "old and new")
    }
    tournament.add_results([("new", "old", 1.0)] * 200)
    assert "new is the best" in tournament.overview(Stop(tolerance=60.0)).verdict


def test_two_players_are_rated_by_their_difference():
    tournament = Tournament(["new", "old"], seed=4)
    tournament.add_results([("new", "old", 1.0)] * 60 + [("old", "new", 1.0)] * 40)
    new, old = tournament.leaderboard()
    assert (old.rating, old.margin) == (0.0, 0.0)
    assert new.rating == pytest.approx(70.4, abs=8.0)  # -400 log10(1 / 0.6 - 1)
    assert new.low < 70.4 < new.high
    assert "ratings: old is 0" in str(tournament.overview())
