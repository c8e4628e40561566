"""One record, one story: whoever reads it, and whenever, has the same league and scheduler."""

import random

import numpy as np
import pytest

from maxin.core import InvalidInput
from maxin.tournament import Tournament
from maxin.tournament.tickets import tickets as desk_module

NAMES = ["anna", "bo", "cy", "dee", "eve"]


class Office:
    """Several processes' worth of tournaments on one store, doing whatever comes to mind."""

    def __init__(self, url, seed, **settings):
        self.rng = random.Random(seed)
        self.url = url
        self.desks = [Tournament(NAMES, url, **settings)]
        self.desks += [Tournament(store=url) for _ in range(2)]
        self.asked = []
        self.n_results = 0

    def act(self):
        tournament = self.rng.choice(self.desks)
        act = self.rng.choice(
            ["ask", "ask", "ask", "tell", "tell", "tell", "void", "late", "import", "demand"]
            + ["pause", "resume", "lapse", "look", "reopen", "add"] * (self.rng.random() < 0.3)
        )
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
        """The result of a match that may be void, or told already."""
        if tournament.league.n_asked:
            number = self.rng.randint(1, tournament.league.n_asked)
            ticket_seed = tournament.league.seed(number)
            self.n_results += tournament.tell(number, ticket_seed % 3 / 2)

    def void(self, tournament):
        out = tournament.out()
        if out:
            tournament.void(self.rng.choice(out), "it was boring")

    def lapse(self, tournament):
        out = [ticket.id for ticket in tournament.out()]
        tournament.store.transact(lambda writer: writer.lease(out, "elsewhere", -1.0))
        for desk in self.desks:
            desk.desk._next_look = 0.0

    def demand(self, tournament):
        first, second = self.rng.sample(tournament.names, 2)
        try:
            tournament.demand(first, second, times=self.rng.randint(1, 2))
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
        tournament.refresh()
        if len(tournament.names) < 8:
            tournament.add(f"new {len(tournament.names)}")

    def look(self, tournament):
        """What a run does between asks."""
        tournament.league.known()

    def reopen(self, tournament):
        tournament.close()
        self.desks[self.desks.index(tournament)] = Tournament(store=self.url)

    def __getattr__(self, name):
        if name == "import":
            return self.import_results
        raise AttributeError(name)

    def import_results(self, tournament):
        first, second = self.rng.sample(tournament.names, 2)
        self.n_results += tournament.add_results([(first, second, 1.0)])

    def check(self):
        fresh = Tournament(store=self.url)
        for tournament in [*self.desks, fresh]:
            tournament.refresh()
            tournament.transact(lambda writer, desk=tournament.desk: desk.prepare(writer))
            assert tournament.n_matches == self.n_results
        states = [self.state(tournament) for tournament in [*self.desks, fresh]]
        for state in states[1:]:
            assert state == states[0]
        assert [desk.verify().problems for desk in self.desks] == [[]] * len(self.desks)
        fresh.close()

    def state(self, tournament):
        league = tournament.league
        league.known()
        found = [league.out, list(league.demands), league.states, league.tally.points.tolist()]
        if league.pairing is not None:
            scheduler = league.pairing.scheduler
            found += [scheduler.in_flight, np.round(scheduler.ratings(), 9).tolist()]
            found += [scheduler.choose()]
        return found


@pytest.mark.parametrize("seed", range(6))
@pytest.mark.parametrize("lag", [0, 2])
@pytest.mark.parametrize("scheduler", ["random", "maxinp", "round-robin:cycles=none"])
def test_all_who_read_the_record_agree(tmp_path, monkeypatch, scheduler, lag, seed):
    monkeypatch.setattr(desk_module, "SNAPSHOT_EVERY", 25)
    url = f"sqlite:///{tmp_path / 'league.db'}"
    office = Office(url, seed, scheduler=scheduler, lag=lag)
    for _ in range(5):
        for _ in range(25):
            office.act()
        office.check()
    for tournament in office.desks:
        tournament.close()


def test_a_void_match_and_a_result_of_the_same_pair_from_elsewhere():
    tournament = Tournament(["anna", "bo", "cy"], scheduler="random")
    match = tournament.ask()
    tournament.add_results([(match.first, match.second, 1.0)])
    tournament.void(match, "played by hand")
    for _ in range(8):
        tournament.tell(tournament.ask(), 1.0)
    assert tournament.verify().problems == []


def test_a_demand_that_has_to_wait_is_not_forgotten(tmp_path):
    url = f"sqlite:///{tmp_path / 'league.db'}"
    one = Tournament(["anna", "bo", "cy", "dee"], url)
    one.demand("anna", "bo")
    one.demand("cy", "dee")
    one.pause("anna")
    assert one.ask()[1:3] == ("cy", "dee")
    one.resume("anna")
    two = Tournament(store=url)
    assert two.ask()[1:3] == ("anna", "bo")
    assert not two.league.demands


def test_short_visits_save_snapshots_too(tmp_path, monkeypatch):
    monkeypatch.setattr(desk_module, "SNAPSHOT_EVERY", 30)
    url = f"sqlite:///{tmp_path / 'league.db'}"
    Tournament(NAMES, url).close()
    seen = []
    for _ in range(12):
        with Tournament(store=url) as tournament:
            for _ in range(4):
                tournament.tell(tournament.ask(), 0.5)
            fingerprint = desk_module.snapshots.fingerprint(tournament.settings)
            found = tournament.store.snapshot(fingerprint)
            seen.append(found and found[0])
    assert seen[0] is None
    assert len(set(seen)) >= 3


def test_a_refused_result_does_not_cost_the_league():
    tournament = Tournament(NAMES)
    ticket = tournament.ask()
    tournament.tell(ticket, 1.0)
    league = tournament.league
    with pytest.raises(InvalidInput):
        tournament.tell(ticket, 0.0)
    assert tournament.league is league


def test_a_snapshot_that_fails_is_no_failure_of_the_result(monkeypatch):
    from maxin.storage import StoreFailed

    def fail(*_):
        raise StoreFailed("the disk is full")

    tournament = Tournament(NAMES)
    monkeypatch.setattr(desk_module, "SNAPSHOT_EVERY", 1)
    monkeypatch.setattr(tournament.store, "save_snapshot", fail)
    assert tournament.tell(tournament.ask(), 1.0)
    assert tournament.n_matches == 1


@pytest.mark.parametrize(
    "wrong",
    [
        lambda t, m: t.tell(m, 1.0, data={"x": {1}}),
        lambda t, m: t.tell(m, 1.0, data=[1]),
        lambda t, m: t.tell(m, 1.0, data={"x": float("nan")}),
        lambda t, m: t.tell(m, 1.0, errors="boom"),
        lambda t, m: t.tell(m, 1.0, errors=[ValueError()]),
        lambda t, m: t.tell(m, 1.0, games=0.5),
        lambda t, m: t.tell(m, 1.0, games="10"),
        lambda t, m: t.tell(2**70, 1.0),
        lambda t, m: t.tell("one", 1.0),
        lambda t, m: t.ask(lease="x"),
        lambda t, m: t.ask(lease=float("nan")),
        lambda t, m: t.add_results([None]),
        lambda t, m: t.add_results([(["anna"], "bo", 1.0)]),
        lambda t, m: t.add_results([None], add_players=True),
        lambda t, m: t.add_results([("anna", "bo", 1.0)], source="x\0y"),
        lambda t, m: t.pause(["anna"]),
        lambda t, m: t.pause(1),
        lambda t, m: t.top(confidence="x"),
        lambda t, m: t.run(5),
        lambda t, m: t.run("play.py {a} {b}"),
        lambda t, m: t.run(lambda *_: 1.0, confidence="x"),
        lambda t, m: Tournament(5),
        lambda t, m: Tournament(NAMES, scheduler=5),
        lambda t, m: Tournament(NAMES, first_advantage="no"),
        lambda t, m: Tournament(NAMES, match={1}),
        lambda t, m: Tournament([maxin_entrant({1})]),
        lambda t, m: Tournament(store="sqlite:///no-such-file.db"),
    ],
)
def test_bad_input_is_refused_in_our_words(wrong):
    tournament = Tournament(NAMES)
    ticket = tournament.ask()
    with pytest.raises(InvalidInput):
        wrong(tournament, ticket)
    assert tournament.n_matches == 0


def maxin_entrant(options):
    from maxin.core import Entrant

    return Entrant("anna", options)


def test_nobody_is_added_if_a_row_is_wrong():
    tournament = Tournament(NAMES)
    with pytest.raises(InvalidInput):
        tournament.add_results([("zed", "anna", 1.0), ("zed", "anna", 3.0)], add_players=True)
    assert "zed" not in tournament.names


def test_the_retired_cannot_pause():
    tournament = Tournament(NAMES)
    tournament.retire("anna")
    with pytest.raises(InvalidInput, match="'anna' is retired; resume it first"):
        tournament.pause("anna")
