"""Fields that are too large for a table of all pairs."""

import numpy as np
import pytest

from maxin.core import InvalidInput, UnknownName
from maxin.tournament import Tournament
from maxin.tournament.state import state
from maxin.tournament.state.state import TournamentState
from tests.helpers.inside import refresh, state_of

N = 10_100
NAMES = [f"player {number}" for number in range(N)]


def rows(count):
    rng = np.random.default_rng(0)
    first = rng.integers(N, size=count)
    second = (first + rng.integers(1, N, size=count)) % N
    return [(NAMES[i], NAMES[j], float(i < j)) for i, j in zip(first, second, strict=True)]


def play(tournament, count):
    for _ in range(count):
        ticket = tournament.ask()
        tournament.tell(ticket, float(ticket.players.first < ticket.players.second))


@pytest.fixture(scope="module")
def url(tmp_path_factory):
    """A tournament with results of its own and of others, and a pending match."""
    url = f"sqlite:///{tmp_path_factory.mktemp('large') / 'league.db'}"
    with Tournament(NAMES, url, scheduler="random", seed=1) as tournament:
        play(tournament, 5)
        assert tournament.add_results(rows(2_000)) == 2_000
        tournament.retract(3, "it was wrong")
        tournament.retire("player 17")
        play(tournament, 5)
        tournament.ask()
    return url


def test_counting_the_record_gives_what_reading_it_gives(url, monkeypatch):
    monkeypatch.setattr(state, "RESTART_EVERY", 12_000)
    with Tournament(store=url) as resumed, Tournament(store=url) as replayed:
        assert TournamentState.resumed(resumed.settings, resumed.store).seq >= N
        refresh(resumed)
        monkeypatch.setattr(state, "RESTART_EVERY", 10**9)
        assert resumed.n_matches == replayed.n_matches == 2_009
        assert resumed.tally().is_like(replayed.tally())
        assert resumed.states == replayed.states
        assert [ticket.id for ticket in resumed.pending()] == [11]
        found = resumed.verify()
        assert (found.problems, found.largest_difference, found.n_players) == ([], 0.0, N)


def test_points_that_differ_from_the_record_are_found_without_rating_all_players(url):
    with Tournament(store=url) as tournament:
        state_of(tournament).tally.add(0, 1, 1.0)
        found = tournament.verify()
        assert found.largest_difference == np.inf
        assert "ratings differ from those of the record" in found.problems


def test_a_table_of_all_pairs_is_refused(url):
    with (
        Tournament(store=url) as tournament,
        pytest.raises(InvalidInput, match="at most 10,000 players; got 10,100"),
    ):
        tournament.tally().crosstable()


def test_a_scheduler_that_keeps_tables_of_pairs_is_refused():
    for scheduler in ("maxin", "round-robin", "random+bradley-terry"):
        with pytest.raises(
            InvalidInput, match=r"takes at most 10,000 players; got 10,100; .*random"
        ):
            Tournament(NAMES, scheduler=scheduler)


def test_players_join_a_large_field_and_unknown_names_are_not_all_listed(url):
    with Tournament(store=url) as tournament:
        tournament.add(*(f"newcomer {number}" for number in range(100)))
        assert tournament.names[-1] == "newcomer 99"
        with pytest.raises(InvalidInput, match="'player 3' is already a player, and active"):
            tournament.add("player 3")
        with pytest.raises(UnknownName) as error:
            tournament.pause("???")
        assert len(str(error.value)) < 1_000
        assert "and 10,150 more" in str(error.value)
