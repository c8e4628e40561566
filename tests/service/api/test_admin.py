import pytest

pytest.importorskip("starlette", reason="the extra `web` is not installed")

from maxin.service.service import Service
from maxin.tournament import Tournament
from tests.helpers.serving import serving


@pytest.fixture
def served():
    with (
        Tournament(["anna", "bo", "cy"], "sqlite://", seed=1) as tournament,
        serving(Service.of(tournament, confidence=None)) as served,
    ):
        yield served


def asked(served):
    return served.api("POST", "/matches", {}).body["tickets"][0]


def test_players_join_pause_and_retire(served):
    tournament = served.service.tournament
    assert served.api("POST", "/players", {"name": "a/b", "options": {"x": 1}}).status == 201
    assert served.api("POST", "/players", {"name": "a/b"}).status == 422
    assert tournament.entrants()[3].options == {"x": 1}
    for state in ("paused", "retired", "active"):
        assert served.api("PATCH", "/players/a%2Fb", {"state": state}).status == 200
        assert tournament.states["a/b"] == state
    assert served.api("PATCH", "/players/nobody", {"state": "paused"}).status == 404
    assert served.api("PATCH", "/players/anna", {"state": "removed"}).status == 422
    assert {asked(served)["first"]["name"] for _ in range(8)} <= {"anna", "bo", "cy", "a/b"}
    assert not tournament.verify().problems


def test_requested_matches_come_first(served):
    body = {"first": "cy", "second": "anna", "times": 2}
    assert served.api("POST", "/requests", body).status == 201
    for _ in range(2):
        ticket = asked(served)
        assert (ticket["first"]["name"], ticket["second"]["name"]) == ("cy", "anna")
    assert served.api("POST", "/requests", {"first": "cy", "second": "cy"}).status == 422


def test_matches_are_void_and_results_retracted(served):
    one, two = asked(served)["match"], asked(served)["match"]
    served.api("POST", f"/matches/{two}/result", {"score": 1.0})
    reason = {"reason": "wrong rules"}
    assert served.api("POST", f"/matches/{one}/void", reason).body == {"is_new": True}
    assert served.api("POST", f"/matches/{one}/void", reason).body == {"is_new": False}
    assert served.api("POST", f"/matches/{two}/void", reason).status == 422
    assert served.api("POST", f"/matches/{two}/retract", reason).body == {"is_new": True}
    assert served.api("POST", f"/matches/{two}/retract", reason).body == {"is_new": False}
    assert served.api("POST", "/matches/99/void", reason).status == 404
    assert served.service.tournament.n_matches == 0
    assert not served.service.tournament.verify().problems


def test_a_token_made_here_works_and_stops_when_it_is_revoked(served):
    made = served.api("POST", "/tokens", {"role": "admin", "name": "boss"})
    token = made.body["token"]
    assert "set-cookie" not in made.headers
    assert served.api("POST", "/tokens", {"role": "admin", "name": "x"}).status == 401
    worker = served.api("POST", "/tokens", {"role": "worker", "name": "pc"}, token).body
    assert served.api("POST", "/matches", {}, worker["token"]).status == 201
    assert served.api("DELETE", f"/tokens/{worker['id']}", token=token).body == {"is_new": True}
    assert served.api("POST", "/matches", {}, worker["token"]).status == 401
    assert served.api("DELETE", "/tokens/none", token=token).status == 404
    assert served.api("POST", "/tokens", {"role": "god", "name": "x"}, token).status == 422
    listed = served.api("GET", "/tokens", token=token)
    assert [row["revoked"] is None for row in listed.body["rows"]] == [True, False]
    assert token.split("_", 3)[3].encode() not in listed.raw


def test_the_last_admin_token_is_not_revoked_while_others_are_in_force(served):
    boss = served.api("POST", "/tokens", {"role": "admin", "name": "boss"}).body
    worker = served.api("POST", "/tokens", {"role": "worker", "name": "pc"}, boss["token"]).body
    refused = served.api("DELETE", f"/tokens/{boss['id']}", token=boss["token"])
    assert refused.status == 422
    assert "'boss' is the last admin token" in refused.body["detail"]
    served.api("DELETE", f"/tokens/{worker['id']}", token=boss["token"])
    assert served.api("DELETE", f"/tokens/{boss['id']}", token=boss["token"]).status == 200
    assert served.api("GET", "/audit").status == 200  # as before the first token


@pytest.mark.parametrize(
    ("path", "body"), [("/tokens", {"role": "worker", "name": "pc"}), ("/voters", {"n": 2})]
)
def test_a_browser_that_makes_the_first_token_is_not_locked_out(served, path, body):
    made = served.api("POST", path, body, Sec_Fetch_Site="same-origin")
    assert made.status == 201
    assert served.api("GET", "/audit").status == 401
    cookie = made.headers["set-cookie"].partition(";")[0]
    rows = served.api("GET", "/tokens", Cookie=cookie).body["rows"]
    assert ("admin", "this browser") in [(row["role"], row["name"]) for row in rows]
    again = served.api("POST", path, body, Sec_Fetch_Site="same-origin", Cookie=cookie)
    assert (again.status, "set-cookie" in again.headers) == (201, False)


def test_the_audit_log_has_who_did_what(served):
    number = asked(served)["match"]
    served.api("POST", "/players", {"name": "di"})
    served.api("PATCH", "/players/di", {"state": "paused"})
    served.api("POST", "/requests", {"first": "anna", "second": "bo"})
    served.api("POST", f"/matches/{number}/void", {"reason": "wrong"})
    made = served.api("POST", "/tokens", {"role": "admin", "name": "boss"}).body
    served.api("DELETE", f"/tokens/{made['id']}", token=made["token"])
    rows = served.api("GET", "/audit").body["rows"]
    assert [row["action"] for row in rows] == [
        "add a player",
        "change a player",
        "request matches",
        "void a match",
        "add a token",
        "revoke a token",
    ]
    assert rows[3]["match"] == number
    assert rows[0]["token"] == "local (without a token)"
    assert rows[5]["token"] == f"boss ({made['id']})"
    part = served.api("GET", "/audit?limit=2").body
    assert len(served.api("GET", f"/audit?after={part['next']}").body["rows"]) == 4


def test_the_audit_log_names_one_actor_in_one_way(served):
    first = served.api("POST", "/tokens", {"role": "admin", "name": "me"}).body
    (voter,) = served.api("POST", "/voters", {"name": "eve"}, first["token"]).body
    removed = {"state": "removed", "reason": "a robot"}
    path = f"/voters/{voter['voter']}"
    assert served.api("PATCH", path, removed, first["token"]).status == 200
    served.api("POST", "/players", {"name": "dee"}, first["token"])
    rows = served.api("GET", "/audit", token=first["token"]).body["rows"]
    assert len(rows) >= 4
    assert {row["token"] for row in rows[1:]} == {f"me ({first['id']})"}
    assert rows[0]["token"] == "local (without a token)"


@pytest.mark.parametrize("name", [".", ".."])
def test_a_name_that_no_address_can_have_is_refused(served, name):
    refused = served.api("POST", "/players", {"name": name})
    assert refused.status == 422
    assert refused.body["detail"] == f"a player's name must not be . or ..; got {name!r}"


@pytest.mark.parametrize("number", ["-1", "1" * 30, "x"])
def test_the_number_of_a_match_is_said_to_be_wrong(served, number):
    refused = served.api("POST", f"/matches/{number}/result", {"score": 1.0})
    assert refused.status == 404
    assert "from 1 on with at most 15 digits" in refused.body["detail"]
    assert number in refused.body["detail"]
