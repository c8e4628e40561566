"""The state of a tournament follows from its record alone."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from maxin.core import Match
from maxin.storage import Entry
from maxin.tournament import Settings, Tournament
from maxin.tournament.state.state import TournamentState, ordered_pairs
from tests.helpers.inside import state_of
from tests.helpers.leagues import NAMES, play, play_some


def state_after(*entries, **options):
    state = TournamentState(Settings(**options))
    for seq, entry in enumerate(entries, start=1):
        state.take(entry._replace(seq=seq))
    return state


def player(number, name, state="active"):
    return Entry(0, "player", first=number, name=name, state=state)


FIELD = [player(number, name) for number, name in enumerate(NAMES)]


def test_a_match_is_pending_until_it_is_reported_or_void():
    asks = [Entry(0, "ask", number, 0, 1) for number in (1, 2, 3)]
    assert state_after(*FIELD, *asks).pending == dict.fromkeys((1, 2, 3), Match(0, 1))
    ends = [Entry(0, "tell", 1, 0, 1, 0.5), Entry(0, "void", 2)]
    state = state_after(*FIELD, *asks, *ends)
    assert state.pending == {3: Match(0, 1)}
    assert (state.n_told, state.n_asked) == (1, 3)


def test_a_match_that_is_handed_out_again_stays_one_match():
    ask = Entry(0, "ask", 1, 0, 1)
    state = state_after(*FIELD, ask, ask)
    assert (state.n_asked, len(state.pending)) == (1, 1)


def test_a_request_is_kept_until_that_match_is_handed_out():
    request = Entry(0, "request", None, 2, 1)
    state = state_after(*FIELD, request, Entry(0, "ask", 1, 1, 2))
    assert list(state.requests) == [Match(2, 1)]  # the seats were the other way round
    assert state.next_match() == Match(2, 1)
    state = state_after(*FIELD, request, request, Entry(0, "ask", 1, 2, 1))
    assert list(state.requests) == [Match(2, 1)]


def test_every_game_of_a_match_counts_in_its_seats():
    state = state_after(*FIELD, Entry(0, "tell", None, 0, 1, 0.75, games=(1.0, 0.5)))
    tally = state.tally
    assert tally.table(tally.games, [0, 1]).tolist() == [[0.0, 0.5], [0.5, 0.0]]
    assert tally.table(tally.points, [0, 1]).tolist() == [[0.0, 0.5], [0.25, 0.0]]
    assert state.n_told == 1


def test_paused_players_are_in_play_but_not_active():
    state = state_after(*FIELD, player(1, "bo", "paused"), player(2, "cy", "retired"))
    assert state.active() == [0, 3]
    assert state.in_play() == [0, 1, 3]


def test_the_state_does_not_grow_with_the_number_of_results():
    import pickle

    tell = Entry(0, "tell", None, 0, 1, 0.5)
    sizes = [len(pickle.dumps(state_after(*FIELD, *[tell] * times))) for times in (10, 1000)]
    assert sizes[1] <= sizes[0] + 8  # a counter may take a few bytes more


def test_seats_are_balanced_pair_by_pair():
    tournament = Tournament(NAMES, scheduler="round-robin:cycles=none")
    play_some(tournament, 90)
    tally = tournament.tally()
    games = tally.table(tally.games)
    assert np.abs(games - games.T).max() <= 1


def test_every_player_gets_its_least_number_of_matches():
    names = [f"p{number}" for number in range(9)]
    tournament = Tournament(names, min_matches=3, scheduler="dbgd")
    assert state_of(tournament).is_anyone_starved()
    play_some(tournament, 14)
    assert tournament.tally().n_matches.min() >= 3
    assert not state_of(tournament).is_anyone_starved()


def tell_in_order(tournament, order):
    tickets = [tournament.ask() for _ in range(12)]
    for place in order:
        ticket = tickets[place]
        tournament.tell(ticket, play(ticket.first, ticket.second, ticket.seed))


@pytest.fixture(scope="module")
def straight():
    """The leaderboard after results in the order of their matches."""
    tournament = Tournament(NAMES, seed=1)
    tell_in_order(tournament, range(12))
    return tournament.leaderboard()


@settings(max_examples=10)
@given(order=st.permutations(range(12)))
def test_ratings_depend_on_the_results_and_not_on_their_order(straight, order):
    shuffled = Tournament(NAMES, seed=1)
    tell_in_order(shuffled, order)
    for one, two in zip(straight, shuffled.leaderboard(), strict=True):
        assert one.player == two.player
        assert one.rating == pytest.approx(two.rating, abs=1e-6)


def test_starved_players_meet_whom_they_met_least_then_who_played_least():
    """The same choice as from a table of all pairs."""
    tournament = Tournament([f"p{number}" for number in range(5)], min_matches=12, scheduler="dbgd")
    met = np.zeros((5, 5), dtype=int)
    for _ in range(30):
        played = met.sum(axis=0)
        first = int(played.argmin())
        others = [player for player in range(5) if player != first]
        second = min(others, key=lambda player: (met[first, player], played[player]))
        ticket = tournament.ask()
        assert {*ticket.players} == {first, second}
        met[first, second] += 1
        met[second, first] += 1
        if ticket.id % 3:  # the others stay pending, and count too
            tournament.tell(ticket, 0.5)


@given(
    ratings=st.lists(st.sampled_from([-1.5, 0.0, 0.25, 0.5, 2.0, 7.0]), min_size=2, max_size=9),
    by_gap=st.booleans(),
)
def test_pairs_come_in_the_order_of_all_pairs(ratings, by_gap):
    values = np.array(ratings)
    found = list(ordered_pairs(values, by_gap=by_gap))
    low, high = np.triu_indices(len(values), 1)
    assert {frozenset(pair) for pair in found} == {
        frozenset(pair) for pair in zip(low.tolist(), high.tolist(), strict=True)
    }
    assert len(found) == len(low)
    one, two = np.array(found).T
    loss = abs(values[one] - values[two]) if by_gap else -values[one] - values[two]
    assert (np.diff(loss) >= 0.0).all()


def test_the_most_promising_pairs_of_a_large_field_are_found_at_once():
    tournament = Tournament([f"p{number}" for number in range(20_000)], seed=1)
    tournament.tell(tournament.ask(), 1.0)
    state = state_of(tournament)
    ratings = state.pairing.scheduler.ratings()
    first = next(state.promising())
    assert ratings[list(first)].sum() == np.sort(ratings)[-2:].sum()
