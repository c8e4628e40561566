"""Results outlast the store: they are kept on this machine, and recorded when it is back."""

import json
import multiprocessing
import os
import re
import signal
import threading
from pathlib import Path

import pytest

from maxin.runners import Outcome
from maxin.storage import StoreLost, open_store
from maxin.tournament import Tournament
from maxin.worker import Blocked, Recovered, Told
from maxin.worker.source import Tell
from maxin.worker.spool import Spool
from tests.helpers.leagues import NAMES
from tests.helpers.waiting import LONG, wait_until


@pytest.fixture
def folder(tmp_path, monkeypatch):
    """The folder of spools."""
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "state"))
    return tmp_path / "state" / "maxin" / "unsaved"


def finished(tournament, score=0.5):
    ticket = tournament.ask(lease=1e-6)
    return ticket, Tell(ticket.id, Outcome(score, ("slow",), {"moves": 3}), ticket.fence)


def run(tournament, seen=None, **options):
    """A short run; returns its events."""
    seen = [] if seen is None else seen
    tournament.run(lambda *_: 0.5, confidence=None, watch=seen.append, **options)
    return seen


def test_kept_results_are_recorded_by_the_next_run(url, folder):
    with Tournament(NAMES, url) as tournament:
        items = [finished(tournament, score) for score in (1.0, 0.25)]
        spool = Spool(tournament.store.identity())
        sentence = spool.keep(items, is_leaving=True)
        assert f"match 1, {items[0][0].first} - {items[0][0].second}: 1" in sentence
        assert f"match 2, {items[1][0].first} - {items[1][0].second}: 0.25" in sentence
        assert spool.keep(items, is_leaving=True) == sentence
        (path,) = folder.iterdir()
        assert len(path.read_text().splitlines()) == 2
        assert path.stat().st_mode & 0o777 == 0o600
        spool.close()
        assert Recovered(2, 0, "") in run(tournament, budget=4)
        assert list(folder.iterdir()) == []
        rows = {row.number: row for row in tournament.matches()}
        assert (rows[1].score, rows[2].score) == (1.0, 0.25)
        assert (rows[2].errors, rows[2].data) == (("slow",), {"moves": 3})


def test_the_file_of_a_run_that_lives_is_left_alone(url, folder):
    with Tournament(NAMES, url) as tournament:
        spool = Spool(tournament.store.identity())
        spool.keep([finished(tournament)], is_leaving=False)
        assert not any(isinstance(event, Recovered) for event in run(tournament, budget=3))
        assert len(list(folder.iterdir())) == 1
        spool.clear()
        assert list(folder.iterdir()) == []


def test_another_score_is_refused_and_noted(url, folder):
    with Tournament(NAMES, url) as tournament:
        item = finished(tournament, 1.0)
        spool = Spool(tournament.store.identity())
        spool.keep([item], is_leaving=False)
        spool.close()
        tournament.tell(item[0], 0.0)
        assert Recovered(0, 1, "") in run(tournament, budget=2)
        assert [event.detail["score"] for event in tournament.store.events("refused")] == [1.0]


def test_results_that_the_record_does_not_know_are_set_aside(tmp_path, folder):
    path = tmp_path / "league.db"
    url = f"sqlite:///{path}"
    with Tournament(NAMES, url) as tournament:
        tournament.backup(tmp_path / "older.db")
        spool = Spool(tournament.store.identity())
        spool.keep([finished(tournament)], is_leaving=False)
        spool.close()
    (tmp_path / "older.db").replace(path)
    with Tournament(store=url) as tournament:
        (event,) = [one for one in run(tournament, budget=3) if isinstance(one, Recovered)]
        assert event.n_results == 0
        assert "match 1 was not handed out with the fence " in event.problem
    (aside,) = folder.iterdir()
    assert aside.suffix == ".rejected"
    assert str(aside) in event.problem


def test_a_truncated_line_is_not_a_result(url, folder):
    with Tournament(NAMES, url) as tournament:
        spool = Spool(tournament.store.identity())
        spool.keep([finished(tournament), finished(tournament)], is_leaving=False)
        spool.close()
        (path,) = folder.iterdir()
        path.write_text(path.read_text()[:-20])
        assert Recovered(1, 0, "") in run(tournament, budget=3)


def test_a_folder_that_cannot_be_written_is_named(url, tmp_path, monkeypatch):
    monkeypatch.setenv("XDG_STATE_HOME", "/dev/null")
    with Tournament(NAMES, url) as tournament:
        spool = Spool(tournament.store.identity())
        sentence = spool.keep([finished(tournament, 0.75)], is_leaving=False)
    assert sentence.startswith("not saved: match 1, ")
    assert ": 0.75 (/dev/null" in sentence


def test_nothing_to_keep_makes_no_file(url, folder):
    assert Spool(open_store(url).identity()).keep([], is_leaving=True) == ""
    assert not folder.exists()


# A server that goes away


def test_a_run_outlasts_its_server(postgres, folder):
    url = postgres.new_database("outlasted")
    is_kept = threading.Event()
    seen = []

    def watch(event):
        seen.append(event)
        if isinstance(event, Blocked) and "kept in" in event.reason:
            is_kept.set()

    def play(first, second, seed):
        if tournament.n_matches >= 5 and not seen_blocked():
            postgres.stop()
        return 0.5

    def seen_blocked():
        return any(isinstance(event, Blocked) for event in seen)

    def bring_back():
        assert is_kept.wait(LONG)
        postgres.start()

    helper = threading.Thread(target=bring_back)
    with Tournament(NAMES, url) as tournament:
        helper.start()
        report = tournament.run(play, budget=20, confidence=None, watch=watch)
        helper.join()
        assert report.n_matches == 20
        numbers = [event.ticket.id for event in seen if isinstance(event, Told)]
        assert sorted(numbers) == list(range(1, 21))
        assert tournament.verify().problems == []
    assert list(folder.iterdir()) == []
    away, kept = (event.reason for event in seen if isinstance(event, Blocked))
    assert re.fullmatch(
        r"the store postgresql://\S+ cannot be reached: .{1,80}; trying again", away
    )
    assert re.fullmatch(r"until it is back, finished results are kept in \S+", kept)


def play_until_the_server_is_gone(url, port):
    """A run that loses its server after five matches; it is killed by the test."""
    three = threading.Barrier(3, timeout=LONG)
    with Tournament(store=url) as tournament:

        def play(first, second, seed):
            if tournament.n_matches >= 5:
                three.wait()  # so all of them are being played when the server goes
                os.kill(os.getppid(), signal.SIGUSR1)  # the test stops the server
                wait_until(lambda: not is_listening(port))
            return 0.25

        tournament.run(play, budget=20, confidence=None, workers=3)


def is_listening(port):
    """Whether a socket is in the state 0A; closed connections stay in the table for a minute."""
    sockets = Path("/proc/net/tcp").read_text()
    return re.search(rf":{port:04X} [0-9A-F]{{8}}:0000 0A ", sockets) is not None


def test_results_outlast_a_run_that_is_killed_while_its_server_is_away(postgres, folder):
    url = postgres.new_database("killed")
    Tournament(NAMES, url).close()
    asked = []  # an event could deadlock: signals come while the last one is handled
    before = signal.signal(signal.SIGUSR1, lambda *_: asked.append(True))
    child = multiprocessing.get_context("spawn").Process(
        target=play_until_the_server_is_gone, args=(url, postgres.port)
    )
    try:
        child.start()
        wait_until(lambda: asked)
        postgres.stop()
        wait_until(lambda: n_kept(folder) == 3)
        child.kill()
        child.join()
    finally:
        signal.signal(signal.SIGUSR1, before)
        postgres.start()
    with Tournament(store=url) as tournament:
        assert Recovered(3, 0, "") in run(tournament, budget=12)
        assert sum(row.score == 0.25 for row in tournament.matches()) >= 8
        assert tournament.verify().problems == []


def n_kept(folder):
    files = list(folder.iterdir()) if folder.is_dir() else []
    return sum(len([json.loads(line) for line in file.read_text().splitlines()]) for file in files)


def test_a_run_interrupted_while_the_server_is_away_says_where_the_results_are(postgres, folder):
    url = postgres.new_database("left")

    def play(first, second, seed):
        if tournament.n_matches >= 3:
            postgres.stop()
            os.kill(os.getpid(), signal.SIGINT)
        return 0.5

    try:
        tournament = Tournament(NAMES, url)
        with pytest.raises(StoreLost, match=r"kept in .* match 4, .*: 0\.5"):
            tournament.run(play, budget=20, confidence=None)
    finally:
        postgres.start()
    with Tournament(store=url) as again:
        assert Recovered(1, 0, "") in run(again, budget=5)


def test_one_bad_line_does_not_take_the_others_with_it(url, folder):
    with Tournament(NAMES, url) as tournament:
        spool = Spool(tournament.store.identity())
        items = [finished(tournament, 0.25), finished(tournament, 0.75)]
        stranger = items[0][0]._replace(id=99), items[0][1]
        spool.keep([items[0], stranger, items[1]], is_leaving=False)
        spool.close()
        (path,) = folder.iterdir()
        path.write_text(path.read_text() + '{"outcome": [1.0, [], {}, null]}\n')
        (event,) = [one for one in run(tournament, budget=3) if isinstance(one, Recovered)]
        assert (event.n_results, event.n_refused) == (2, 0)
        assert "match 99 was not handed out with the fence " in event.problem
        assert [row.score for row in tournament.matches()][:2] == [0.25, 0.75]


def test_the_file_is_found_whatever_url_leads_to_the_store(postgres, folder):
    url = postgres.new_database("renamed")
    with Tournament(NAMES, url) as tournament:
        spool = Spool(tournament.store.identity())
        spool.keep([finished(tournament)], is_leaving=False)
        spool.close()
    other = url.replace("maxin@127.0.0.1", "maxin:secret@localhost") + "?connect_timeout=20"
    with Tournament(store=other) as tournament:
        assert Recovered(1, 0, "") in run(tournament, budget=2)
