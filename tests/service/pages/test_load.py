"""Pages cost what they must: each is made once, and nobody waits for those of others."""

import threading
import tracemalloc
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager

import pytest

pytest.importorskip("starlette", reason="the extra `web` is not installed")

from maxin.service.access.tokens import AddToken, RevokeToken
from maxin.service.api import viewers
from maxin.service.lanes import Lane
from maxin.service.pages.live import Site
from maxin.service.service import Service
from maxin.tournament import Tournament
from maxin.tournament.tournament import session_of
from maxin.views.html import report_data
from tests.helpers.serving import serving
from tests.helpers.waiting import LONG, wait_until

NAMES = ["anna", "bo", "cy"]


@contextmanager
def served(store="sqlite://", data=({},) * 4):
    """A service with a result for each of these data."""
    with Tournament(NAMES, store, seed=1) as tournament:
        for one in data:
            tournament.tell(tournament.ask(), 1.0, data=one)
        with serving(Service.of(tournament, confidence=None)) as found:
            yield found


class Gate:
    """Stands before a function: calls wait at it until it is opened."""

    def __init__(self, monkeypatch, owner, name):
        self.calls, self._is_open = [], threading.Event()
        act = getattr(owner, name)

        def wait(*given, **named):
            self.calls.append(given)
            assert self._is_open.wait(LONG)
            return act(*given, **named)

        monkeypatch.setattr(owner, name, wait)

    def open(self):
        self._is_open.set()

    def wait_for_calls(self, count=1):
        wait_until(lambda: len(self.calls) >= count)


def counted(monkeypatch, owner, name):
    gate = Gate(monkeypatch, owner, name)
    gate.open()
    return gate.calls


@pytest.mark.parametrize(
    ("maker", "paths"),
    [
        ("_live", ["/", "/?x=1", "/?x=2&page=1", "/?page=01&find=", "/?page=9", "/?page=10"]),
        ("_matches", ["/matches", "/matches?x=1", "/matches?retracted=no", "/matches?player="]),
        ("_slices", ["/slices", "/slices?x=1", "/slices?by=category&x=2"]),
    ],
)
def test_a_page_depends_on_what_it_knows_of_its_address_alone(monkeypatch, maker, paths):
    with served() as found:
        made = counted(monkeypatch, Site, maker)
        answers = {found.ask("GET", path).raw for path in paths}
    assert (len(made), len(answers)) == (1, 1)


def test_an_answer_of_the_api_depends_on_the_meaning_of_its_query(monkeypatch):
    with served() as found:
        made = counted(monkeypatch, viewers, "results_after")
        for query in ("limit=2", "after=0&limit=2", "limit=2&after=0", "limit=%32"):
            assert len(found.api("GET", f"/matches?{query}").body["rows"]) == 2
        assert len(made) == 1
        found.api("GET", "/matches?limit=3")
    assert len(made) == 2


def test_links_to_older_matches_keep_what_is_known():
    with served(data=({},) * 101) as found:
        page = found.ask("GET", "/matches?retracted=yes&x=1").raw.decode()
    assert 'href="/matches?retracted=yes&amp;before=' in page


def test_nobody_waits_for_a_report_and_there_is_one_at_a_time(monkeypatch):
    gate = Gate(monkeypatch, report_data.Seats, "of")
    with served() as found, ThreadPoolExecutor() as pool:
        tournament, board = found.service.tournament, found.service.board
        first = pool.submit(found.ask, "GET", "/report")
        gate.wait_for_calls()
        for path in ("/?find=a", "/matches", "/slices", "/players/anna", "/api/v1/leaderboard"):
            assert found.ask("GET", path).status == 200
        before = board.state.seq
        tournament.tell(tournament.ask(), 1.0)
        wait_until(lambda: board.state.seq > before)
        second = pool.submit(found.ask, "GET", "/report")
        third = pool.submit(found.ask, "GET", "/report?x=1")
        assert found.ask("GET", "/?find=b").status == 200
        gate.open()
        answers = [one.result(LONG) for one in (first, second, third)]
        assert {answer.headers["etag"] for answer in answers} == {f'"{before}"'}
        assert len(gate.calls) == 1
        assert found.ask("GET", "/report").headers["etag"] == board.state.etag
        assert len(gate.calls) == 2


def test_a_revoked_token_stops_working_while_pages_are_made(monkeypatch, tmp_path):
    gate = Gate(monkeypatch, viewers, "answered_output")
    with served(f"sqlite:///{tmp_path / 'x.db'}") as found, ThreadPoolExecutor(80) as pool:
        session = session_of(found.service.tournament)
        tokens = [session.answer(AddToken("viewer", name)) for name in ("ann", "bob")]
        path = "/api/v1/matches/1/first"
        asked = [pool.submit(found.ask, "GET", path, None, tokens[0]) for _ in range(70)]
        gate.wait_for_calls()
        assert found.ask("GET", "/health").status == 200
        session.answer(RevokeToken(tokens[1].split("_")[2]))
        wait_until(lambda: found.api("GET", "/leaderboard", None, tokens[1]).status == 401)
        assert found.api("GET", "/leaderboard", None, tokens[0]).status == 200
        assert not any(one.done() for one in asked)
        gate.open()
        assert {one.result(LONG).status for one in asked} == {404}


def test_whoever_comes_when_too_many_wait_is_told_so(monkeypatch):
    gate = Gate(monkeypatch, Site, "_live")
    with served() as found, ThreadPoolExecutor() as pool:
        found.service.lanes.board = Lane("standings", 2)
        asked = [pool.submit(found.ask, "GET", f"/?find={one}") for one in "ab"]
        gate.wait_for_calls()
        wait_until(lambda: found.ask("GET", "/?find=c").status == 503)
        refused = found.ask("GET", "/?find=c")
        assert (refused.headers["retry-after"], "2 requests" in refused.body["detail"]) == (
            "2",
            True,
        )
        assert found.ask("GET", "/matches").status == 200
        gate.open()
        assert {one.result(LONG).status for one in asked} == {200}


def test_large_results_cost_no_more_than_what_is_shown_of_them(tmp_path):
    """Twenty megabytes are listed with a few in memory."""
    data = [{"answer": "x" * 200_000, "end": end} for end in ("time", "mate") * 50]
    with served(f"sqlite:///{tmp_path / 'x.db'}", data[:1]) as small:
        tournament = small.service.tournament
        for one in data:
            tournament.tell(tournament.ask(), 1.0, data=one)
        tracemalloc.start()
        try:
            state = Service.of(tournament, confidence=None).board.state
            pages = [small.ask("GET", "/matches"), small.ask("GET", "/players/anna")]
            after, n_rows, sizes = 0, 0, []
            while after is not None:
                answer = small.api("GET", f"/matches?limit=1000&after={after}")
                sizes.append(len(answer.raw))
                n_rows, after = n_rows + len(answer.body["rows"]), answer.body["next"]
            peak = tracemalloc.get_traced_memory()[1]
        finally:
            tracemalloc.stop()
    assert (state.fields, n_rows, len(state.latest)) == (("end",), 101, 10)
    assert [page.status for page in pages] == [200, 200]
    assert max(sizes) < 1.1 * (1 << 20)
    assert small.service.cache.size <= 1 << 25
    assert peak < 50 << 20
