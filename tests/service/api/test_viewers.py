import pytest

pytest.importorskip("starlette", reason="the extra `web` is not installed")

from maxin import Client
from maxin.core import Entrant, InvalidInput, Stop
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


HOSTILE = "<script>alert(1)</script>"


@pytest.fixture(scope="module")
def sliced():
    """A service with results of two kinds, one of which has a hostile name."""
    with Tournament(["anna", "bo", "cy"], "sqlite://", seed=1) as tournament:
        for number in range(40):
            ticket = tournament.ask()
            kind = HOSTILE if number % 2 else "code"
            is_won = (ticket.first < ticket.second) == (kind == "code")
            tournament.tell(ticket, float(is_won), data={"category": kind, "id": number // 2 * 2})
        tournament.tell(tournament.ask(), 0.5)
        with serving(Service.of(tournament, confidence=None)) as served:
            yield served


def test_slices_are_the_tournaments(sliced):
    answer = sliced.api("GET", "/leaderboard/slices?by=category")
    document = sliced.service.tournament.slices("category").document()
    assert answer.body == {**document, "seq": sliced.service.board.state.seq}
    assert [part["slice"] for part in answer.body["slices"]] == [HOSTILE, "code"]
    assert answer.body["n_missing"] == 1
    some = sliced.api("GET", "/leaderboard/slices?by=category&limit=1").body["slices"]
    assert [len(part["standings"]) for part in some] == [1, 1]
    etag = answer.headers["etag"]
    again = sliced.api("GET", "/leaderboard/slices?by=category", If_None_Match=etag)
    assert again.status == 304


@pytest.mark.parametrize(
    ("query", "message"),
    [
        ("", "the query must have the field 'by'"),
        ("by=", "the query must have the field 'by'"),
        ("by=kind", "no result has a value of 'kind' in its data; there are 'category' and 'id'"),
        ("by=category&limit=0", "limit of the query must be"),
    ],
)
def test_slices_that_cannot_be_made_are_refused(sliced, query, message):
    answer = sliced.api("GET", f"/leaderboard/slices?{query}")
    assert answer.status == 422
    assert message in answer.body["detail"]


def test_the_description_has_the_slices(sliced):
    schemas = sliced.ask("GET", "/openapi.json").body
    path = schemas["paths"]["/api/v1/leaderboard/slices"]["get"]
    assert [one["name"] for one in path["parameters"]][:2] == ["by", "limit"]
    rows = schemas["components"]["schemas"]["SliceBody"]["properties"]["standings"]["items"]
    assert rows == {"$ref": "#/components/schemas/StandingRow"}


def test_a_client_has_the_same_slices(sliced):
    with Client(sliced.url) as client:
        found, own = client.slices("category"), sliced.service.tournament.slices("category")
        assert found.document() == own.document()
        assert str(found) == str(own)
        assert list(found["code"]) == list(own["code"])
        with pytest.raises(InvalidInput, match="no result has a value of 'a b&c'"):
            client.slices("a b&c")


def test_the_live_page_leads_to_the_slices(sliced):
    assert '<a href="/slices?by=category">' in sliced.ask("GET", "/").raw.decode()
    page = sliced.ask("GET", "/slices").raw.decode()
    assert "<h1>Leaderboards by category</h1>" in page
    assert "<h2>code</h2>" in page
    assert "2 slices by category, 40 matches; 1 without a value" in page
    assert '<option value="id">' in page
    for path in ("/slices", "/report", "/", f"/slices?by={HOSTILE}"):
        assert "<script>alert" not in sliced.ask("GET", path).raw.decode(), path
    assert "no result has a value of" in sliced.ask("GET", "/slices?by=kind").raw.decode()
    assert "<h2>By category</h2>" in sliced.ask("GET", "/report").raw.decode()


def test_a_page_without_data_leads_nowhere():
    with (
        Tournament(["anna", "bo"], "sqlite://", seed=1) as tournament,
        serving(Service.of(tournament, confidence=None)) as served,
    ):
        tournament.tell(tournament.ask(), 1.0)
        assert "/slices" not in served.ask("GET", "/").raw.decode()
        assert "no result has data" in served.ask("GET", "/slices").raw.decode()
