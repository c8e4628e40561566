import itertools
import time

import numpy as np
import pytest

from maxin.core import InvalidInput, Match, Result, UnknownName
from maxin.games import good_bad
from maxin.ratings import BradleyTerry
from maxin.schedulers import (
    DBGD,
    RGUCB,
    AlphaIG,
    Knockout,
    Random,
    RoundRobin,
    make_scheduler,
)
from maxin.schedulers.base import Draws, n_pairs, nth_free, pair_of, place_of


def rng(seed=0):
    return np.random.default_rng(seed)


def asks(scheduler, n):
    return [scheduler.ask() for _ in range(n)]


def test_pairs_and_places_are_one_list():
    pairs = [pair_of(place) for place in range(n_pairs(50))]
    assert sorted(pairs) == sorted(itertools.combinations(range(50), 2))
    assert [place_of(match) for match in pairs] == list(range(n_pairs(50)))
    assert place_of(pair_of(n_pairs(100_000) - 1)) == n_pairs(100_000) - 1


def test_nth_free_is_uniform_among_the_free():
    draws = (np.arange(3000) + 0.5) / 3000
    counts = np.bincount([nth_free(u, 6, taken=[0, 3, 3, 5]) for u in draws], minlength=6)
    np.testing.assert_array_equal(counts, [0, 1000, 1000, 0, 1000, 0])
    assert {nth_free(u, 2, taken=[0, 1]) for u in draws} == {0, 1}


def test_draws_are_the_same_from_any_side():
    forward, backward = Draws(rng()), Draws(rng())
    positions = [0, 1, 255, 256, 5000]
    assert [forward[p] for p in positions] == [backward[p] for p in positions[::-1]][::-1]
    numbers = np.array([forward[p] for p in range(5000)])
    assert abs(numbers.mean() - 0.5) < 0.02
    assert len(set(numbers.tolist())) == 5000


def test_random_draws_every_pair_alike():
    scheduler = Random(BradleyTerry(5), rng=rng())
    counts = np.zeros(10)
    for _ in range(5000):
        match = scheduler.ask()
        counts[place_of(match)] += 1
        scheduler.tell(Result(match, 0.5))
    assert (np.abs(counts - 500) < 5 * np.sqrt(500)).all()


def test_random_asks_every_pair_once_while_all_are_in_flight():
    scheduler = Random(BradleyTerry(5), rng=rng())
    assert len({frozenset(match) for match in asks(scheduler, 10)}) == 10
    assert scheduler.ask() is not None  # all are in flight: needs must


def test_rg_ucb_drops_a_pair_once_its_intervals_separate():
    scheduler = RGUCB(BradleyTerry(3), rng=rng(), delta=0.2)
    for n_wins in range(1, 6):
        scheduler.tell(Result(Match(1, 0), 1.0))
        is_separate = np.sqrt(np.log(10.0) / (2 * n_wins)) < 0.5
        assert is_separate == (n_wins >= 5)
        seen = {frozenset(match) for match in asks(scheduler, 6)}
        for match in list(scheduler.in_flight):
            scheduler.withdraw(match)
        assert (frozenset((0, 1)) not in seen) == is_separate


def test_rg_ucb_asks_nothing_when_all_is_resolved():
    scheduler = RGUCB(BradleyTerry(4), rng=rng())
    n_matches = 0
    while (match := scheduler.ask()) is not None:
        scheduler.tell(Result(match, float(match.first < match.second)))
        n_matches += 1
    assert n_matches == 5 * n_pairs(4)


def test_dbgd_keeps_its_champion_through_draws_and_gives_way_to_a_winner():
    scheduler = DBGD(BradleyTerry(5), rng=rng())
    champion = scheduler.champion
    match = scheduler.ask()
    assert match.first == champion
    scheduler.tell(Result(match, 0.5))
    assert scheduler.champion == champion
    scheduler.tell(Result(Match((champion + 1) % 5, champion), 1.0))
    assert scheduler.champion == (champion + 1) % 5
    scheduler.tell(Result(Match(champion, (champion + 2) % 5), 0.0))  # not the champion's match
    assert scheduler.champion == (champion + 1) % 5


def test_dbgd_opponents_are_uniform():
    scheduler = DBGD(BradleyTerry(4), rng=rng())
    counts = np.zeros(4)
    for _ in range(3000):
        match = scheduler.ask()
        counts[match.second] += 1
        scheduler.tell(Result(match, 1.0))
    assert counts[scheduler.champion] == 0
    others = np.delete(counts, scheduler.champion)
    assert (np.abs(others - 1000) < 5 * np.sqrt(1000)).all()


@pytest.mark.parametrize("n_players", [2, 3, 4, 7, 10])
def test_round_robin_is_every_pair_once_in_rounds(n_players):
    matches = asks(RoundRobin(BradleyTerry(n_players), rng=rng()), n_pairs(n_players) + 1)
    assert matches.pop() is None
    assert len({frozenset(match) for match in matches}) == n_pairs(n_players)
    per_round = n_players // 2
    for start in range(0, len(matches), per_round):
        busy = list(itertools.chain(*matches[start : start + per_round]))
        assert len(set(busy)) == len(busy)
    first = np.bincount([match.first for match in matches], minlength=n_players)
    assert first.max() - first.min() <= 2


def test_round_robin_changes_seats_in_the_second_cycle():
    matches = asks(RoundRobin(BradleyTerry(4), rng=rng(), cycles=2), 13)
    assert matches.pop() is None
    assert matches[6:] == [Match(b, a) for a, b in matches[:6]]


def test_round_robin_does_not_repeat_what_was_played_elsewhere():
    scheduler = RoundRobin(BradleyTerry(4), rng=rng())
    scheduler.tell(Result(Match(0, 1), 1.0))
    assert frozenset((0, 1)) not in {frozenset(match) for match in asks(scheduler, 5)}
    assert scheduler.ask() is None


@pytest.mark.parametrize("n_players", [2, 3, 6, 8, 13])
def test_knockout_takes_one_match_less_than_players(n_players):
    scheduler = Knockout(BradleyTerry(n_players), rng=rng())
    while (match := scheduler.ask()) is not None:
        scheduler.tell(Result(match, float(match.first > match.second)))
    assert scheduler.n_told == n_players - 1
    assert scheduler.champion == n_players - 1


def test_knockout_replays_draws_waits_for_results_and_starts_again():
    scheduler = Knockout(BradleyTerry(4), rng=rng(), cycles=2)
    one, other = asks(scheduler, 2)
    assert scheduler.ask() is None  # the final has no players yet
    scheduler.tell(Result(one, 0.5))
    assert scheduler.ask() == one
    scheduler.tell(Result(one, 1.0))
    scheduler.tell(Result(other, 0.0))
    final = scheduler.ask()
    assert set(final) == {one.first, other.second}
    scheduler.tell(Result(final, 1.0))
    assert (scheduler.champion, scheduler.n_cups) == (final.first, 1)
    assert scheduler.ask() is not None


def test_alpha_ig_gain_is_the_expected_fall_in_entropy():
    """Against sampling: draw beliefs, a score, the beliefs after it, and their entropy."""
    scheduler = AlphaIG(BradleyTerry(3), rng=rng())
    for match, score in [((0, 1), 1.0), ((0, 1), 1.0), ((1, 2), 1.0), ((0, 2), 0.0)]:
        scheduler.tell(Result(Match(*match), score))
    gains = scheduler.gains()
    draw = rng(1)
    for place in range(3):
        precision, noise_precision = scheduler._precision[place], scheduler._new_precision
        mean = scheduler._weighted[place] / precision
        falls = []
        for _ in range(2000):
            truth = draw.normal(mean, precision**-0.5)
            score = draw.normal(truth, noise_precision**-0.5)
            falls.append(_entropy_after(scheduler, place, score))
        expected = _entropy_after(scheduler, None, 0.0) - np.mean(falls)
        assert gains[place] == pytest.approx(expected, abs=4 * np.std(falls) / np.sqrt(2000))


def _entropy_after(scheduler, place, score):
    weighted, precision = scheduler._weighted.copy(), scheduler._precision.copy()
    if place is not None:
        scheduler._weighted[place] += score * scheduler._new_precision
        scheduler._precision[place] += scheduler._new_precision
    patterns, weights = scheduler._beliefs()
    scheduler._weighted, scheduler._precision = weighted, precision
    chances = patterns.members @ weights
    chances = chances[chances > 0.0]
    return -(chances * np.log(chances)).sum()


def test_alpha_ig_on_two_good_two_bad_is_quick_and_finds_the_best():
    game, draw = good_bad(rng()), rng(1)
    scheduler = AlphaIG(BradleyTerry(4), rng=rng(2))
    start = time.perf_counter()
    counts = np.zeros(6)
    for _ in range(1000):
        match = scheduler.ask()
        counts[place_of(match)] += 1
        scheduler.tell(Result(match, game.play(match, draw)))
    assert time.perf_counter() - start < 10.0
    assert counts.argmax() == place_of(Match(0, 1))  # the two good ones are the question
    assert scheduler.alpha_rank().argmax() == 1


def test_alpha_ig_samples_patterns_of_larger_fields():
    scheduler, draw = AlphaIG(BradleyTerry(8), rng=rng()), rng(1)
    for _ in range(150):
        match = scheduler.ask()
        scheduler.tell(Result(match, float(match.first > match.second)))
        draw.random()
    assert scheduler.alpha_rank().argmax() == 7
    assert scheduler.alpha_rank().sum() == pytest.approx(1.0)


@pytest.mark.parametrize(
    ("text", "error", "words"),
    [
        ("maxim", UnknownName, "no scheduler named 'maxim'; did you mean 'maxin'"),
        ("maxin:gama=1", UnknownName, "no option of scheduler 'maxin' named 'gama'"),
        ("maxin:exploration=lots", InvalidInput, "exploration must be float; got 'lots'"),
        ("maxin:batch_size=0", InvalidInput, "must be at least 1; got 0"),
        ("maxin:batch_size", InvalidInput, "options are written key=value"),
        ("maxin+glicko", UnknownName, "no rating model of maxin named 'glicko'"),
        ("random+glicko", UnknownName, "no rating named 'glicko'"),
        ("maxinp+elo", InvalidInput, "bradley-terry ratings only; got 'elo'"),
        ("rg-ucb:delta=2", InvalidInput, "between 0 and 1; got 2.0"),
        ("knockout:cycles=0", InvalidInput, "cycles must be at least 1, or None for ever; got 0"),
    ],
)
def test_bad_names_and_options_are_named(text, error, words):
    with pytest.raises(error, match=words):
        make_scheduler(text, 5, rng())


def test_ratings_after_a_plus_are_used():
    assert isinstance(make_scheduler("random+bradley-terry", 5, rng()).learner, BradleyTerry)
    melo = make_scheduler("random+melo:dimensions=4,step_size=0.1", 5, rng()).learner
    assert (melo.model.dimensions, melo.step_size) == (4, 0.1)
    assert make_scheduler("maxin+melo:dimensions=2", 5, rng()).model.dimensions == 2
