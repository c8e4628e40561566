import asyncio
import threading

import pytest

pytest.importorskip("starlette", reason="the extra `web` is not installed")

from maxin.core import UnknownName
from maxin.service.access import tokens
from maxin.service.access.guards import Hosts
from maxin.service.access.limits import RATES, Buckets
from maxin.service.access.tokens import AddToken, RevokeToken
from maxin.service.service import Service
from maxin.storage.tokens import TokenRow
from maxin.tournament import Tournament
from maxin.tournament.tournament import session_of
from tests.helpers.serving import serving
from tests.helpers.waiting import LONG


@pytest.fixture
def tournament():
    with Tournament(["anna", "bo", "cy"], "sqlite://", seed=1) as tournament:
        yield tournament


def make(tournament, role, name="pc"):
    return session_of(tournament).answer(AddToken(role, name))


def test_this_machine_needs_no_token_until_there_is_one(tournament):
    with serving(Service.of(tournament, confidence=None)) as served:
        assert served.api("POST", "/matches", {}).status == 201
        assert served.api("GET", "/audit").status == 200
        proxied = served.api("GET", "/players", X_Forwarded_For="10.0.0.1")
        assert proxied.status == 401
        make(tournament, "worker")
        served.service.tokens.read()
        assert served.api("POST", "/matches", {}).status == 401
        assert served.api("GET", "/audit").status == 401
        assert served.api("GET", "/players").status == 200


def test_others_need_a_token_for_everything(tournament):
    token = make(tournament, "viewer")
    hosts = Hosts("127.0.0.1", ["arena.example.org"])
    with serving(Service.of(tournament, hosts=hosts, confidence=None)) as served:
        assert served.api("GET", "/players").status == 401
        assert served.ask("GET", "/").status == 401
        assert served.api("GET", "/players", token=token).status == 200
        assert served.api("POST", "/matches", {}, token).status == 403


def test_a_revoked_token_stops_within_a_second(tournament, monkeypatch):
    token = make(tournament, "worker")
    other = make(tournament, "worker", "other")
    with serving(Service.of(tournament, confidence=None)) as served:
        assert served.api("POST", "/matches", {}, token).status == 201
        number = token.split("_")[2]
        session_of(tournament).answer(RevokeToken(number))
        assert tokens.STALE < 1.0
        monkeypatch.setattr(served.service.tokens, "_read_at", -1.0)  # a second has passed
        assert served.api("POST", "/matches", {}, token).status == 401
        assert served.api("POST", "/matches", {}, other).status == 201


def test_a_read_that_began_earlier_does_not_end_later(tournament, monkeypatch):
    known = tokens.Tokens(tournament.store)
    token, begun, go_on = make(tournament, "worker"), threading.Event(), threading.Event()
    read = tokens.read_tokens

    def slow_read(store):
        rows = read(store)
        begun.set()
        assert go_on.wait(LONG)
        return rows

    monkeypatch.setattr(tokens, "read_tokens", slow_read)
    slow = threading.Thread(target=known.read)
    slow.start()
    assert begun.wait(LONG)
    monkeypatch.setattr(tokens, "read_tokens", read)
    session_of(tournament).answer(RevokeToken(token.split("_")[2]))
    quick = threading.Thread(target=known.read)
    quick.start()
    quick.join(0.2)  # it has to wait for its turn
    go_on.set()
    slow.join(LONG)
    quick.join(LONG)
    assert known.find(token) is None


def test_tokens_that_are_nearly_right_are_wrong(tournament):
    token = make(tournament, "viewer")
    prefix, role, number, secret = token.split("_", 3)
    with serving(Service.of(tournament, confidence=None)) as served:
        for wrong in (
            f"{prefix}_admin_{number}_{secret}",
            f"{prefix}_{role}_{number}_{secret[:-1]}",
            f"{prefix}_{role}_{number}_",
            f"{prefix}_{role}_00000000_{secret}",
            secret,
            "",
        ):
            answer = served.api("GET", "/players", token=wrong)
            assert answer.status == 401
            assert secret not in answer.raw.decode()
            assert answer.headers["www-authenticate"].startswith("Bearer")


def test_many_wrong_tokens_from_one_address_have_to_wait_but_a_right_one_has_not(tournament):
    token = make(tournament, "viewer")
    with serving(Service.of(tournament, confidence=None)) as served:
        statuses = [served.api("GET", "/players", token="mx_viewer_1_x").status for _ in range(12)]
        assert statuses == [401] * 10 + [429] * 2
        answer = served.api("GET", "/players", token="mx_viewer_1_x")
        assert int(answer.headers["retry-after"]) >= 1
        assert served.api("GET", "/players", token=token).status == 200


def test_a_token_may_send_so_many_requests(tournament, monkeypatch):
    monkeypatch.setitem(RATES, "viewer", 1.0)
    viewer, worker = make(tournament, "viewer"), make(tournament, "worker")
    with serving(Service.of(tournament, confidence=None)) as served:
        served.service.authenticator.rates = Buckets(lambda: 0.0)  # time stands still
        statuses = [served.api("GET", "/players", token=viewer).status for _ in range(3)]
        assert statuses == [200, 200, 429]
        assert served.api("GET", "/players", token=worker).status == 200


def test_a_browser_gives_its_token_once(tournament):
    token = make(tournament, "admin")
    hosts = Hosts("127.0.0.1", ["arena.example.org"])
    with serving(Service.of(tournament, hosts=hosts, confidence=None)) as served:
        signed = served.api("POST", "/session", {"token": token})
        assert signed.status == 204
        cookie = signed.headers["set-cookie"]
        assert "HttpOnly" in cookie
        assert "SameSite=Strict" in cookie
        assert "Secure" not in cookie
        held = cookie.partition(";")[0]
        assert served.api("GET", "/audit", Cookie=held).status == 200
        assert served.api("GET", "/audit", Cookie=f"{held}x").status == 401
        https = served.api("POST", "/session", {"token": token}, X_Forwarded_Proto="https")
        assert "Secure" in https.headers["set-cookie"]
        assert served.api("POST", "/session", {"token": token + "x"}).status == 401
        out = served.api("DELETE", "/session", Cookie=held)
        assert "=; Path=/; HttpOnly; SameSite=Strict; Max-Age=0" in out.headers["set-cookie"]


def test_an_invitation_does_not_take_the_place_of_a_token(tournament):
    admin, voter = make(tournament, "admin"), make(tournament, "voter", "eve")
    with serving(Service.of(tournament, confidence=None)) as served:
        signed = served.api("POST", "/session", {"token": admin})
        joined = served.api("POST", "/voters/join", {"invitation": voter})
        held = [one.headers["set-cookie"].partition(";")[0] for one in (signed, joined)]
        for cookies in ("; ".join(held), "; ".join(reversed(held))):
            assert served.api("GET", "/audit", Cookie=cookies).status == 200
        assert served.api("GET", "/players", Cookie=held[1]).status == 200  # as for anybody here
        assert served.api("GET", "/audit", Cookie=held[1]).status == 401


def test_services_on_two_ports_have_cookies_of_their_own(tournament):
    token = make(tournament, "admin")
    with serving(Service.of(tournament, confidence=None)) as served:
        signed = served.api("POST", "/session", {"token": token})
        held = signed.headers["set-cookie"].partition(";")[0]
        port = served.address[1]
        assert held == f"maxin-{port}={token}"
        other = f"maxin-{port + 1}=mx_admin_1_x"
        assert served.api("GET", "/audit", Cookie=f"{other}; {held}").status == 200
        named = served.api("POST", "/session", {"token": token}, Host="localhost")
        assert named.headers["set-cookie"].startswith("maxin=mx_admin_")


def test_workers_are_known_by_their_tokens(tournament):
    first, second = make(tournament, "worker", "one"), make(tournament, "worker", "two")
    with serving(Service.of(tournament, confidence=None)) as served:
        (ticket,) = served.api("POST", "/matches", {}, first).body["tickets"]
        (held,) = tournament.pending()
        assert held.worker == f"http|{first.split('_')[2]}|one"
        body = {"matches": [ticket["match"]]}
        assert served.api("POST", "/leases", body, second).body["lost"] == body["matches"]
        assert served.api("POST", "/leases", body, first).body["kept"] == body["matches"]


def test_a_token_works_at_once(tournament):
    make(tournament, "viewer", "first")
    with serving(Service.of(tournament, confidence=None)) as served:
        for number in range(5):  # the tokens were read just before
            assert served.api("GET", "/players").status == 200
            token = make(tournament, "worker", f"pc {number}")
            assert served.api("POST", "/matches", {}, token).status == 201
        token = make(tournament, "admin", "boss")
        assert served.api("POST", "/session", {"token": token}).status == 204
        invitation = make(tournament, "voter", "eve")
        assert served.api("POST", "/voters/join", {"invitation": invitation}).status == 204


def test_many_unknown_tokens_share_a_read(tournament, monkeypatch):
    make(tournament, "viewer", "first")
    with serving(Service.of(tournament, confidence=None)) as served:
        known, n_reads = served.service.tokens, []
        read = known.read
        monkeypatch.setattr(known, "read", lambda: (n_reads.append(1), read()))

        async def look_for_many():
            await asyncio.gather(*(known.look_for(f"mx_viewer_{n:x}_x") for n in range(50)))

        asyncio.run(look_for_many())
        assert 1 <= len(n_reads) <= 3
        n_reads.clear()
        asyncio.run(known.look_for("no token at all"))
        assert n_reads == []


def test_the_refusal_names_the_command_that_helps(tournament):
    make(tournament, "viewer")
    with serving(Service.of(tournament, confidence=None)) as served:
        refused = served.api("POST", "/pairs", {})
        assert refused.status == 401
        assert "`maxin invite` makes one" in refused.body["detail"]
        assert "`maxin token add worker NAME`" in served.api("POST", "/matches", {}).body["detail"]


def test_a_voter_whose_invitation_has_ended_is_told_so(tournament):
    make(tournament, "viewer")
    invitation = make(tournament, "voter", "eve")
    session_of(tournament).answer(RevokeToken(invitation.split("_")[2]))
    with serving(Service.of(tournament, confidence=None)) as served:
        cookie = f"maxin-vote-{served.address[1]}={invitation}"
        refused = served.api("POST", "/pairs", Cookie=cookie)
        assert (refused.status, "has ended" in refused.body["detail"]) == (403, True)
        other = served.api("POST", "/pairs", Cookie=f"{cookie}x")  # not the secret
        assert other.status == 401


def test_a_revoked_token_is_found_by_its_name():
    old, new = (TokenRow(number, "voter", "jury 1", "", 0.0, 1.0) for number in ("1a", "2b"))
    other = TokenRow("3c", "voter", "jury 2", "", 0.0)
    assert tokens.find_token([old, new, other], "jury 1").id == "2b"
    assert tokens.find_token([old, new._replace(revoked=None), other], "jury 1").id == "2b"
    with pytest.raises(UnknownName, match="jury 3"):
        tokens.find_token([old, other], "jury 3")
