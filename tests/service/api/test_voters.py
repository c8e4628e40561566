"""Voting over HTTP: who may, what is shown, and what a vote is answered with."""

import random
from concurrent.futures import ThreadPoolExecutor

import pytest

pytest.importorskip("starlette", reason="the service needs the extra `web`")

from maxin.service.access.tokens import AddToken
from maxin.service.arena.item_files import Item
from maxin.service.arena.items import add_items
from maxin.service.arena.pairs import VoteArena
from maxin.service.arena.voters import Invite
from maxin.service.service import Service
from maxin.storage.votes.items import Output
from maxin.tournament import Tournament
from maxin.tournament.record import leases
from maxin.tournament.tournament import session_of
from tests.helpers.arenas import text_items
from tests.helpers.serving import serving

NAMES = ["anna-7b", "bo-13b", "cy-70b"]
SVG = b'<svg xmlns="http://www.w3.org/2000/svg"><script>alert(1)</script></svg>'


@pytest.fixture(scope="module")
def served(tmp_path_factory):
    store = tmp_path_factory.mktemp("arena") / "league.db"
    with Tournament(NAMES, store, seed=1) as tournament:
        hidden = [
            item._replace(outputs={name: Output("text/plain", b"<b>same</b>") for name in NAMES})
            for item in text_items(NAMES, 40)
        ]
        add_items(tournament, hidden)
        service = Service.of(tournament, confidence=None)
        service.arena = VoteArena(random.Random(1))
        with serving(service) as running:
            running.admin = session_of(tournament).answer(AddToken("admin", "o"))
            service.tokens.read()
            yield running


@pytest.fixture
def voter(served):
    """The token of a new voter."""
    (made,) = served.api("POST", "/voters", {"name": "eve"}, served.admin).body
    return made["invitation"]


def pair_of(served, voter):
    reply = served.api("POST", "/pairs", token=voter)
    assert reply.status == 200
    return reply


def test_an_invitation_becomes_a_cookie(served, voter):
    reply = served.api("POST", "/voters/join", {"invitation": voter})
    assert reply.status == 204
    cookie = reply.headers["set-cookie"]
    name = f"maxin-vote-{served.address[1]}"
    assert cookie.startswith(f"{name}={voter};")
    assert "HttpOnly" in cookie
    assert "SameSite=Strict" in cookie
    assert "Secure" not in cookie
    secure = served.api("POST", "/voters/join", {"invitation": voter}, x_forwarded_proto="https")
    assert "Secure" in secure.headers["set-cookie"]  # a proxy on this machine speaks TLS
    reply = served.api("POST", "/pairs", cookie=f"{name}={voter}")
    assert reply.status == 200


@pytest.mark.parametrize(
    ("given", "status"), [("mx_voter_00000000_x", 401), ("", 401), ("admin", 403)]
)
def test_only_an_invitation_joins(served, given, status):
    invitation = served.admin if given == "admin" else given
    reply = served.api("POST", "/voters/join", {"invitation": invitation})
    assert reply.status == status
    assert "set-cookie" not in reply.headers


def test_a_pair_stays_until_it_is_answered_and_names_nobody(served, voter):
    first, again = pair_of(served, voter), pair_of(served, voter)
    assert first.body == again.body
    assert set(first.body) == {"pair", "prompt", "left", "right", "votes", "latest"}
    replies = [first]
    for side in ("left", "right"):
        reply = served.ask("GET", first.body[side]["url"], token=voter)
        assert reply.status == 200
        assert reply.raw == b"<b>same</b>"
        assert reply.headers["content-type"] == "text/plain; charset=utf-8"
        assert reply.headers["cache-control"] == "no-store"
        assert reply.headers["x-content-type-options"] == "nosniff"
        replies.append(reply)
    for reply in replies:
        seen = repr(reply.headers) + reply.raw.decode()
        assert not any(name in seen for name in NAMES)


def test_votes_are_answered_by_what_they_change(served, voter):
    key = pair_of(served, voter).body["pair"]
    path = f"/pairs/{key}/vote"
    vote = {"choice": "a", "ms": 1200}
    assert served.api("PUT", path, vote, voter).status == 201
    assert served.api("PUT", path, vote, voter).status == 200
    other = served.api("PUT", path, {"choice": "b"}, voter)
    assert other.status == 409
    assert "undo it to vote again" in other.body["detail"]
    assert pair_of(served, voter).body["votes"] == 1
    assert served.api("DELETE", path, token=voter).status == 204
    assert served.api("DELETE", path, token=voter).status == 204
    body = pair_of(served, voter).body
    assert (body["pair"], body["votes"], body["latest"]) == (key, 0, None)
    assert served.api("PUT", path, {"choice": "b"}, voter).status == 201


@pytest.mark.parametrize(
    "body", [{}, {"choice": "c"}, {"choice": "a", "ms": -1}, {"choice": "a", "x": 1}]
)
def test_wrong_votes_are_refused(served, voter, body):
    key = pair_of(served, voter).body["pair"]
    reply = served.api("PUT", f"/pairs/{key}/vote", body, voter)
    assert reply.status == 422


def test_the_pair_of_another_voter_is_not_found(served, voter):
    (other,) = served.api("POST", "/voters", {"name": "mallory"}, served.admin).body
    key = pair_of(served, voter).body["pair"]
    token = other["invitation"]
    assert served.api("PUT", f"/pairs/{key}/vote", {"choice": "a"}, token).status == 404
    assert served.api("DELETE", f"/pairs/{key}/vote", token=token).status == 404
    assert served.api("GET", f"/pairs/{key}/left", token=token).status == 404


def test_four_votes_at_once_count_once(served, voter):
    def votes(choices):
        path = f"/pairs/{pair_of(served, voter).body['pair']}/vote"
        with ThreadPoolExecutor(4) as threads:
            sent = [
                threads.submit(served.api, "PUT", path, {"choice": choice}, voter)
                for choice in choices
            ]
            return sorted(one.result().status for one in sent)

    before = served.service.tournament.n_matches
    assert votes("aaaa") == [200, 200, 200, 201]
    assert served.service.tournament.n_matches == before + 1
    assert votes(["a", "b", "tie", "bad"]) == [201, 409, 409, 409]
    assert served.service.tournament.n_matches == before + 2


def test_roles_are_kept_apart(served, voter):
    assert served.api("POST", "/pairs").status == 401
    assert served.api("GET", "/voters", token=voter).status == 403
    assert served.api("POST", "/voters", {}, voter).status == 403
    assert served.api("POST", "/matches", {}, voter).status == 403
    foreign = served.api("POST", "/pairs", cookie=f"maxin={voter}", sec_fetch_site="cross-site")
    assert foreign.status == 403


def test_a_removed_voter_is_out_and_its_votes_too(served, voter):
    before = served.service.tournament.n_matches
    for _ in range(3):
        key = pair_of(served, voter).body["pair"]
        served.api("PUT", f"/pairs/{key}/vote", {"choice": "a", "ms": 2000}, voter)
    number = voter.split("_")[2]
    rows = {
        row["voter"]: row for row in served.api("GET", "/voters", token=served.admin).body["voters"]
    }
    assert rows[number]["votes"] == 3
    assert rows[number]["median_seconds"] == 2.0
    removed = {"state": "removed", "reason": "a robot"}
    reply = served.api("PATCH", f"/voters/{number}", removed, served.admin)
    assert reply.body == {"voter": number, "votes": 3}
    assert served.service.tournament.n_matches == before
    assert served.api("POST", "/pairs", token=voter).status == 401
    assert served.api("PATCH", "/voters/nobody", removed, served.admin).status == 404


def test_images_are_sent_as_images_and_sounds_in_parts(tmp_path):
    with Tournament(["anna", "bo"], tmp_path / "league.db", seed=1) as tournament:
        outputs = {"anna": Output("image/svg+xml", SVG), "bo": Output("audio/mpeg", b"ID3" * 9)}
        add_items(tournament, [Item("one", "Which?", outputs)])
        ((_, _, voter),) = session_of(tournament).answer(Invite(1))
        with serving(Service.of(tournament)) as served:
            body = pair_of(served, voter).body
            sides = {body[side]["type"]: body[side]["url"] for side in ("left", "right")}
            image = served.ask("GET", sides["image/svg+xml"], token=voter)
            assert image.headers["content-type"] == "image/svg+xml"
            assert "sandbox" in image.headers["content-security-policy"]
            sound = served.ask("GET", sides["audio/mpeg"], token=voter, range="bytes=3-5")
            assert (sound.status, sound.raw) == (206, b"ID3")
            assert sound.headers["content-range"] == "bytes 3-5/27"
            beyond = served.ask("GET", sides["audio/mpeg"], token=voter, range="bytes=99-")
            assert beyond.status == 416


def test_the_end_is_said_and_what_is_undone_can_be_answered(tmp_path):
    with Tournament(["anna", "bo"], tmp_path / "league.db", seed=1) as tournament:
        ((_, _, voter),) = session_of(tournament).answer(Invite(1))
        with serving(Service.of(tournament, budget=1)) as served:
            empty = served.api("POST", "/pairs", token=voter)
            assert (empty.status, "maxin items" in empty.body["detail"]) == (409, True)
            add_items(tournament, text_items(["anna", "bo"], 3))
            path = f"/pairs/{pair_of(served, voter).body['pair']}/vote"
            assert served.api("PUT", path, {"choice": "a"}, voter).status == 201
            over = served.api("POST", "/pairs", token=voter)
            assert over.status == 410
            assert "budget of 1 matches is spent" in over.body["detail"]
            assert served.api("DELETE", path, token=voter).status == 204
            assert served.api("PUT", path, {"choice": "b"}, voter).status == 201


def test_a_pair_survives_a_restart_of_the_service(tmp_path):
    store = tmp_path / "league.db"
    with Tournament(["anna", "bo"], store, seed=1) as tournament:
        add_items(tournament, text_items(["anna", "bo"], 3))
        ((_, _, voter),) = session_of(tournament).answer(Invite(1))
        with serving(Service.of(tournament)) as served:
            before = pair_of(served, voter).body
    with Tournament(store=store) as tournament, serving(Service.of(tournament)) as served:
        assert pair_of(served, voter).body == before
        path = f"/pairs/{before['pair']}/vote"
        assert served.api("PUT", path, {"choice": "a"}, voter).status == 201
        assert tournament.n_matches == 1


def test_a_voter_who_was_away_is_told(tmp_path, monkeypatch):
    monkeypatch.setattr(leases, "LEASE_CHECK", 0.0)
    with Tournament(["anna", "bo"], tmp_path / "league.db", seed=1) as tournament:
        add_items(tournament, text_items(["anna", "bo"], 3))
        made = session_of(tournament).answer(Invite(2))
        (_, _, away), (_, _, here) = made
        service = Service.of(tournament)
        service.arena = VoteArena(lease=0.001)
        with serving(service) as served:
            left = pair_of(served, away).body
            pair_of(served, here)
            for method, path, body in (
                ("PUT", f"/pairs/{left['pair']}/vote", {"choice": "a"}),
                ("GET", f"/pairs/{left['pair']}/left", None),
            ):
                gone = served.api(method, path, body, away)
                assert gone.status == 410
                assert "given to another voter" in gone.body["detail"]
            assert pair_of(served, away).body["pair"] != left["pair"]
