import msgspec
import pytest

pytest.importorskip("starlette", reason="the extra `web` is not installed")

from openapi_spec_validator import validate
from starlette.routing import Route

from maxin.core import Entrant, InvalidInput
from maxin.service.access.guards import Hosts
from maxin.service.access.roles import MAY, ROLES
from maxin.service.access.tokens import AddToken
from maxin.service.api.declaring import Routes
from maxin.service.api.openapi import PART
from maxin.service.api.routes import TABLE
from maxin.service.api.rules import decoded
from maxin.service.api.schemas import LeaderboardBody
from maxin.service.app import make_app
from maxin.service.service import Service
from maxin.storage.results import latest_results
from maxin.tournament import Tournament
from maxin.tournament.tournament import session_of
from tests.helpers.serving import serving

HOSTILE = "<script>alert(1)</script>"
BODIES = {  # a body that every route with one accepts
    "/api/v1/matches": {"n": 1},
    "/api/v1/matches/{match}/result": {"score": 1.0},
    "/api/v1/results": [{"match": 1, "score": 1.0}],
    "/api/v1/leases": {"matches": [1]},
    "/api/v1/matches/{match}/failure": {"reason": "it crashed"},
    "/api/v1/players": {"name": "new"},
    "/api/v1/players/{name:path}": {"state": "paused"},
    "/api/v1/requests": {"first": "anna", "second": "bo"},
    "/api/v1/matches/{match}/void": {"reason": "wrong"},
    "/api/v1/matches/{match}/retract": {"reason": "wrong"},
    "/api/v1/tokens": {"role": "viewer", "name": "new"},
    "/api/v1/voters/join": {"invitation": "mx_voter_0_wrong"},
    "/api/v1/voters": {"n": 2, "name": "new"},
    "/api/v1/voters/{voter}": {"state": "removed", "reason": "wrong"},
    "/api/v1/session": {"token": "mx_viewer_1_x"},
    "/api/v1/pairs/{pair}/vote": {"choice": "a"},
}
NAMES = {"match": "1", "name": "cy", "file": "live.js"}


@pytest.fixture(scope="module")
def served():
    players = [Entrant("anna", {"depth": 3}), "bo", "cy", HOSTILE]
    with Tournament(players, "sqlite://", seed=1) as tournament:
        for _ in range(3):
            tournament.tell(tournament.ask(), 1.0)
        tournament.ask()
        tournament.add_results([("anna", HOSTILE, 1.0)])  # its match has no number
        ((seq, _),) = latest_results(tournament.store, 1)
        tokens = {role: session_of(tournament).answer(AddToken(role, role)) for role in ROLES}
        hosts = Hosts("127.0.0.1", ["arena.example.org"])
        with serving(Service.of(tournament, hosts=hosts, confidence=None)) as served:
            served.tokens, served.result = tokens, str(seq)
            yield served


def path_of(served, route):
    names = NAMES | {"id": served.tokens["voter"].split("_")[2], "result": served.result}
    return PART.sub(lambda part: names.get(part[1], "1"), route.path)


def request(served, route, token):
    if route.path.endswith("/events"):  # never ends
        return None
    body = None if route.body is None else BODIES[route.path]
    return served.ask(route.method, path_of(served, route), body, token)


def test_the_description_is_valid_and_has_every_route(served):
    described = served.ask("GET", "/openapi.json").body
    validate(described)
    found = {(method.upper(), path) for path, item in described["paths"].items() for method in item}
    assert found == {
        (route.method, PART.sub(r"{\1}", route.path)) for route in TABLE if route.in_api
    }
    output = described["paths"]["/api/v1/matches/{match}/first"]["get"]["responses"]
    assert output["200"]["content"] == output["206"]["content"] == {"*/*": {}}  # not JSON


def test_no_route_is_served_that_the_table_lacks(served):
    routes = make_app(served.service).routes
    assert all(isinstance(route, Route) for route in routes)
    assert {route.path for route in routes} == {route.path for route in TABLE}
    assert len({(route.method, route.path) for route in TABLE}) == len(TABLE)


def test_a_route_without_a_role_cannot_be_declared():
    with pytest.raises(InvalidInput, match="must have a role"):
        Routes().add("GET /x", None)
    assert all(route.role in MAY for route in TABLE)


@pytest.mark.parametrize("role", ["", *ROLES])
def test_every_route_asks_for_its_role(served, role, record_property):
    """With too little of a role nothing is done; what is done with enough is tested below."""
    token, n_refused = served.tokens.get(role), 0
    for route in TABLE:
        if route.role == "anyone" or role in MAY[route.role]:
            continue
        answer = served.ask(route.method, path_of(served, route), {}, token)
        assert answer.status == (403 if role else 401), route
        assert route.role in answer.body["detail"]
        n_refused += 1
    record_property("note", f"{role or 'nobody'}: refused by {n_refused} of {len(TABLE)} routes")


@pytest.mark.parametrize("role", ["", *ROLES])
def test_every_route_answers_those_who_have_its_role(served, role):
    """What anyone may ask has no role to have too little of; a stream is asked for elsewhere."""
    token = served.tokens.get(role)
    for route in sorted(TABLE, key=lambda route: "/tokens/" in route.path):
        if route.role != "anyone" and role in MAY[route.role]:
            answer = request(served, route, token)
            assert answer is None or answer.status not in (401, 403), (route, answer)


def check_described(sent, described):
    """Every field that was sent is one that the schema has."""
    if isinstance(sent, dict):
        assert sent.keys() <= described.keys()
        for name, value in sent.items():
            check_described(value, described[name])
    elif isinstance(sent, list):
        for one, other in zip(sent, described, strict=True):
            check_described(one, other)


def test_every_route_answers_as_it_is_described(served):
    for route in sorted(TABLE, key=lambda route: route.path.endswith("/tokens/{id}")):
        if not route.in_api:
            continue
        role = "voter" if route.role == "voter" else "admin"
        answer = request(served, route, served.tokens[role])
        if answer is None:
            continue
        assert answer.status in route.answers, (route, answer)
        kind = route.answers[answer.status]
        if answer.status >= 400:
            assert answer.headers["content-type"] == "application/problem+json"
        elif kind is None:
            assert not answer.raw
        elif not isinstance(kind, str):
            found = msgspec.json.decode(answer.raw, type=kind)
            check_described(msgspec.json.decode(answer.raw), msgspec.to_builtins(found))


@pytest.mark.parametrize(
    "route", [route for route in TABLE if route.body is not None], ids=lambda route: route.path
)
def test_no_body_may_have_an_unknown_field(route):
    body, decoder = BODIES[route.path], msgspec.json.Decoder(route.body)
    decoded(decoder, msgspec.json.encode(body), route.body)
    wrong = [{**body[0], "sore": 1}] if isinstance(body, list) else {**body, "sore": 1}
    with pytest.raises(InvalidInput, match="unknown field 'sore'"):
        decoded(decoder, msgspec.json.encode(wrong), route.body)


def test_what_is_sent_of_a_view_has_the_fields_of_its_schema_and_no_others(served):
    schemas = served.ask("GET", "/openapi.json").body["components"]["schemas"]
    token = served.tokens["viewer"]
    board = served.api("GET", "/leaderboard", token=token).body
    table = served.api("GET", "/crosstable", token=token).body
    for sent, name in (
        (board, "LeaderboardBody"),
        (board["standings"][0], "StandingRow"),
        (board["top"], "TopShape"),
        (table, "CrosstableBody"),
        (table["coverage"], "CoverageDocument"),
    ):
        assert (
            sorted(sent) == sorted(schemas[name]["properties"]) == sorted(schemas[name]["required"])
        )
    with pytest.raises(TypeError, match="Unexpected keyword argument"):
        LeaderboardBody(**board, sore=1)


def test_pages_escape_names(served):
    for route in TABLE:
        if not route.in_api and route.role == "viewer":
            path = path_of(served, route).replace("/cy", f"/{HOSTILE.replace('/', '%2F')}")
            answer = served.ask("GET", path, token=served.tokens["viewer"])
            assert answer.status == 200, (route, answer)
            assert HOSTILE.encode() not in answer.raw


def test_other_methods_are_refused_with_those_there_are(served):
    answer = served.api("PUT", "/matches", {}, served.tokens["admin"])
    assert (answer.status, answer.headers["allow"]) == (405, "GET, HEAD, POST")
