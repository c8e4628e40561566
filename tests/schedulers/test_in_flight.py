"""Pending matches against a plain list."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from maxin.core import InvalidInput, Match, Result
from maxin.schedulers import SCHEDULERS, make_scheduler
from maxin.schedulers.in_flight import InFlight

matches = st.builds(Match, st.integers(0, 2), st.integers(0, 2))


def plain_remove(flying, match):
    for seating in (match, Match(match.second, match.first)):
        if seating in flying:
            flying.remove(seating)
            return True
    return False


@given(st.lists(st.tuples(st.booleans(), matches), max_size=40))
def test_it_is_a_list_from_which_the_oldest_seating_is_removed(steps):
    flying, plain = InFlight(), []
    for adds, match in steps:
        if adds:
            flying.append(match)
            plain.append(match)
        else:
            assert flying.remove(match) == plain_remove(plain, match)
        assert list(flying) == plain
        assert flying == plain
        assert flying[1:] == plain[1:]
        assert len(flying) == len(plain)
        assert bool(flying) == bool(plain)
        assert InFlight(plain) == flying
    assert flying != [*plain, Match(0, 1)]


class CountingMatch(Match):
    """A match that counts how often it is compared."""

    n_compared = 0

    def __eq__(self, other):
        CountingMatch.n_compared += 1
        return super().__eq__(other)

    def __hash__(self):
        return super().__hash__()


@pytest.mark.parametrize("n_pending", [10, 1_000, 4_000])
def test_a_match_is_found_without_a_search(n_pending):
    """Comparisons per removal do not grow with the matches pending."""
    n_players = n_pending + 1
    flying = InFlight(CountingMatch(0, player) for player in range(1, n_players))
    CountingMatch.n_compared = 0
    for player in range(n_players - 1, 0, -1):  # the latest first, the worst case of a list
        assert flying.remove(CountingMatch(player, 0))
    assert CountingMatch.n_compared <= 4 * n_pending
    assert len(flying) == 0


@pytest.mark.parametrize("name", SCHEDULERS)
def test_asking_many_is_asking_often(name):
    once, often = (make_scheduler(name, 6, np.random.default_rng(0)) for _ in range(2))
    assert once.ask_many(4) == [match for match in (often.ask() for _ in range(4)) if match]
    assert once.in_flight == often.in_flight
    assert once.ask_many(0) == []


def test_a_finished_scheduler_asks_fewer():
    league = make_scheduler("round-robin:cycles=1", 3, np.random.default_rng(0))
    assert len(league.ask_many(10)) == 3


def test_a_bad_result_among_good_ones_teaches_nothing():
    league = make_scheduler("round-robin", 3, np.random.default_rng(0))
    asked = league.ask_many(3)
    results = [Result(match, 1.0) for match in asked]
    with pytest.raises(InvalidInput, match="got 2"):
        league.tell_many([*results, Result(Match(0, 1), 2.0)])
    assert (league.n_told, league.in_flight) == (0, asked)
    league.tell_many(iter(results))
    assert (league.n_told, league.in_flight) == (3, [])


@pytest.mark.parametrize("n_matches", [1.5, "3", None])
def test_the_number_of_matches_is_whole(n_matches):
    league = make_scheduler("round-robin", 3, np.random.default_rng(0))
    with pytest.raises(InvalidInput, match="the number of matches must be a whole number"):
        league.ask_many(n_matches)
