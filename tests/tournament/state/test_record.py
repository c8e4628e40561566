"""Every process that reads the record, at any time, has the same state and the same scheduler."""

import random

import numpy as np
import pytest

from maxin.core import InvalidInput
from maxin.tournament import Tournament
from maxin.tournament.state import state as states
from tests.helpers.inside import prepare, refresh, search_leases_now, state_of

NAMES = ["anna", "bo", "cy", "dee", "eve"]
OFTEN = ["ask", "ask", "ask", "tell", "tell", "tell", "void", "late", "add_results", "request"]
SELDOM = ["pause", "resume", "lapse", "look", "reopen", "add", "retract", "retract_source"]


class Processes:
    """Several processes' worth of tournaments on one store, doing random things in turn."""

    def __init__(self, url, seed, **settings):
        self.rng = random.Random(seed)
        self.url = url
        self.tournaments = [Tournament(NAMES, url, **settings)]
        self.tournaments += [Tournament(store=url) for _ in range(2)]
        self.asked = []
        self.n_results = 0

    def act(self):
        tournament = self.rng.choice(self.tournaments)
        act = self.rng.choice(OFTEN + SELDOM * (self.rng.random() < 0.3))
        getattr(self, act)(tournament)

    def ask(self, tournament):
        ticket = tournament.ask()
        if ticket is not None:
            self.asked.append(ticket)

    def tell(self, tournament):
        if self.asked:
            ticket = self.asked.pop(self.rng.randrange(len(self.asked)))
            self.n_results += tournament.tell(ticket, ticket.seed % 3 / 2)

    def late(self, tournament):
        """Report a match that may be void, or reported already."""
        if state_of(tournament).n_asked:
            number = self.rng.randint(1, state_of(tournament).n_asked)
            ticket_seed = state_of(tournament).seed(number)
            self.n_results += tournament.tell(number, ticket_seed % 3 / 2)

    def retract(self, tournament):
        told = [row.number for row in tournament.matches() if row.number is not None]
        if told:
            self.n_results -= tournament.retract(self.rng.choice(told), "it was wrong")

    def retract_source(self, tournament):
        if sources := tournament.store.sources():
            self.n_results -= tournament.retract_source(self.rng.choice(sources), "it was wrong")

    def void(self, tournament):
        refresh(tournament)  # a match that has a result by now cannot be void
        pending = tournament.pending()
        if pending:
            tournament.void(self.rng.choice(pending), "it was boring")

    def lapse(self, tournament):
        """Let the leases of all pending matches lapse."""
        pending = [ticket.id for ticket in tournament.pending()]
        tournament.store.transact(lambda writer: writer.lease(pending, "elsewhere", -1.0))
        for other in self.tournaments:
            search_leases_now(other)

    def request(self, tournament):
        first, second = self.rng.sample(tournament.names, 2)
        try:
            tournament.request(first, second, times=self.rng.randint(1, 2))
        except InvalidInput:
            assert tournament.states[first] != "active" or tournament.states[second] != "active"

    def pause(self, tournament):
        name = self.rng.choice(tournament.names)
        if self.rng.random() < 0.2:
            tournament.retire(name)
        elif tournament.states[name] != "retired":
            tournament.pause(name)

    def resume(self, tournament):
        tournament.resume(*self.rng.sample(tournament.names, 2))

    def add(self, tournament):
        refresh(tournament)
        if len(tournament.names) < 8:
            tournament.add(f"new {len(tournament.names)}")

    def look(self, tournament):
        """Do what a run does between two asks."""
        state_of(tournament).known()

    def reopen(self, tournament):
        tournament.close()
        self.tournaments[self.tournaments.index(tournament)] = Tournament(store=self.url)

    def add_results(self, tournament):
        first, second = self.rng.sample(tournament.names, 2)
        self.n_results += tournament.add_results([(first, second, 1.0)])

    def check(self):
        fresh = Tournament(store=self.url)
        everyone = [*self.tournaments, fresh]
        for tournament in everyone:
            refresh(tournament)
            prepare(tournament)
            assert tournament.n_matches == self.n_results
        first, *others = [facts_of(tournament) for tournament in everyone]
        for facts in others:
            assert facts == first
        assert [tournament.verify().problems for tournament in everyone] == [[]] * len(everyone)
        fresh.close()


def facts_of(tournament):
    """Everything that must be the same in every process."""
    state = state_of(tournament)
    state.known()
    facts = [state.pending, list(state.requests), state.states, state.tally.crosstable().tolist()]
    if state.pairing is not None:
        scheduler = state.pairing.scheduler
        facts += [scheduler.in_flight, np.round(scheduler.ratings(), 9).tolist()]
        facts += [scheduler.choose()]
    return facts


@pytest.mark.parametrize(
    ("lag", "seed"),
    [
        *[(0, 0), (2, 1)],
        *[pytest.param(2 - 2 * seed, seed, marks=pytest.mark.slow) for seed in (0, 1)],
        *[
            pytest.param(lag, seed, marks=pytest.mark.slow)
            for lag in (0, 2)
            for seed in range(2, 6)
        ],
    ],
)
@pytest.mark.parametrize("scheduler", ["random", "maxinp", "round-robin:cycles=none", "top-two"])
def test_all_processes_that_read_the_record_agree(url, monkeypatch, scheduler, lag, seed):
    monkeypatch.setattr(states, "RESTART_EVERY", 25)
    processes = Processes(url, seed, scheduler=scheduler, lag=lag)
    for _ in range(3):
        for _ in range(40):
            processes.act()
        processes.check()
    for tournament in processes.tournaments:
        tournament.close()


def test_a_request_that_has_to_wait_is_not_forgotten(url):
    one = Tournament(["anna", "bo", "cy", "dee"], url)
    one.request("anna", "bo")
    one.request("cy", "dee")
    one.pause("anna")
    assert one.ask()[1:3] == ("cy", "dee")
    one.resume("anna")
    two = Tournament(store=url)
    assert two.ask()[1:3] == ("anna", "bo")
    assert not state_of(two).requests
