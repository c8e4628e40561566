"""A belief is fitted once, when it is first needed, and depends on the set of results alone."""

import threading

import pytest
from hypothesis import given, settings

from maxin.core import InvalidInput, Stop
from maxin.ratings import Posterior, Tally
from maxin.runners import Outcome
from maxin.tournament import Tournament
from maxin.tournament.budgets import Budgets
from maxin.tournament.record.commands import apply
from maxin.tournament.record.failures import FailureCounts
from maxin.tournament.record.record import Needs
from maxin.tournament.record.transaction import Transaction
from maxin.views import Belief, BeliefCache, BestBy, Leaderboard, Top
from maxin.worker.source import Tell
from tests.helpers import leagues
from tests.helpers.fields import NAMES, N, ladder, logs, states, tally_of
from tests.helpers.inside import record_of


@pytest.fixture
def fits(monkeypatch):
    """The number of players of every fit of a posterior, in the order they are made."""
    made = []
    fit = Posterior.fit

    def counted(self, *arguments, **options):
        made.append(self.n_players)
        return fit(self, *arguments, **options)

    monkeypatch.setattr(Posterior, "fit", counted)
    return made


# One belief


def test_all_views_share_one_fit(fits):
    belief = Belief(NAMES, ladder())
    assert fits == []  # nothing was needed yet
    Leaderboard.of(belief)
    Top.of(belief, 2)
    BestBy.of(belief)
    belief.order_verdict(Stop())
    assert fits == [N]


@given(log=logs, states=states)
@settings(max_examples=30)
def test_the_order_of_results_does_not_matter(log, states):
    one = Belief(NAMES, tally_of(log), states)
    two = Belief(NAMES, tally_of(log[::-1]), states)
    assert one.ratings.tolist() == two.ratings.tolist()
    if one.in_play.size:
        assert (one.drawn_tops(1).tops == two.drawn_tops(1).tops).all()


def test_strength_is_measured_against_those_in_play():
    tally = ladder(200)
    belief = Belief(NAMES, tally, {"anna": "retired", "bo": "paused"})
    posterior = Posterior(N)
    posterior.fit(tally.crosstable(), field=[1, 2, 3, 4])
    assert belief.in_play.tolist() == [1, 2, 3, 4]
    assert belief.states == ["retired", "paused", "active", "active", "active"]
    assert belief.ratings == pytest.approx(posterior.ratings(), abs=1e-8)
    ratings, covariance = belief.playing
    assert ratings.tolist() == belief.ratings[1:].tolist()
    assert covariance == pytest.approx(posterior.covariance()[1:, 1:])


def test_verdicts_name_players_by_their_numbers_among_all():
    belief = Belief(NAMES, ladder(), {"anna": "retired"})
    assert belief.top_verdict(2, Stop()).players == (1, 2)
    assert belief.order_verdict(Stop()).players == (1, 2, 3, 4)
    assert belief.order_verdict(Stop()).kind == "decided"


@pytest.mark.parametrize("in_play", [0, 1, 2])
def test_a_top_of_all_who_are_in_play_needs_no_results(in_play):
    names = NAMES[:3]
    belief = Belief(names, Tally(3), dict.fromkeys(names[in_play:], "retired"))
    found = belief.top_verdict(2, Stop())
    assert (found.kind, found.players, found.odds) == ("decided", tuple(range(in_play)), 1.0)


@pytest.mark.parametrize("n_players", [0, 1])
def test_fewer_than_two_players_need_no_fit(n_players, fits):
    belief = Belief(NAMES[:n_players], Tally(n_players))
    assert belief.ratings.tolist() == [0.0] * n_players
    assert belief.playing[1].shape == (n_players, n_players)
    assert belief.margins.tolist() == [0.0] * n_players
    assert belief.order_verdict(Stop()).kind == "decided"
    assert fits == []


def test_every_player_needs_a_name():
    with pytest.raises(InvalidInput, match="a tally of 2 players needs as many names; got 1"):
        Belief(["anna"], Tally(2))


# The cache


def test_the_cache_fits_again_only_if_results_or_players_have_changed(fits):
    cache, tally = BeliefCache(), ladder(20)
    first = cache.get(NAMES, tally, {})
    assert cache.get(list(NAMES), tally.copy(), dict.fromkeys(NAMES, "active")) is first
    tally.add(0, 1, 0.5)
    second = cache.get(NAMES, tally, {})
    assert second is not first
    assert cache.get(NAMES, tally, {"eve": "retired"}) is not second
    assert cache.get(["ann", *NAMES[1:]], tally, {}).names[0] == "ann"
    assert len(fits) == 4


def test_a_belief_keeps_its_results_when_the_tally_grows():
    cache, tally = BeliefCache(), ladder(20)
    belief = cache.get(NAMES, tally, {})
    tally.add(0, 1, 0.5)
    assert belief.tally.games.sum() == 20


def test_the_seat_of_a_result_matters_to_the_cache():
    one, two = Tally(2), Tally(2)
    one.add(0, 1, 1.0)
    two.add(1, 0, 0.0)
    cache = BeliefCache()
    assert cache.get(["a", "b"], one, {}) is not cache.get(["a", "b"], two, {})


def test_threads_that_ask_at_the_same_time_share_one_fit(fits):
    tournament = Tournament(leagues.NAMES)
    leagues.play_some(tournament, 10)
    fits.clear()
    together = threading.Barrier(4)
    beliefs = []

    def ask():
        together.wait()
        beliefs.append(tournament.belief())

    threads = [threading.Thread(target=ask) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert fits == [4]
    assert all(belief is beliefs[0] for belief in beliefs)


# The beliefs of a tournament


def look(tournament):
    """Everything that a front page shows."""
    tournament.overview().document()
    tournament.leaderboard()
    tournament.top()
    tournament.best_by()
    tournament.belief()
    return tournament.overview(Stop(confidence=0.9)).notes


def test_a_tournament_fits_once_for_each_state_of_its_results(fits):
    tournament = Tournament(leagues.NAMES, scheduler="random")
    tournament.add_results([("anna", "bo", 1.0), ("bo", "cy", 0.5)])
    look(tournament)
    assert len(fits) == 1
    ticket = tournament.ask()
    tournament.request("anna", "cy")
    look(tournament)
    assert len(fits) == 1  # no result was added
    tournament.tell(ticket, 1.0)
    look(tournament)
    assert len(fits) == 2
    tournament.void(tournament.ask(), "no board")
    look(tournament)
    assert len(fits) == 2
    tournament.retire("dee")
    look(tournament)
    assert len(fits) == 3


def test_a_decided_run_leaves_its_fit_to_the_views(fits):
    tournament = Tournament(leagues.NAMES, scheduler="random")
    report = tournament.run(leagues.alphabet)
    assert report.reason == "decided"
    n_fits = len(fits)
    look(tournament)
    assert report.sentence
    assert len(fits) == n_fits


def test_a_result_that_never_reached_the_disk_does_not_stay_in_the_belief():
    tournament = Tournament(leagues.NAMES, scheduler="random")
    record, ticket = record_of(tournament), tournament.ask()
    before = str(tournament.leaderboard())

    def fail(writer):
        transaction = Transaction(record, writer, Budgets(Stop(), record.store), FailureCounts())
        apply(Tell(ticket.id, Outcome(1.0), ticket.fence), transaction)
        tournament.belief()  # a run checks its stop rule before its results are written
        raise RuntimeError("the lights went out")

    with pytest.raises(RuntimeError, match="the lights went out"):
        record.transact(fail, Needs.ALL)
    assert str(tournament.leaderboard()) == before
    tournament.tell(ticket, 0.0)  # it gets the number that the other result would have had
    expected = Leaderboard.of(Belief(tournament.names, tournament.tally()))
    assert str(tournament.leaderboard()) == str(expected)
