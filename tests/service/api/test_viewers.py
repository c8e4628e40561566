import pytest

pytest.importorskip("starlette", reason="the extra `web` is not installed")

from maxin.core import Entrant, Stop
from maxin.service.service import Service
from maxin.tournament import Tournament
from tests.helpers.serving import serving
from tests.helpers.waiting import wait_until


@pytest.fixture(scope="module")
def served():
    with Tournament([Entrant("anna", {"depth": 3}), "bo", "cy"], "sqlite://", seed=1) as tournament:
        for _ in range(5):
            ticket = tournament.ask()
            tournament.tell(ticket, float(ticket.first < ticket.second), data={"move": 1})
        tournament.retract(1, "a mistake")
        tournament.void(tournament.ask(), "a test")
        with serving(Service.of(tournament, confidence=None)) as served:
            yield served


def test_the_leaderboard_is_the_tournaments(served):
    answer = served.api("GET", "/leaderboard")
    overview = served.service.tournament.overview(Stop(confidence=None))  # as it is served
    assert answer.body["verdict"] == overview.finding
    assert [row["player"] for row in answer.body["standings"]] == [
        row.player for row in overview.leaderboard
    ]
    assert answer.body["n_matches"] == 4


def test_a_page_is_not_sent_to_a_viewer_who_has_it(served):
    for path in ("/leaderboard", "/crosstable", "/players", "/matches?limit=2"):
        etag = served.api("GET", path).headers["etag"]
        again = served.api("GET", path, If_None_Match=etag)
        assert (again.status, again.raw, again.headers["etag"]) == (304, b"", etag)


def test_the_crosstable_counts_every_pair_twice(served):
    table = served.api("GET", "/crosstable").body
    assert sum(map(sum, table["matches"])) == 8
    assert sum(map(sum, table["points"])) == 4


def test_players_have_their_options(served):
    rows = served.api("GET", "/players").body["rows"]
    assert [row["name"] for row in rows] == ["anna", "bo", "cy"]
    assert rows[0]["options"] == {"depth": 3}


def test_matches_come_a_part_at_a_time(served):
    whole = served.api("GET", "/matches").body
    assert (len(whole["rows"]), whole["next"]) == (5, None)
    assert whole["rows"][0]["retracted"] == "a mistake"
    assert whole["rows"][0]["data"] == {"move": 1}
    rows, after = [], 0
    while after is not None:
        part = served.api("GET", f"/matches?after={after}&limit=2").body
        rows, after = rows + part["rows"], part["next"]
    assert rows == whole["rows"]


def test_matches_of_one_player_and_void_ones(served):
    for row in served.api("GET", "/matches?player=anna").body["rows"]:
        assert "anna" in (row["first"], row["second"])
    (row,) = served.api("GET", "/matches?voided=true").body["rows"]
    assert (row["match"], row["void"], row.get("score")) == (6, "a test", None)
    assert served.api("GET", "/matches?player=nobody").status == 404


@pytest.mark.parametrize("query", ["limit=1001", "limit=0", "after=-1", "after=x", "wrong=1"])
def test_wrong_queries_are_refused(served, query):
    assert served.api("GET", f"/matches?{query}").status == 422


@pytest.mark.parametrize("ends", [{}, {"budget": 31, "confidence": None}])
def test_viewers_are_told_what_workers_are_told(ends):
    with Tournament(["anna", "bo", "cy"], "sqlite://", seed=1) as tournament:
        tournament.add_results([("anna", "bo", 1.0)] * 30)
        with serving(Service.of(tournament, **ends)) as served:
            assert served.api("GET", "/leaderboard").body["over"] is None
            (ticket,) = served.api("POST", "/matches", {}).body["tickets"]
            served.api("POST", f"/matches/{ticket['match']}/result", {"score": 0.5})
            served.api("PATCH", "/players/cy", {"state": "paused"})
            refused = served.api("POST", "/matches", {})
            assert refused.status == 410
            reason = refused.body["detail"]
            wait_until(lambda: served.api("GET", "/leaderboard").body["over"] == reason)
            body = served.api("GET", "/leaderboard").body
            assert body["status"] == "undecided"
            assert body["n_left"] is body["top"]["n_left"] is None
            assert body["verdict"].endswith(f"; the tournament is over: {reason}")
            page = served.ask("GET", "/").raw.decode()
            assert reason in page
            assert "to go" not in page
            assert "more match" not in page
