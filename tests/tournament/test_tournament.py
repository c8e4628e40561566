"""The tournament from Python: tickets, results, players, and what is known."""

import threading
import time

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import maxin
from maxin.core import Entrant, InvalidInput, UnknownName
from maxin.schedulers import SCHEDULERS
from maxin.storage import Lease, open_store
from maxin.tournament import ScoreConflict, SettingsDiffer, Ticket, Tournament
from maxin.tournament.state.state import match_seed
from maxin.tournament.tickets import tickets as desk_module
from maxin.tournament.tickets.leases import SLACK, is_lapsed, our_name

NAMES = ["anna", "bo", "cy", "dee"]


@pytest.fixture
def url(tmp_path):
    return f"sqlite:///{tmp_path / 'league.db'}"


def strength(name):
    return {"anna": 2.0, "bo": 1.0, "cy": 0.0}.get(name, -1.0)


def play(first, second, seed):
    """Bradley-Terry, decided by the seed alone."""
    lead = strength(first) - strength(second)
    return float(np.random.default_rng(seed).random() < 1.0 / (1.0 + np.exp(-lead)))


def play_some(tournament, times):
    for _ in range(times):
        match = tournament.ask()
        tournament.tell(match, play(match.first, match.second, match.seed))


def log_of(tournament):
    return [
        (row.number, row.first, row.second, row.score, row.seed) for row in tournament.matches()
    ]


def test_a_ticket_says_who_sits_where_and_with_which_seed():
    tournament = Tournament(NAMES, seed=5)
    ticket = tournament.ask()
    assert ticket.id == 1
    assert {ticket.first, ticket.second} < set(NAMES)
    assert ticket.seed == match_seed(5, 1)
    assert 0 <= ticket.seed < 2**31


def test_many_tickets_may_be_out_and_come_back_in_any_order():
    tournament = Tournament(NAMES)
    tickets = [tournament.ask() for _ in range(5)]
    assert [ticket.id for ticket in tickets] == [1, 2, 3, 4, 5]
    assert tournament.n_out == 5
    for ticket in reversed(tickets):
        assert tournament.tell(ticket.id, 0.5)
    assert (tournament.n_matches, tournament.n_out) == (5, 0)
    assert [row.number for row in tournament.matches()] == [5, 4, 3, 2, 1]


def test_the_same_result_twice_is_one_and_another_score_is_refused():
    tournament = Tournament(NAMES)
    ticket = tournament.ask()
    assert tournament.tell(ticket, 1.0)
    assert not tournament.tell(ticket, 1.0)
    with pytest.raises(ScoreConflict, match=r"score 1; .* with 0\.5"):
        tournament.tell(ticket, 0.5)
    assert tournament.n_matches == 1


@pytest.mark.parametrize("score", [-0.1, 1.1, float("nan"), "won", None])
def test_scores_outside_the_unit_interval_are_refused(score):
    tournament = Tournament(NAMES)
    ticket = tournament.ask()
    with pytest.raises(InvalidInput, match="share of the win"):
        tournament.tell(ticket, score)
    assert tournament.tell(ticket, 0.3)


def test_matches_nobody_asked_for_are_refused_by_number():
    tournament = Tournament(NAMES)
    tournament.ask()
    with pytest.raises(InvalidInput, match="there is no match 7; 1 were asked so far"):
        tournament.tell(7, 1.0)


@pytest.mark.parametrize(
    ("players", "words"),
    [
        (["anna", "anna"], "'anna' is there twice"),
        (["anna", " "], "not blank"),
        (["anna", "b\no"], "no control characters"),
        (["anna", "x" * 301], "up to 300 characters"),
        ("anna", "a list of names"),
        (["anna", 3], "a text"),
    ],
)
def test_names_that_cannot_be_shown_are_refused(players, words):
    with pytest.raises(InvalidInput, match=words):
        Tournament(players)


def test_names_are_otherwise_free(url):
    names = ["--seed 1; rm -rf", "'quoted' \"twice\"", "naïve ✓ 棋", "a | b", "[red]x[/red]"]
    tournament = Tournament(names, url)
    play_some(tournament, 5)
    assert Tournament(store=url).names == names


# Resuming


def test_a_stored_tournament_goes_on_where_it_was(url):
    whole = Tournament(NAMES, seed=3)
    play_some(whole, 60)
    parts = Tournament(NAMES, url, seed=3)
    for _ in range(6):
        play_some(parts, 10)
        parts.close()
        parts = Tournament(store=url)
    assert log_of(parts) == log_of(whole)
    assert list(parts.leaderboard()) == list(whole.leaderboard())
    assert parts.settings == whole.settings


@pytest.mark.parametrize("scheduler", SCHEDULERS)
def test_snapshots_change_nothing(scheduler, url, monkeypatch):
    endless = ":cycles=none" if scheduler in ("round-robin", "knockout") else ""
    plain = Tournament(NAMES, seed=3, scheduler=scheduler + endless)
    play_some(plain, 40)
    monkeypatch.setattr(desk_module, "SNAPSHOT_EVERY", 1)
    parts = Tournament(NAMES, url, seed=3, scheduler=scheduler + endless)
    for _ in range(5):
        play_some(parts, 8)
        parts.close()
        parts = Tournament(store=url)
        assert parts.desk._opened()[0].pairing is not None, "the snapshot was not used"
    assert log_of(parts) == log_of(plain)
    assert parts.verify().problems == []


def test_a_snapshot_that_would_run_code_is_ignored(url):
    class Evil:
        def __reduce__(self):
            return (print, ("this must not run",))

    import pickle
    import zlib

    from maxin.tournament.state.snapshots import fingerprint

    tournament = Tournament(NAMES, url)
    play_some(tournament, 5)
    state = zlib.compress(pickle.dumps(Evil()))
    tournament.store.save_snapshot(10**6, fingerprint(tournament.settings), state)
    tournament.close()
    again = Tournament(store=url)
    assert again.n_matches == 5
    assert again.verify().problems == []


def test_other_settings_are_refused_one_by_one(url):
    Tournament(NAMES, url, seed=3).close()
    with pytest.raises(SettingsDiffer) as caught:
        Tournament(NAMES, url, seed=4, scheduler="random")
    assert "seed is 3 in the store and 4 here" in str(caught.value)
    assert "scheduler is 'top-two' in the store and 'random' here" in str(caught.value)
    Tournament(NAMES, url, seed=3).close()


def test_other_players_are_refused_by_name(url):
    tournament = Tournament([Entrant("anna", {"depth": 1}), "bo", "cy"], url)
    with pytest.raises(SettingsDiffer, match=r"new here: eve .*; not here: cy"):
        Tournament(["anna", "bo", "eve"], url)
    with pytest.raises(SettingsDiffer, match=r"options of 'anna' are .*1.* and .*2"):
        Tournament([Entrant("anna", {"depth": 2}), "bo", "cy"], url)
    tournament.add("eve")
    Tournament(["anna", "bo", "cy"], url).close()
    Tournament(["anna", "bo", "cy", "eve"], url).close()


def test_settings_that_cannot_be_are_refused():
    for wrong, words in [
        ({"games_per_match": 3}, "games_per_match is 1 or 2"),
        ({"lag": -1}, "lag must be at least 0"),
        ({"seed": 1.5}, "seed must be a whole number"),
        ({"scheduler": "maxin:alone=self"}, "nobody can play themselves in a tournament"),
    ]:
        with pytest.raises(InvalidInput, match=words):
            Tournament(NAMES, **wrong)
    with pytest.raises(UnknownName, match="did you mean 'maxin'"):
        Tournament(NAMES, scheduler="maxim")


def test_the_environment_names_the_store(url, monkeypatch):
    monkeypatch.setenv("MAXIN_STORE", url)
    play_some(Tournament(NAMES), 3)
    assert Tournament().n_matches == 3


# Leases


def test_a_lapsed_ticket_is_asked_again_and_its_late_result_counts(url, monkeypatch):
    monkeypatch.setattr(desk_module, "LEASE_LOOKS", 0.0)
    slow, quick = Tournament(NAMES, url), Tournament(store=url)
    ticket = slow.ask(lease=1e-6)
    assert quick.ask() == ticket
    assert quick.ask().id == 2
    assert slow.tell(ticket, 1.0)  # late, and first
    assert not quick.tell(ticket, 1.0)
    with pytest.raises(ScoreConflict):
        quick.tell(ticket, 0.0)
    assert [row.number for row in slow.matches()] == [1]


def test_tickets_of_the_living_are_left_alone(url):
    one, two = Tournament(NAMES, url), Tournament(store=url)
    tickets = [tournament.ask() for tournament in (one, two, one, two)]
    assert [ticket.id for ticket in tickets] == [1, 2, 3, 4]


def test_leases_and_clocks():
    now = 1_000_000.0
    here = our_name()
    place = here.split("|")[0]
    assert not is_lapsed(Lease(1, "elsewhere|1|x", now - 10, now + 50), now)
    assert is_lapsed(Lease(1, "elsewhere|1|x", now - 70, now - 10), now)
    assert not is_lapsed(Lease(1, here, now - 10, now + 50), now)
    assert is_lapsed(Lease(1, f"{place}|999999999|x", now - 10, now + 50), now)
    # The clock was set back by a day: what was leased tomorrow says nothing.
    assert is_lapsed(Lease(1, "elsewhere|1|x", now + 86_400, now + 86_460), now)
    assert not is_lapsed(Lease(1, "elsewhere|1|x", now + SLACK / 2, now + 100), now)


def test_a_void_match_counts_for_nobody_until_its_result_comes():
    tournament = Tournament(NAMES)
    ticket = tournament.ask()
    tournament.void(ticket, "the board fell off the table")
    assert (tournament.n_out, tournament.n_matches) == (0, 0)
    assert [event.detail["reason"] for event in tournament.events("void")] == [
        "the board fell off the table"
    ]
    assert tournament.tell(ticket, 1.0)
    assert tournament.n_matches == 1
    assert tournament.verify().problems == []


# Seats


def test_seats_are_balanced_pair_by_pair():
    tournament = Tournament(NAMES, scheduler="round-robin:cycles=none")
    play_some(tournament, 90)
    games = tournament.tally().games
    assert np.abs(games - games.T).max() <= 1


def test_two_games_a_match_are_counted_by_seat():
    tournament = Tournament(["anna", "bo"], games_per_match=2)
    tournament.run(lambda first, second, seed: 1.0, budget=10, confidence=None)  # first wins
    tally = tournament.tally()
    assert tally.games.sum() == 10.0
    assert tally.games[0, 1] == tally.games[1, 0] == 5.0
    assert tally.points[0, 1] == tally.points[1, 0] == 5.0
    assert {row.score for row in tournament.matches()} == {0.5}
    assert {row.games for row in tournament.matches()} == {(1.0, 0.0)}


def test_the_advantage_of_the_first_seat_is_found():
    def biased(first, second, seed):
        lead = 1.0 + strength(first) - strength(second)
        return float(np.random.default_rng(seed).random() < 1.0 / (1.0 + np.exp(-lead)))

    tournament = Tournament(NAMES, first_advantage=True, scheduler="random")
    tournament.run(biased, budget=600, confidence=None)
    advantage = tournament.leaderboard().advantage
    assert advantage.low < 173.7 < advantage.high
    assert advantage.low > 50
    assert Tournament(NAMES).leaderboard().advantage is None


def test_a_demanded_match_comes_first_with_the_seats_as_given():
    tournament = Tournament(NAMES)
    tournament.demand("dee", "anna", times=2)
    for _ in range(2):
        ticket = tournament.ask()
        assert (ticket.first, ticket.second) == ("dee", "anna")
    assert tournament.ask().id == 3
    with pytest.raises(UnknownName, match="no player named 'anne'; did you mean 'anna'"):
        tournament.demand("anne", "bo")
    with pytest.raises(InvalidInput, match="nobody can play themselves"):
        tournament.demand("bo", "bo")
    tournament.pause("cy")
    with pytest.raises(InvalidInput, match="'cy' is paused"):
        tournament.demand("cy", "bo")


def test_nobody_is_starved():
    tournament = Tournament([f"p{number}" for number in range(9)], min_matches=3, scheduler="dbgd")
    play_some(tournament, 14)
    assert tournament.tally().n_matches.min() >= 3


# Players come and go


def test_players_join_pause_and_retire(url):
    tournament = Tournament(NAMES, url)
    play_some(tournament, 12)
    tournament.add("eve", Entrant("fay", {"depth": 2}))
    assert tournament.names == [*NAMES, "eve", "fay"]
    tournament.pause("anna")
    tournament.retire("bo")
    for _ in range(30):
        ticket = tournament.ask()
        assert {ticket.first, ticket.second} <= {"cy", "dee", "eve", "fay"}
        tournament.tell(ticket, 0.5)
    again = Tournament(store=url)
    assert again.states == tournament.states
    assert again.states["anna"] == "paused"
    assert [row.player for row in again.leaderboard() if row.rank is None] == ["bo"]
    again.resume("anna")
    assert again.states["anna"] == "active"
    assert again.verify().problems == []
    with pytest.raises(InvalidInput, match="'cy' is a player already, and active"):
        tournament.add("cy")


def test_a_match_out_counts_even_if_its_player_has_left():
    tournament = Tournament(NAMES)
    ticket = tournament.ask()
    tournament.retire(ticket.first)
    assert tournament.tell(ticket, 1.0)
    assert tournament.tally().games.sum() == 1


def test_nothing_to_ask_with_one_player_left():
    tournament = Tournament(NAMES)
    tournament.retire("anna", "bo", "cy")
    assert tournament.ask() is None
    assert Tournament([]).ask() is None


# Results from elsewhere


def test_results_from_elsewhere_are_counted_once_a_source(tmp_path):
    tournament = Tournament(NAMES)
    rows = [("anna", "bo", 1.0), ("bo", "cy", 0.5)]
    assert tournament.add_results(rows, source="last year") == 2
    assert tournament.add_results([*rows, ("cy", "anna", 0.0)], source="last year") == 1
    assert tournament.add_results(rows) == 2
    assert tournament.n_matches == 5
    with pytest.raises(ScoreConflict, match=r"line 1: was added as anna - bo 1, .* anna - bo 0"):
        tournament.add_results([("anna", "bo", 0.0)], source="last year")
    with pytest.raises(InvalidInput, match=r"line 1: 'eve' is not a player"):
        tournament.add_results([("eve", "bo", 0.0)])
    assert tournament.add_results([("eve", "bo", 0.0)], add_players=True) == 1
    assert tournament.n_matches == 6
    path = tmp_path / "old.csv"
    path.write_text("first,second,score\nanna,cy,1\ncy,bo,0.5\n")
    assert tournament.add_results(path) == 2
    assert tournament.add_results(path) == 0
    assert tournament.verify().problems == []


def test_a_wrong_row_leaves_nothing_behind():
    tournament = Tournament(NAMES)
    with pytest.raises(InvalidInput, match="line 2: a score"):
        tournament.add_results([("anna", "bo", 1.0), ("anna", "bo", 1.5)])
    assert tournament.n_matches == 0
    assert tournament.verify().problems == []


# Order


def told(tournament, order):
    tickets = [tournament.ask() for _ in range(12)]
    for place in order:
        ticket = tickets[place]
        tournament.tell(ticket, play(ticket.first, ticket.second, ticket.seed))


@settings(max_examples=10)
@given(order=st.permutations(range(12)))
def test_ratings_depend_on_the_results_not_on_their_order(order):
    straight, shuffled = Tournament(NAMES, seed=1), Tournament(NAMES, seed=1)
    told(straight, range(12))
    told(shuffled, order)
    for one, two in zip(straight.leaderboard(), shuffled.leaderboard(), strict=True):
        assert one.player == two.player
        assert one.rating == pytest.approx(two.rating, abs=1e-6)


@pytest.mark.parametrize("scheduler", ["maxin", "maxinp", "rg-ucb", "dbgd", "random"])
def test_with_a_lag_the_number_of_workers_changes_nothing(scheduler):
    logs = []
    answers = []
    for workers in (1, 3, 8):
        tournament = Tournament(NAMES, seed=4, lag=8, scheduler=scheduler)

        def at_leisure(first, second, seed):
            time.sleep(seed % 7 / 2000)  # so that results come back in another order
            return play(first, second, seed)

        report = tournament.run(at_leisure, budget=90, workers=workers)
        logs.append(sorted(log_of(tournament)))
        answers.append((report.reason, report.top.players, report.n_matches))
    assert logs[0] == logs[1] == logs[2]
    assert answers[0] == answers[1] == answers[2]


def test_with_a_lag_a_run_that_was_cut_goes_on_the_same(url):
    whole = Tournament(NAMES, seed=4, lag=5)
    whole.run(play, budget=60, confidence=None, workers=4)
    parts = Tournament(NAMES, url, seed=4, lag=5)
    for budget in (10, 23, 60):
        parts.run(play, budget=budget, confidence=None, workers=3)
        parts.close()
        parts = Tournament(store=url)
    assert sorted(log_of(parts)) == sorted(log_of(whole))


def test_threads_share_a_tournament():
    tournament = Tournament(NAMES)
    seen = []

    def work():
        for _ in range(25):
            ticket = tournament.ask()
            seen.append(ticket.id)
            tournament.tell(ticket, 0.5)

    threads = [threading.Thread(target=work) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert sorted(seen) == list(range(1, 101))
    assert tournament.n_matches == 100


def test_verify_sees_a_record_that_was_changed(url):
    tournament = Tournament(NAMES, url)
    play_some(tournament, 20)
    assert tournament.verify().problems == []
    from sqlalchemy import text

    with tournament.store._connected() as connection:
        connection.execute(text("UPDATE maxin_told SET score = 1 - score WHERE match = 3"))
        connection.execute(text("UPDATE maxin_asked SET seed = 5 WHERE match = 4"))
    problems = tournament.verify().problems
    assert "ratings differ from those of the record" in problems
    assert "match 4 has another seed than its tournament gives it" in problems


def test_the_public_names():
    assert maxin.Tournament is Tournament
    assert maxin.Ticket is Ticket
    open_store("sqlite://").close()


def test_the_games_of_a_match_are_its_score():
    tournament = Tournament(NAMES)
    ticket = tournament.ask()
    with pytest.raises(InvalidInput, match=r"the mean of its games; 0\.5 is not that of"):
        tournament.tell(ticket, 0.5, games=[1.0, 1.0])
    assert tournament.tell(ticket, 0.75, games=[1.0, 0.5])


def test_how_matches_are_played_may_change_before_the_first_result(url):
    Tournament(NAMES, url, match="command: pley.py {a} {b}").close()
    tournament = Tournament(NAMES, url, match="command: play.py {a} {b}")
    assert tournament.settings.match == "command: play.py {a} {b}"
    play_some(tournament, 1)
    assert Tournament(store=url).settings.match == "command: play.py {a} {b}"
    with pytest.raises(SettingsDiffer, match=r"match is 'command: play\.py"):
        Tournament(NAMES, url, match="command: other.py {a} {b}")
