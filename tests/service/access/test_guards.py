import pytest

pytest.importorskip("starlette", reason="the extra `web` is not installed")

from maxin.core import InvalidInput
from maxin.service.access.guards import Hosts
from maxin.service.access.tokens import AddToken
from maxin.service.service import Service
from maxin.tournament import Tournament
from maxin.tournament.tournament import session_of
from tests.helpers.serving import serving


@pytest.fixture(scope="module")
def served():
    with (
        Tournament(["anna", "bo", "cy"], "sqlite://", seed=1) as tournament,
        serving(Service.of(tournament, confidence=None)) as served,
    ):
        yield served


@pytest.mark.parametrize(
    "host", ["evil.example", "evil.example:8000", "127.0.0.1.evil.example", ""]
)
@pytest.mark.parametrize("path", ["/", "/health", "/api/v1/leaderboard", "/nothing"])
def test_other_hosts_are_refused_with_the_flag_that_allows_them(served, host, path):
    answer = served.ask("GET", path, Host=host)
    assert answer.status == 421
    assert f"--allow-host {host.partition(':')[0] or 'NAME'}" in answer.body["detail"]


@pytest.mark.parametrize("host", ["localhost", "LOCALHOST:1", "127.0.0.1:8000", "[::1]:8000"])
def test_this_machine_has_many_names(served, host):
    assert served.ask("GET", "/health", Host=host).status == 200


def test_a_name_can_be_allowed_and_addresses_lead_to_no_other_site():
    hosts = Hosts("0.0.0.0", ["Arena.example.org"])
    assert hosts.has("arena.example.org:443")
    assert hosts.has("192.168.1.5:8000")
    assert not hosts.has("example.org")
    assert not hosts.is_local
    assert not Hosts("127.0.0.1", ["arena.example.org"]).is_local
    assert not Hosts("127.0.0.1").has("192.168.1.5")
    assert Hosts("localhost").is_local


@pytest.mark.parametrize("name", ["https://arena.example.org", "arena.example.org:443", "", "a b"])
def test_an_allowed_host_is_a_plain_name(name):
    with pytest.raises(InvalidInput, match="a name without scheme and port"):
        Hosts("127.0.0.1", [name])


@pytest.mark.parametrize(
    "headers",
    [
        {"Sec_Fetch_Site": "cross-site"},
        {"Sec_Fetch_Site": "same-site"},  # another port of this host
        {"Sec_Fetch_Site": "cross-site", "Origin": "http://127.0.0.1"},
        {"Origin": "null"},
        {"Origin": "http://127.0.0.1:1"},
        {"Origin": "http://evil.example"},
        {"Origin": "http://[broken"},
    ],
)
def test_other_sites_cannot_change_anything(served, headers):
    answer = served.api("POST", "/players", {"name": "eve"}, **headers)
    assert answer.status == 403
    assert "eve" not in served.service.tournament.names
    assert served.api("GET", "/players", **headers).status == 200  # nobody else can read it


def test_pages_of_this_service_and_programs_can(served):
    host = served.url.removeprefix("http://")
    for headers in (
        {"Sec_Fetch_Site": "same-origin"},
        {"Sec_Fetch_Site": "none"},
        {"Origin": f"http://{host}"},
        {"Origin": f"https://{host}"},  # before a proxy
        {},
    ):
        assert served.api("POST", "/matches", {}, **headers).status == 201


def test_a_token_in_the_header_is_proof_enough():
    with Tournament(["anna", "bo", "cy"], "sqlite://", seed=1) as tournament:
        token = session_of(tournament).answer(AddToken("worker", "pc"))
        with serving(Service.of(tournament, confidence=None)) as served:
            foreign = {"Sec_Fetch_Site": "cross-site", "Origin": "null"}
            assert served.api("POST", "/matches", {}, token, **foreign).status == 201
            cookie = f"maxin-{served.address[1]}={token}"
            assert served.api("POST", "/matches", {}, Cookie=cookie, **foreign).status == 403
            assert served.api("POST", "/matches", {}, Cookie=cookie).status == 201


@pytest.mark.parametrize("path", ["/", "/health", "/api/v1/players", "/nothing", "/static/live.js"])
def test_every_answer_allows_little(served, path):
    headers = served.ask("GET", path).headers
    assert headers["content-security-policy"].startswith("default-src 'none'; script-src 'self';")
    assert headers["x-content-type-options"] == "nosniff"
    assert headers["referrer-policy"] == "no-referrer"
    assert headers["x-frame-options"] == "DENY"
    assert "access-control-allow-origin" not in headers
    assert "server" not in headers
