"""One story through every door of a tournament leaves the same record.

The doors are the library, the commands of a shell, requests over HTTP, the client, and the votes of
a person.
"""

import itertools
import sqlite3
import sys
from contextlib import ExitStack, closing, contextmanager

import pytest

from maxin import Client, ScoreConflict, Tournament
from tests.helpers.command import call, right
from tests.helpers.inside import refresh
from tests.helpers.ports import reserved_port
from tests.helpers.processes import maxin_process
from tests.helpers.service_processes import service_process
from tests.helpers.serving import serving
from tests.helpers.waiting import LONG, wait_until

NAMES = ["anna", "bo", "cy"]
REASON = "the wrong player was credited"
CRASH = "out of memory"
N_ITEMS = 20  # enough that a voter never sees one twice with the same players
TEXTS = "a voter knows by the text who is on which side"


class Library:
    """`Tournament` in Python."""

    def __init__(self, tournament):
        self.tournament = self.roster = tournament

    def ask(self):
        ticket = self.tournament.ask()
        return None if ticket is None else ticket[:4]

    def tell(self, number, score):
        try:
            return "new" if self.tournament.tell(number, score) else "same"
        except ScoreConflict:
            return "refused"

    def fail(self, number, player=None):
        found = self.tournament.fail(number, CRASH, log="Killed", player=player)
        return found.again, found.attempt, found.is_void, [*map(tuple, found.paused)], found.stop

    def void(self, number):
        return self.tournament.void(number, REASON)

    def retract(self, number):
        return self.tournament.retract(number, REASON)


class Remote(Library):
    """`Client` in Python; players are changed by requests."""

    def __init__(self, client, roster):
        self.tournament, self.roster = client, roster


class Shell:
    """The commands `ask`, `tell`, `fail`, `void`, `retract`, `request` and `players`."""

    def __init__(self, path):
        self.roster, self.flags = self, ("--store", path)

    def ask(self):
        done = call("ask", "--format", "json", *self.flags)
        if done.code:
            return None
        return tuple(done.document.values())[:4]

    def tell(self, number, score):
        done = call("tell", number, score, "--format", "json", *self.flags)
        if done.code:
            assert "it cannot be reported again" in done.err
            return "refused"
        return "new" if done.document["is_new"] else "same"

    def fail(self, number, player=None):
        words = ("--reason", CRASH, "--format", "json", *(("--player", player) if player else ()))
        reply = right("fail", number, *words, *self.flags).document
        paused = [(one["player"], one["reason"]) for one in reply["paused"]]
        return reply["again"], reply["attempt"], reply["is_void"], paused, reply["stop"]

    def void(self, number):
        return "is void" in right("void", number, "--reason", REASON, *self.flags).out

    def retract(self, number):
        return "is retracted" in right("retract", number, "--reason", REASON, *self.flags).out

    def request(self, first, second):
        right("request", first, second, *self.flags)

    def add(self, name):
        right("players", "add", name, *self.flags)

    def pause(self, name):
        right("players", "pause", name, *self.flags)

    def resume(self, name):
        right("players", "resume", name, *self.flags)

    def retire(self, name):
        right("players", "retire", name, *self.flags)


class Http:
    """Requests to the API."""

    def __init__(self, served):
        self.served, self.roster = served, self

    def ask(self):
        reply = self.served.api("POST", "/matches", {"n": 1, "lease": 600})
        if reply.status in (204, 410):
            return None
        (ticket,) = reply.body["tickets"]
        return ticket["match"], ticket["first"]["name"], ticket["second"]["name"], ticket["seed"]

    def tell(self, number, score):
        reply = self.served.api("POST", f"/matches/{number}/result", {"score": score})
        return {201: "new", 200: "same", 409: "refused"}[reply.status]

    def fail(self, number, player=None):
        body = {"reason": CRASH, "log": "Killed", "player": player}
        reply = self.served.api("POST", f"/matches/{number}/failure", body).body
        paused = [(one["player"], one["reason"]) for one in reply["paused"]]
        return reply["again"], reply["attempt"], reply["is_void"], paused, reply["stop"]

    def void(self, number):
        return self._changed("POST", f"/matches/{number}/void", {"reason": REASON})

    def retract(self, number):
        return self._changed("POST", f"/matches/{number}/retract", {"reason": REASON})

    def request(self, first, second):
        self._changed("POST", "/requests", {"first": first, "second": second})

    def add(self, name):
        self._changed("POST", "/players", {"name": name})

    def pause(self, name):
        self._changed("PATCH", f"/players/{name}", {"state": "paused"})

    def resume(self, name):
        self._changed("PATCH", f"/players/{name}", {"state": "active"})

    def retire(self, name):
        self._changed("PATCH", f"/players/{name}", {"state": "retired"})

    def _changed(self, method, path, body):
        reply = self.served.api(method, path, body)
        assert reply.status in (200, 201), reply.body
        return reply.body["is_new"]


class Votes(Http):
    """A person who compares two texts: a vote is a result, a skipped pair a void match."""

    def __init__(self, served, tournament):
        super().__init__(served)
        self.tournament, self.pairs = tournament, {}

    def ask(self):
        reply = self.served.api("POST", "/pairs")
        if reply.status == 204:
            return None
        refresh(self.tournament)
        ticket = self.tournament.pending()[-1]
        left = self.served.ask("GET", reply.body["left"]["url"]).raw.decode().split()[0]
        self.pairs[ticket.id] = f"/pairs/{reply.body['pair']}/vote", left == ticket.first
        return ticket[:4]

    def tell(self, number, score):
        path, is_left = self.pairs[number]
        choice = "tie" if score == 0.5 else "a" if (score == 1.0) == is_left else "b"
        reply = self.served.api("PUT", path, {"choice": choice})
        return {201: "new", 200: "same", 409: "refused"}[reply.status]

    def void(self, number):
        assert self.served.api("PUT", self.pairs[number][0], {"choice": "skip"}).status == 201
        return True

    def retract(self, number):
        assert self.served.api("DELETE", self.pairs[number][0]).status == 204
        return True

    def add(self, name):
        super().add(name)
        add_texts(self.tournament, [*NAMES, name])


def add_texts(tournament, names):
    """Items whose texts begin with the names of their players."""
    from maxin.service.arena.item_files import Item, Output
    from maxin.service.arena.items import add_items

    items = [
        Item(
            f"item {number}",
            TEXTS,
            {name: Output("text/plain", f"{name} writes".encode()) for name in names},
        )
        for number in range(N_ITEMS)
    ]
    add_items(tournament, items)


@contextmanager
def by_library(tournament, path):
    yield Library(tournament)


@contextmanager
def by_shell(tournament, path):
    yield Shell(path)


@contextmanager
def by_http(tournament, path):
    with served_tournament(tournament) as served:
        yield Http(served)


@contextmanager
def by_client(tournament, path):
    with served_tournament(tournament) as served, Client(served.url) as client:
        yield Remote(client, Http(served))


@contextmanager
def by_votes(tournament, path):
    add_texts(tournament, NAMES)
    with served_tournament(tournament) as served:
        yield Votes(served, tournament)


@contextmanager
def served_tournament(tournament, budget=None):
    pytest.importorskip("starlette", reason="the server needs the extra 'web'")
    from maxin.service.service import Service

    with serving(Service.of(tournament, confidence=None, budget=budget)) as served:
        yield served


DOORS = {
    "library": by_library,
    "shell": by_shell,
    "http": by_http,
    "client": by_client,
    "votes": by_votes,
}


def told(path, through, story, **rules):
    """What a story says on its way through a door, and the record it leaves."""
    with Tournament(NAMES, path, seed=1, **rules) as tournament, through(tournament, path) as door:
        said = list(story(door))
    with Tournament(store=path) as tournament:
        assert tournament.verify().problems == []
        standings = [tuple(row) for row in tournament.leaderboard()]
        results = [
            (row.number, row.first, row.second, row.score, row.seed, row.retracted is None)
            for row in tournament.matches(retracted=True)
        ]
        pending = [ticket[:4] for ticket in tournament.pending()]
    return {
        "said": said,
        "entries": entries(path),
        "results": results,
        "pending": pending,
        "states": tournament.states,
        "standings": standings,
    }


ENTRIES = """
    SELECT seq, 'player' AS kind, player, name, state FROM maxin_players
    UNION ALL SELECT seq, 'asked', match, first || '-' || second, seed FROM maxin_asked
    UNION ALL SELECT seq, 'told', match, first || '-' || second, score FROM maxin_told
    UNION ALL SELECT seq, 'retracted', result, '', '' FROM maxin_retracted
    UNION ALL SELECT seq, kind, match, first || '-' || second, player FROM maxin_events
    ORDER BY seq
"""


def entries(path):
    """The record, without what only says through which door it came."""
    with closing(sqlite3.connect(path)) as database:
        rows = list(database.execute(ENTRIES))
    results = {seq: number for seq, kind, number, *_ in rows if kind == "told"}
    return [
        (kind, results[number] if kind == "retracted" else number, *rest)
        for _, kind, number, *rest in rows
        if kind != "admin"
    ]


def same_through(door, story, tmp_path, **rules):
    """Tell a story through a door and in Python, and compare."""
    found = told(tmp_path / "league.db", DOORS[door], story, **rules)
    wanted = told(tmp_path / "wanted.db", by_library, story, **rules)
    for record in (found, wanted) if door == "votes" else ():
        as_voted(record)
    for key, value in wanted.items():
        assert found[key] == value, key


def as_voted(record):
    """Leave out what votes do not have: notes of refused ones, and ratings without a judge."""
    record["entries"] = [entry for entry in record["entries"] if entry[0] != "refused"]
    record["standings"] = sorted((row[1], *row[6:12]) for row in record["standings"])


def score_of(ticket):
    return (0.0, 0.5, 1.0)[ticket[3] % 3]


def results_that_come_twice(door):
    """Asks and tells; a result that comes twice, and one that contradicts it."""
    for _ in range(4):
        ticket = door.ask()
        yield ticket
        yield door.tell(ticket[0], score_of(ticket))
    yield door.tell(ticket[0], score_of(ticket))
    yield door.tell(ticket[0], 1.0 if score_of(ticket) < 1.0 else 0.0)
    yield door.ask()


def corrections(door):
    """A result that is taken back and reported again; a void match whose result comes late."""
    for _ in range(2):
        ticket = door.ask()
        yield door.tell(ticket[0], score_of(ticket))
    yield door.retract(ticket[0])
    yield door.tell(ticket[0], 1.0 - score_of(ticket))
    ticket = door.ask()
    yield door.void(ticket[0])
    yield door.retract(ticket[0]) if isinstance(door, Votes) else True  # a vote opens it again
    yield door.tell(ticket[0], score_of(ticket))
    yield door.ask()


def players_who_come_and_go(door):
    """A request, and players who join, pause, resume and retire."""
    door.roster.request("cy", "anna")
    for act in (
        lambda: None,
        lambda: door.roster.add("dee"),
        lambda: door.roster.pause("bo"),
        lambda: door.roster.request("dee", "cy"),
        lambda: door.roster.resume("bo"),
        lambda: door.roster.retire("cy"),
    ):
        act()
        for _ in range(2):
            ticket = door.ask()
            yield ticket
            yield door.tell(ticket[0], score_of(ticket))


def a_match_that_fails_three_times(door):
    """It is handed out again twice; then it is void, and may still get its result."""
    ticket = door.ask()
    for _ in range(3):
        yield ticket
        yield door.fail(ticket[0])
        failed, ticket = ticket[0], door.ask()
    yield ticket
    yield door.fail(failed)
    yield door.tell(failed, 1.0)


def a_player_whose_matches_keep_failing(door):
    """It is paused after three void matches in a row; a result starts the count again."""
    n_void, tickets = 0, iter(door.ask, None)
    for ticket in itertools.islice(tickets, 30):
        yield ticket
        if "cy" not in ticket or n_void == 2:
            yield door.tell(ticket[0], score_of(ticket))
        else:
            yield door.fail(ticket[0], "cy")
        n_void += "cy" in ticket


def matches_that_all_fail(door):
    """A worker is told to stop after ten in a row; both players of a match may be the cause."""
    for ticket in itertools.islice(iter(door.ask, None), 40):
        yield ticket
        yield door.fail(ticket[0])


STORIES = (results_that_come_twice, corrections, players_who_come_and_go)


@pytest.mark.parametrize("door", [name for name in DOORS if name != "library"])
@pytest.mark.parametrize("story", STORIES, ids=lambda story: story.__name__)
def test_every_door_leaves_the_same_record(door, story, tmp_path):
    same_through(door, story, tmp_path)


FAILURES = (
    a_match_that_fails_three_times,
    a_player_whose_matches_keep_failing,
    matches_that_all_fail,
)


@pytest.mark.parametrize("door", ["http", "client"])
@pytest.mark.parametrize("story", FAILURES, ids=lambda story: story.__name__)
def test_failures_have_the_same_consequences(door, story, tmp_path):
    same_through(door, story, tmp_path)


@pytest.mark.parametrize(
    "story", [a_match_that_fails_three_times, a_player_whose_matches_keep_failing]
)
def test_failures_in_a_shell_have_the_same_consequences(story, tmp_path):
    """But for rows of failures: a process counts them, and each command of a shell is one."""
    same_through("shell", story, tmp_path)


def test_what_voters_skip_pauses_nobody(tmp_path):
    path = tmp_path / "league.db"
    with Tournament(NAMES, path, seed=1) as tournament, by_votes(tournament, path) as door:
        for ticket in itertools.islice(iter(door.ask, None), 6):
            door.void(ticket[0])
        refresh(tournament)
        assert set(tournament.states.values()) == {"active"}
        assert [one.kind for one in tournament.failures()] == ["void"] * 6


def test_matches_of_workers_that_vanish_pause_nobody(tmp_path):
    """A worker that says nothing blames nobody: its matches are handed out again, and count."""
    path = tmp_path / "league.db"
    with Tournament(NAMES, path, seed=1) as tournament, served_tournament(tournament) as served:
        door = Http(served)
        vanished = [
            served.api("POST", "/matches", {"n": 1, "lease": 0.01}).body["tickets"][0]["match"]
            for _ in range(12)
        ]
        pending = set(vanished)
        while pending:  # all of them are handed out again
            ticket = wait_until(door.ask)
            assert door.tell(ticket[0], score_of(ticket)) == "new"
            pending.discard(ticket[0])
        refresh(tournament)
        assert set(tournament.states.values()) == {"active"}
        assert list(tournament.failures()) == []


# Workers: the same function, or the same program, plays all matches

N_PLAYED = 12
PROGRAM = """
import sys
first, second, seed = sys.argv[1:]
print((0.0, 0.5, 1.0)[int(seed) % 3])
sys.exit("cy" in (first, second))
"""


def play(first, second, seed):
    if "cy" in (first, second):
        raise RuntimeError(CRASH)
    return (0.0, 0.5, 1.0)[seed % 3]


def by_run(path):
    with Tournament(store=path) as tournament:
        tournament.run(play, budget=N_PLAYED, confidence=None, backoff=0, progress=False)


def by_maxin_run(path):
    stop = ("--budget", N_PLAYED, "--confidence", "none", "--backoff", "0")
    right("run", "--store", path, "--command", program(path), *stop)


def by_client_run(path):
    with (
        Tournament(store=path) as tournament,
        served_tournament(tournament, N_PLAYED) as served,
        Client(served.url) as client,
    ):
        client.run(play, workers=1)


def by_maxin_work(path):
    with Tournament(store=path) as tournament, served_tournament(tournament, N_PLAYED) as served:
        right("work", served.url, "--command", program(path), "--workers", "1")


def by_processes(path):
    """`maxin serve`, and two of `maxin work`, with two workers each."""
    words = ("--workers", "2", "--command", program(path))
    flags = ("--budget", str(N_PLAYED))
    with reserved_port() as keeper, ExitStack() as stack:
        port = keeper.getsockname()[1]
        stack.enter_context(service_process(path.parent, f"sqlite:///{path}", port, *flags))
        for worker in [
            stack.enter_context(
                maxin_process("work", f"http://127.0.0.1:{port}", *words, folder=path.parent)
            )
            for _ in range(2)
        ]:
            _, err = worker.communicate(timeout=LONG)
            assert worker.returncode == 0, err


def program(path):
    script = path.with_name("play.py")
    script.write_text(PROGRAM)
    return f"{sys.executable} -S {script} {{a}} {{b}} {{seed}}"


def played(path, by):
    """What came of a tournament in which all matches of one player fail."""
    Tournament([*NAMES, "dee"], path, seed=1).close()
    by(path)
    with Tournament(store=path) as tournament:
        assert tournament.verify().problems == []
        return {
            "results": [(row.number, *row[1:4], row.seed) for row in tournament.matches()],
            "failures": [(one.kind, one.match) for one in tournament.failures()],
            "states": tournament.states,
            "standings": [tuple(row) for row in tournament.leaderboard()],
        }


@pytest.mark.parametrize("by", [by_maxin_run, by_client_run, by_maxin_work])
def test_workers_of_every_door_have_the_same_failures(by, tmp_path):
    wanted = played(tmp_path / "wanted.db", by_run)
    assert wanted["states"]["cy"] == "paused"
    assert len(wanted["results"]) == N_PLAYED
    assert played(tmp_path / "league.db", by) == wanted


def test_a_player_who_keeps_failing_is_paused_by_workers_in_processes(tmp_path):
    pytest.importorskip("starlette", reason="the server needs the extra 'web'")
    found = played(tmp_path / "league.db", by_processes)
    assert found["states"] == {**dict.fromkeys([*NAMES, "dee"], "active"), "cy": "paused"}
    assert len(found["results"]) == N_PLAYED
    assert not any("cy" in result[1:3] for result in found["results"])
