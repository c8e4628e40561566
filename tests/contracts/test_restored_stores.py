"""A store that is restored from a backup, while matches of its lost history are being played.

In the restored history other players get the same numbers, of matches and of entries. What comes
back from the lost history is refused and kept, through every door.
"""

import json
import os
import shutil
import signal
import threading
from contextlib import ExitStack, closing, contextmanager
from pathlib import Path

import psycopg
import pytest

from maxin import Client, OtherHistory, RefusedResults, StoreFailed, Tournament
from maxin.storage.backup import BESIDE
from tests.helpers.command import call, right
from tests.helpers.ports import reserved_port
from tests.helpers.processes import maxin_process
from tests.helpers.serving import serving
from tests.helpers.waiting import LONG, wait_until

NAMES = ["anna", "bo", "cy", "di"]
LOST, FOUND = ("anna", "bo"), ("cy", "di")  # who meets in either history
N_MATCHES = 2
REFUSED = "the store was restored from a backup, or is another one; nothing is recorded"
# Says that it plays, and waits until it may end.
PROGRAM = """
touch {folder}/$MAXIN_MATCH-$MAXIN_A
while [ ! -e {folder}/over ]; do sleep 0.02; done
echo 0.25
"""


@pytest.fixture
def folder(tmp_path, monkeypatch):
    """The folder of spools."""
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "state"))
    return tmp_path / "state" / "maxin" / "unsaved"


class SqliteFile:
    """A store in a file, and its backup."""

    restored = "its file was deleted, moved or replaced"

    def __init__(self, path):
        self.url, self._path, self._copy = f"sqlite:///{path}", path, path.with_name("copy.db")

    def back_up(self):
        right("backup", str(self._copy), "--store", self.url)

    def restore(self):
        for ending in BESIDE:
            self._path.with_name(self._path.name + ending).unlink(missing_ok=True)
        shutil.copy(self._copy, self._path.with_name("new.db")).replace(self._path)


class Database:
    """A store on a server, and a copy of its database."""

    restored = "an older store was restored, and others continued it"

    def __init__(self, server, name):
        self.url, self._name = server.new_database(name), name
        self._other = server.new_database(f"{name}_admin")

    def back_up(self):
        self._make(f"{self._name}_copy", self._name)

    def restore(self):
        self._make(self._name, f"{self._name}_copy")

    def _make(self, name, template):
        with closing(psycopg.connect(self._other, autocommit=True)) as server:
            server.execute(f"DROP DATABASE IF EXISTS {name} WITH (FORCE)")
            server.execute(
                "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = %s",
                (template,),
            )
            server.execute(f"CREATE DATABASE {name} TEMPLATE {template}")


@pytest.fixture(params=["sqlite", "postgres"])
def store(request, tmp_path):
    """A store with a backup from before its first match."""
    if request.param == "sqlite":
        made = SqliteFile(tmp_path / "league.db")
    else:
        made = Database(request.getfixturevalue("postgres"), "restored")
    yield backed_up(made)
    if request.param == "postgres":
        drop(request.getfixturevalue("postgres"))


@pytest.fixture
def file(tmp_path):
    return backed_up(SqliteFile(tmp_path / "league.db"))


def backed_up(store):
    Tournament(NAMES, store.url, seed=1).close()
    store.back_up()
    return store


def drop(server):
    with closing(psycopg.connect(server.empty_database(), autocommit=True)) as connection:
        for name in ("restored", "restored_copy", "restored_admin"):
            connection.execute(f"DROP DATABASE IF EXISTS {name} WITH (FORCE)")


def lose(store):
    """Hand matches out, in a history that is lost; returns their tickets."""
    with Tournament(store=store.url) as tournament:
        return hand_out(tournament, LOST)


def continue_otherwise(store, n_more=0):
    """Restore the backup, and hand the same numbers out to others; returns their tickets."""
    store.restore()
    with Tournament(store=store.url) as tournament:
        tickets = hand_out(tournament, FOUND)
        for _ in range(n_more):
            tournament.request(*FOUND)
        return tickets


def hand_out(tournament, players):
    tournament.request(*players, times=N_MATCHES)
    return tournament.ask_many(N_MATCHES, lease=LONG)


def entries_of(tickets):
    return [(ticket.id, int(ticket.fence.partition("-")[0])) for ticket in tickets]


def check_untouched(store, *, n_results=0):
    """The restored history has nothing of the lost one."""
    with Tournament(store=store.url) as tournament:
        assert tournament.verify().problems == []
        assert [row.score for row in tournament.matches()].count(0.25) == 0
        assert tournament.n_matches == n_results
        assert tournament.store.n_results() == n_results
        assert list(tournament.failures()) == []


def kept(folder):
    """The results that were set aside: who played, and the score."""
    (path,) = folder.glob("*.rejected")
    rows = [json.loads(line) for line in path.read_text().splitlines()]
    assert list(folder.glob("*.jsonl")) == []
    return path, [(row["match"], row["first"], row["second"], row["outcome"][0]) for row in rows]


KEPT = [(number, *LOST, 0.25) for number in range(1, N_MATCHES + 1)]


# Tickets in hand


def test_a_ticket_of_a_lost_history_is_refused_by_a_tournament(store):
    lost = lose(store)
    found = continue_otherwise(store)
    assert entries_of(lost) == entries_of(found)
    assert {ticket[1:3] for ticket in lost} == {LOST}
    assert {ticket[1:3] for ticket in found} == {FOUND}
    with Tournament(store=store.url) as tournament:
        check_refused(tournament, lost)
        assert tournament.tell(found[0], 1.0)
    check_untouched(store, n_results=1)


def check_refused(source, lost):
    """All that a holder can do with tickets of a lost history is refused."""
    for act in (
        lambda: source.tell(lost[0], 0.25),
        lambda: source.fail(lost[0], "crashed"),
        lambda: source.void(lost[0], "wrong"),
        lambda: source.retract(lost[0], "wrong"),
    ):
        with pytest.raises(OtherHistory, match=REFUSED):
            act()
    with pytest.raises(RefusedResults) as caught:
        source.tell_many([(ticket, 0.25) for ticket in lost])
    assert [type(answer) for answer in caught.value.answers] == [OtherHistory] * N_MATCHES
    assert source.renew(lost) == [ticket.id for ticket in lost]


def test_a_ticket_of_a_lost_history_is_refused_by_a_service(file):
    from maxin.service.service import Service

    with Tournament(store=file.url) as tournament, serving(Service.of(tournament)) as served:
        tournament.request(*LOST, times=N_MATCHES)
        with Client(served.url) as client:
            lost = client.ask_many(N_MATCHES)
    file.restore()
    with Tournament(store=file.url) as tournament, serving(Service.of(tournament)) as served:
        tournament.request(*FOUND, times=N_MATCHES)
        with Client(served.url) as client:
            found = client.ask_many(N_MATCHES)
            assert entries_of(lost) == entries_of(found)
            check_refused(client, lost)
            assert client.renew(found) == []
            check_requests(served, lost)
            assert client.tell(found[0], 1.0)
            assert served.api("POST", "/matches/2/result", {"score": 1}).status == 201  # no fence
    check_untouched(file, n_results=2)


def check_requests(served, lost):
    refused = served.api("POST", "/matches/1/result", {"score": 0.25, "fence": lost[0].fence})
    assert (refused.status, refused.body["reason"]) == (409, "other-history")
    assert REFUSED in refused.body["detail"]
    (one,) = served.api(
        "POST", "/results", [{"match": 1, "score": 0.25, "fence": lost[0].fence}]
    ).body
    assert (one["status"], one["reason"]) == (409, "other-history")
    odd = served.api("POST", "/matches/1/result", {"score": 0.25, "fence": "1' OR 1"})
    assert odd.status == 422
    assert "a fence must be as the ticket has it" in odd.body["detail"]
    few = served.api("POST", "/leases", {"matches": [1, 2], "fences": [lost[0].fence]})
    assert few.status == 422


def test_the_fence_of_a_ticket_survives_a_lost_answer(file):
    from maxin.service.service import Service

    with Tournament(store=file.url) as tournament, serving(Service.of(tournament)) as served:
        asked = [
            served.api("POST", "/matches", {"n": 2}, idempotency_key="once").body["tickets"]
            for _ in range(2)
        ]
        assert [one["fence"] for one in asked[0]] == [one["fence"] for one in asked[1]]
        assert [one["fence"] for one in asked[0]] == [one.fence for one in tournament.pending()]


def test_a_match_handed_out_twice_takes_the_result_of_its_first_holder(store):
    with Tournament(store=store.url) as slow, Tournament(store=store.url) as quick:
        ticket = slow.ask(lease=1e-6)
        again = wait_until(lambda: next((one for one in [quick.ask()] if one.id == 1), None))
        assert again.fence != ticket.fence
        assert slow.tell(ticket, 1.0)
        assert not quick.tell(again, 1.0)


def test_a_shell_sends_the_fence_back(file):
    flags = ("--store", file.url)
    right("request", *LOST, *flags)
    *_, fence = right("ask", *flags).out.rstrip("\n").split("\t")
    file.restore()
    right("request", *FOUND, *flags)
    ticket = right("ask", "--format", "json", *flags).document
    assert ticket["fence"].partition("-")[0] == fence.partition("-")[0]
    for words in (("tell", 1, 0.25), ("fail", 1, "--reason", "crashed")):
        refused = call(*words, "--fence", fence, *flags)
        assert refused.code == 2
        assert REFUSED in " ".join(refused.err.split())
    right("tell", 1, "first", "--fence", ticket["fence"], *flags)
    check_untouched(file, n_results=1)


def test_a_vote_of_a_lost_history_is_refused(file):
    from maxin.service.arena.pairs import UnknownPair
    from tests.helpers.arenas import Booth

    with Tournament(store=file.url) as tournament:
        pair = Booth(tournament).pair()
    file.restore()
    with Tournament(store=file.url) as tournament:
        booth = Booth(tournament)
        assert booth.pair().key != pair.key
        with pytest.raises(UnknownPair):
            booth.vote(pair)
    check_untouched(file)


# Runs and workers


def test_a_run_records_nothing_of_a_lost_history(store, folder):
    playing, is_restored, failed = threading.Semaphore(0), threading.Event(), []

    def play(first, second, seed):
        playing.release()
        assert is_restored.wait(LONG)
        return 0.25

    def run():
        with Tournament(store=store.url) as tournament:
            tournament.request(*LOST)
            try:
                tournament.run(play, confidence=None, budget=1)
            except StoreFailed as error:
                failed.append(str(error))

    runner = threading.Thread(target=run)
    runner.start()
    assert playing.acquire(timeout=LONG)
    continue_otherwise(store, n_more=20)
    is_restored.set()
    runner.join()
    (sentence,) = failed
    assert store.restored in sentence
    with Tournament(store=store.url) as tournament:
        tournament.run(lambda *_: 1.0, budget=4, confidence=None)
    check_untouched(store, n_results=4 - N_MATCHES)


def program(folder, name):
    script = folder / name
    script.write_text(PROGRAM.format(folder=folder))
    return f"sh {script}"


@contextmanager
def service(store, folder, port, *flags):
    words = ("serve", store.url, "--port", str(port), "--confidence", "none", *flags)
    with maxin_process(*words, folder=folder) as process:
        assert process.stdout.readline().startswith("serving ")
        yield process
        process.send_signal(signal.SIGTERM)
        process.wait(LONG)


def test_a_worker_keeps_the_results_of_a_lost_history(file, folder, tmp_path):
    pytest.importorskip("starlette", reason="the server needs the extra 'web'")
    command = program(tmp_path, "play.sh")
    with reserved_port() as keeper:
        port = keeper.getsockname()[1]
        url = f"http://127.0.0.1:{port}"
        words = ("work", url, "--command", command, "--workers", str(N_MATCHES))
        with Tournament(store=file.url) as tournament:
            tournament.request(*LOST, times=N_MATCHES)
        with ExitStack() as stack:
            with service(file, tmp_path, port):
                worker = stack.enter_context(maxin_process(*words, folder=tmp_path))
                wait_until(lambda: len(list(tmp_path.glob(f"*-{LOST[0]}"))) == N_MATCHES)
            file.restore()
            with Tournament(store=file.url) as tournament:
                tournament.request(*FOUND, times=N_MATCHES)
            with service(file, tmp_path, port, "--budget", str(N_MATCHES)):
                with Client(url) as other:
                    found = other.ask_many(N_MATCHES)
                    Path(tmp_path, "over").touch()
                    wait_until(lambda: list(folder.glob("*.rejected")))
                    assert other.tell_many([(ticket, 1.0) for ticket in found]) == [True, True]
                out, err = worker.communicate(timeout=LONG)
    assert worker.returncode == 0, err
    path, results = kept(folder)
    assert sorted(results) == KEPT
    assert REFUSED in out + err
    assert f"of another history kept in {path}: match " in out  # the report
    for number, *_ in KEPT:
        assert f"match {number}, anna - bo: 0.25" in out
    check_untouched(file, n_results=N_MATCHES)
    assert os.stat(path).st_mode & 0o777 == 0o600
