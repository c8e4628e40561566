"""Older results fade: by matches or by time, the same in every process that reads the record."""

import json

import numpy as np
import pytest

from maxin import Entrant, InvalidInput, Tournament
from maxin.core.half_life import HalfLife
from maxin.ratings import Posterior
from maxin.ratings.fading import weights_of
from maxin.storage import writer as writer_module
from maxin.tournament.settings import Settings, SettingsDiffer
from maxin.tournament.state import state
from maxin.views.history import GameLog, History
from tests.helpers.inside import prepare, refresh, state_of
from tests.helpers.leagues import NAMES, play, play_some, results_of

START = 1.7e9


class Clock:
    """A clock that a test sets."""

    def __init__(self):
        self.now = START

    def time(self):
        return self.now


@pytest.fixture
def clock(monkeypatch):
    found = Clock()
    monkeypatch.setattr(writer_module, "time", found)
    return found


def play_slowly(tournament, times, clock, step=60.0):
    for _ in range(times):
        clock.now += step
        play_some(tournament, 1)


def expected_ratings(tournament):
    """Ratings fitted to the results, each weighted by its age."""
    played, names = list(tournament.matches()), tournament.names
    times = GameLog.of(played, {name: k for k, name in enumerate(names)}).played_at
    weights = weights_of(tournament.settings.fading, times)
    table, split = np.zeros((len(names),) * 2), 0.0
    for match, weight in zip(played, weights, strict=True):
        i, j = names.index(match.first), names.index(match.second)
        table[i, j] += weight * match.score
        table[j, i] += weight * (1.0 - match.score)
        split += weight * match.score * (1.0 - match.score)
    posterior = Posterior(len(names))
    posterior.fit(table, split=split)
    return posterior.ratings()


def assert_replayed(tournament, url):
    """The state is that of another process that reads the whole record, to the last bit."""
    refresh(tournament)
    prepare(tournament)
    with Tournament(store=url) as other:
        prepare(other)
        here, there = state_of(tournament), state_of(other)
        assert here.tally.weighed.is_like(there.tally.weighed)
        assert here.tally.clock == there.tally.clock
        one, two = (side.pairing.scheduler.ratings() for side in (here, there))
        assert np.array_equal(one, two)
        assert other.verify().problems == []
    assert tournament.verify().problems == []
    assert tournament.belief().ratings == pytest.approx(expected_ratings(tournament), abs=1e-6)


@pytest.mark.parametrize(
    ("half_life", "goal"),
    [
        *[(20, "best"), ("20m", "ratings")],
        pytest.param(20, "ratings", marks=pytest.mark.slow),
        pytest.param("20m", "best", marks=pytest.mark.slow),
    ],
)
def test_every_process_has_the_same_state(half_life, goal, tmp_path, clock, monkeypatch):
    monkeypatch.setattr(state, "RESTART_EVERY", 25)
    url = f"sqlite:///{tmp_path / 'a.db'}"
    whole = Tournament(NAMES, seed=3, goal=goal, half_life=half_life)
    play_slowly(whole, 45, clock)
    clock.now = START
    parts = Tournament(NAMES, url, seed=3, goal=goal, half_life=half_life)
    for _ in range(3):
        play_slowly(parts, 15, clock)
        refresh(parts)
        assert_replayed(parts, url)
        parts.close()
        parts = Tournament(store=url)
    assert results_of(parts) == results_of(whole)
    assert str(parts.leaderboard()) == str(whole.leaderboard())
    assert parts.settings == whole.settings
    parts.close()


@pytest.mark.parametrize("half_life", [20, "20m"])
def test_a_retraction_is_as_if_the_result_had_never_come(half_life, tmp_path, clock):
    url = f"sqlite:///{tmp_path / 'a.db'}"
    with Tournament(NAMES, url, seed=3, half_life=half_life) as tournament:
        play_slowly(tournament, 30, clock)
        for number in (10, 30, 1):
            assert tournament.retract(number, "a mistake")
            assert tournament.belief().ratings == pytest.approx(
                expected_ratings(tournament), abs=1e-6
            )
        assert_replayed(tournament, url)
        play_slowly(tournament, 10, clock)
        tournament.tell(10, 1.0)
        assert_replayed(tournament, url)


@pytest.mark.parametrize("half_life", [20, "20m"])
def test_players_join_and_leave(half_life, tmp_path, clock):
    url = f"sqlite:///{tmp_path / 'a.db'}"
    with Tournament(NAMES, url, seed=3, half_life=half_life) as tournament:
        play_slowly(tournament, 20, clock)
        tournament.add("eve")
        tournament.retire("bo")
        play_slowly(tournament, 15, clock)
        refresh(tournament)
        assert tournament.verify().problems == []
        with Tournament(store=url) as other:
            assert other.ask().id == 36
            assert other.verify().problems == []


def test_a_clock_that_is_set_back_makes_no_result_younger(tmp_path, clock):
    url = f"sqlite:///{tmp_path / 'a.db'}"
    with Tournament(NAMES, url, seed=3, half_life="10m") as tournament:
        play_slowly(tournament, 30, clock)
        before = state_of(tournament).tally.weighed.games.sum()
        clock.now -= 3_000.0  # five half-lives
        play_some(tournament, 1)
        after = state_of(tournament).tally.weighed.games.sum()
        assert after - before == pytest.approx(2.0**-5, rel=0.05)
        play_slowly(tournament, 20, clock, step=1.0)
        assert_replayed(tournament, url)
        clock.now += 4_000.0
        play_slowly(tournament, 5, clock)
        assert_replayed(tournament, url)


def test_an_old_log_has_faded_when_it_is_imported(tmp_path, clock):
    rows = [
        {"first": "anna", "second": "bo", "score": 0.0, "time": START - 864_000.0 + k}
        for k in range(20)
    ]
    log = tmp_path / "old.jsonl"
    log.write_text("".join(json.dumps(row) + "\n" for row in rows))
    url = f"sqlite:///{tmp_path / 'a.db'}"
    with Tournament(NAMES, url, seed=3, half_life="5d") as tournament:
        play_slowly(tournament, 12, clock)
        tournament.add_results(log)
        play_slowly(tournament, 12, clock)
        n_counted = state_of(tournament).tally.weighed.games.sum()
        assert n_counted == pytest.approx(24 + 20 / 4, rel=0.03)
        assert_replayed(tournament, url)
        assert "44 matches count as 29" in str(tournament.leaderboard())
    with Tournament(NAMES, half_life=1_000) as other:
        other.add_results(log)
        assert state_of(other).tally.weighed.games.sum() == 20.0


def test_a_late_result_is_late_for_every_process(tmp_path, clock, monkeypatch):
    monkeypatch.setattr(state, "RESTART_EVERY", 25)
    url = f"sqlite:///{tmp_path / 'a.db'}"
    with Tournament(NAMES, url, seed=3, half_life="10m") as tournament:
        play_slowly(tournament, 30, clock)
        refresh(tournament)
        with Tournament(store=url) as behind:
            assert behind.n_matches == 30
            clock.now += 86_400.0  # a clock that is wrong
            play_some(tournament, 1)
            tournament.retract(31, "its time is wrong")
            clock.now -= 86_400.0 + 1_200.0
            play_slowly(tournament, 3, clock)
            refresh(behind)  # it reads the retraction and the late results at once
            assert_replayed(behind, url)
        assert_replayed(tournament, url)
    with Tournament(store=url) as again:
        play_slowly(again, 3, clock)
        assert_replayed(again, url)


def test_many_old_results_are_imported(tmp_path, clock):
    rows = [
        {"first": "anna", "second": NAMES[1 + k % 3], "score": 0.5 * (k % 3), "time": START + k}
        for k in range(1_200)
    ]
    log = tmp_path / "old.jsonl"
    log.write_text("".join(json.dumps(row) + "\n" for row in rows))
    url = f"sqlite:///{tmp_path / 'a.db'}"
    clock.now += 3_600.0
    with Tournament(NAMES, url, seed=3, half_life="10m") as tournament:
        tournament.add_results(log)
        play_slowly(tournament, 10, clock)
        assert_replayed(tournament, url)
        tournament.retract_source(log, "another game", line=1_100)
        play_slowly(tournament, 10, clock)
        assert_replayed(tournament, url)


def test_the_views_say_that_results_fade(tmp_path):
    tournament = Tournament(NAMES, seed=3, half_life=32)
    assert tournament.overview().caveats == [
        "older results fade: half-life 32 matches; 0 matches count as 0"
    ]
    tournament.run(play, budget=1, confidence=None)
    assert tournament.overview().caveats[-1].endswith("half-life 32 matches; 1 match counts as 1")
    run = tournament.run(play, budget=60, confidence=None)
    sentence = "older results fade: half-life 32 matches; 60 matches count as 34"
    for view in (run, tournament.overview(), tournament.leaderboard()):
        assert str(view).count(sentence) == view._repr_html_().count(sentence) == 1
    assert sentence in tournament.overview().notes
    assert str(tournament.leaderboard()).endswith(sentence)
    assert sum(row.matches for row in tournament.leaderboard()) == 120
    assert sum(row.wins for row in tournament.leaderboard()) == 60
    assert sentence in tournament.report(tmp_path / "report.html").read_text()
    assert tournament.overview().n_left is None
    plain = Tournament(NAMES, seed=3)
    plain.run(play, budget=20, confidence=None)
    assert plain.overview().caveats == []
    assert "fade" not in plain.report(tmp_path / "plain.html").read_text()


@pytest.mark.parametrize("half_life", [16, "16m"])
def test_the_history_fades_too(half_life, clock):
    tournament = Tournament(NAMES, seed=3, half_life=half_life)
    play_slowly(tournament, 30, clock)
    then = tournament.belief().ratings
    play_slowly(tournament, 30, clock)
    belief, top = tournament.belief(), tournament.top()
    log = GameLog.of(tournament.matches(), {name: k for k, name in enumerate(NAMES)})
    history = History.of(log, belief, top, n_checkpoints=3)
    assert history.after == [0, 30, 60]
    assert history.ratings[1] == pytest.approx(belief.scale.ratings(then), abs=1e-3)


def test_votes_of_judges_fade(tmp_path, clock):
    url = f"sqlite:///{tmp_path / 'a.db'}"
    with Tournament(NAMES, url, seed=3, half_life=20) as tournament:
        for number in range(80):
            ticket = tournament.ask()
            score = float(ticket.first < ticket.second)
            judge = "ann" if number % 2 else "bob"
            tournament.tell(ticket, score if number < 20 else 1.0 - score, judge=judge)
        weighed = state_of(tournament).tally.weighed
        assert weighed.judged["ann"].games.sum() < 16.0
        assert [row.n_votes for row in tournament.judges()] == [40.0, 40.0]
        assert tournament.leaderboard()[0].player == "dee", "the first votes are forgotten"
        tournament.retract(7, "a mistake")
        with Tournament(store=url) as other:
            assert other.belief().ratings == pytest.approx(tournament.belief().ratings, abs=1e-9)
        assert tournament.verify().problems == []


def test_best_means_best_now():
    names = ["old", "new"]
    tournament = Tournament(names, seed=1, half_life=20)
    for number in range(200):
        ticket = tournament.ask()
        winner = "old" if number < 100 else "new"
        tournament.tell(ticket, float(ticket.first == winner))
    assert tournament.top().players == ("new",)
    assert tournament.top().is_decided
    forever = Tournament(names, seed=1)
    for number in range(200):
        ticket = forever.ask()
        forever.tell(ticket, float(ticket.first == ("old" if number < 100 else "new")))
    assert not forever.top().is_decided


def test_a_run_reads_what_the_results_count_now():
    equal = Tournament(NAMES[:2], seed=1, half_life=8)
    report = equal.run(lambda a, b, seed: float(seed % 3 > 0), budget=60, tolerance=0)
    assert report.n_matches > 10
    assert Tournament(NAMES, seed=1, half_life=500).run(play, budget=2_000).reason == "decided"


def test_features_and_a_half_life_work_together():
    players = [Entrant(f"p{k}", {"step": 100 * k}) for k in range(6)]
    tournament = Tournament(players, features=["step"], half_life=30)
    tournament.run(lambda a, b, seed: float(a > b), budget=60, confidence=None)
    assert tournament.belief().fit.posterior.prior is not None
    assert tournament.verify().problems == []


def test_without_a_half_life_the_store_is_as_before(tmp_path):
    tournament = Tournament(NAMES, f"sqlite:///{tmp_path / 'a.db'}")
    assert "half_life" not in tournament.store.settings()
    assert type(state_of(tournament).tally).__name__ == "JudgedTally"
    assert tournament.settings.fading is None
    tournament.close()


def test_the_settings_of_a_stored_tournament_hold(tmp_path):
    url = f"sqlite:///{tmp_path / 'a.db'}"
    Tournament(NAMES, url, half_life="48h").close()
    with Tournament(NAMES, url, half_life="2d") as again:
        assert again.settings.half_life == "2d"
        assert again.settings.fading == HalfLife(172_800.0, is_time=True)
    with pytest.raises(SettingsDiffer, match=r"half_life is '2d' in the store and 1000 here"):
        Tournament(NAMES, url, half_life=1000)


@pytest.mark.parametrize("value", ["0", "-3", "7x", float("nan"), 0, True])
def test_invalid_half_lives_are_refused(value):
    with pytest.raises(InvalidInput, match="half_life must be a number of matches"):
        Tournament(NAMES, half_life=value)


def test_schedulers_that_cannot_fade_are_refused():
    with pytest.raises(InvalidInput, match="half_life needs one of the schedulers top-two"):
        Tournament(NAMES, scheduler="swiss", half_life=100)
    with pytest.raises(InvalidInput, match=r"a tournament with a half_life takes at most 2,000"):
        Settings(half_life=100).check_size(2_001)
    with pytest.raises(InvalidInput, match="half_life needs a lag of 0: with a lag of 2"):
        Tournament(NAMES, lag=2, half_life=100)
