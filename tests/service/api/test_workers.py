import pytest

pytest.importorskip("starlette", reason="the extra `web` is not installed")

from maxin.core import Entrant
from maxin.service.service import Service
from maxin.tournament import Tournament
from tests.helpers.serving import serving
from tests.helpers.waiting import LONG


@pytest.fixture(scope="module")
def served():
    players = [Entrant("anna", {"depth": 3}), "bo", "cy", "<script>"]
    with (
        Tournament(players, "sqlite://", seed=1) as tournament,
        serving(Service.of(tournament, confidence=None)) as served,
    ):
        yield served


def ask(served, **body):
    return served.api("POST", "/matches", body).body["tickets"]


def test_a_match_is_asked_and_its_result_reported(served):
    answer = served.api("POST", "/matches", {"n": 1, "lease": 60})
    assert answer.status == 201
    (ticket,) = answer.body["tickets"]
    assert set(ticket) == {"match", "first", "second", "seed", "fence", "lease_until"}
    assert ticket["first"]["options"] == ({"depth": 3} if ticket["first"]["name"] == "anna" else {})
    path = f"/matches/{ticket['match']}/result"
    first = served.api("POST", path, {"score": 1.0})
    assert (first.status, first.body["is_new"]) == (201, True)
    again = served.api("POST", path, {"score": 1.0})
    assert (again.status, again.body["is_new"]) == (200, False)
    other = served.api("POST", path, {"score": 0.0})
    assert other.status == 409
    assert other.headers["content-type"] == "application/problem+json"
    assert "has the score 1" in other.body["detail"]


@pytest.mark.parametrize(
    ("path", "body", "status"),
    [
        ("/matches/99999/result", {"score": 1.0}, 404),
        ("/matches/x/result", {"score": 1.0}, 404),
        ("/matches/" + "9" * 5000 + "/result", {"score": 1.0}, 404),
        ("/matches/1/result", {"score": 2.0}, 422),
        ("/matches/1/result", {"score": 1.0, "sore": 1}, 422),
        ("/matches/1/result", {}, 422),
        ("/matches/1/result", b"{", 400),
        ("/matches/99999/failure", {"reason": "it crashed"}, 404),
        ("/matches", {"n": 101}, 422),
        ("/matches", {"n": 0}, 422),
        ("/matches", {"lease": -1}, 422),
        ("/matches", {"lease": 1e12}, 422),
        ("/matches", {"wait": 26}, 422),
        ("/leases", {"matches": [2**70]}, 422),
        ("/results", [{"match": 1, "score": 0.5}] * 1001, 422),
        ("/nothing", {}, 404),
    ],
)
def test_invalid_requests_are_refused_with_their_status(served, path, body, status):
    answer = served.api("POST", path, body)
    assert (answer.status, answer.body["status"]) == (status, status)
    assert answer.body["detail"]


def test_errors_name_the_value_or_the_place(served):
    def detail(path, body):
        return served.api("POST", path, body).body["detail"]

    assert "at most 100; got 101" in detail("/matches", {"n": 101})
    assert "unknown field 'sore'" in detail("/matches/1/result", {"score": 1.0, "sore": 1})
    assert "match 1 got 2" in detail("/matches/1/result", {"score": 2.0})
    assert "there is no match 99999" in detail("/matches/99999/result", {"score": 1.0})
    assert detail("/matches", b"{").startswith("the body must be JSON")


def test_an_ask_with_the_same_key_gets_the_same_matches(served):
    first, again, other = (
        served.api("POST", "/matches", {"n": 2}, Idempotency_Key=key) for key in ("k", "k", "l")
    )
    numbers = [[one["match"] for one in answer.body["tickets"]] for answer in (first, again, other)]
    assert numbers[0] == numbers[1]
    assert not {*numbers[0]} & {*numbers[2]}
    results = [{"match": number, "score": 1.0} for number in numbers[0]]
    served.api("POST", "/results", results)
    late = served.api("POST", "/matches", {"n": 2}, Idempotency_Key="k")
    assert late.status == 204  # nobody waits for it: it was overtaken by its repetition


def test_many_results_have_an_outcome_each(served):
    tickets = ask(served, n=2)
    numbers = [ticket["match"] for ticket in tickets]
    given = [{"match": number, "score": 0.5} for number in numbers]
    given += [given[0], {"match": numbers[0], "score": 1.0}, {"match": 88888, "score": 1.0}]
    given += [{"match": numbers[1], "score": 7}]
    answer = served.api("POST", "/results", given)
    assert answer.status == 200
    assert [one["status"] for one in answer.body] == [201, 201, 200, 409, 404, 422]


def test_leases_are_kept_by_their_holder_only(served):
    (ticket,) = ask(served)
    body = {"matches": [ticket["match"], 77777], "lease": 60}
    kept = served.api("POST", "/leases", body)
    assert kept.body == {"kept": [ticket["match"]], "lost": [77777]}
    other = served.api("POST", "/leases", body, X_Worker="somebody else")
    assert other.body["kept"] == []


def test_a_failed_match_is_tried_again_and_void_in_the_end(served):
    (ticket,) = ask(served)
    path = f"/matches/{ticket['match']}/failure"
    again = []
    for _ in range(3):
        answer = served.api("POST", path, {"reason": "it crashed", "log": "Traceback"})
        assert answer.status == 201
        again.append(answer.body["again"])
        if again[-1]:
            assert ask(served)[0]["match"] == ticket["match"]
    assert again == [True, True, False]


def test_nothing_now_is_an_empty_answer_and_waiting_ends_with_a_result():
    settings = {"scheduler": "knockout", "seed": 1}
    with (
        Tournament(["anna", "bo", "cy", "di"], "sqlite://", **settings) as tournament,
        serving(Service.of(tournament, confidence=None)) as served,
    ):
        tickets = ask(served, n=100)
        nothing = served.api("POST", "/matches", {})
        assert (nothing.status, nothing.raw) == (204, b"")
        assert nothing.headers["retry-after"]
        assert "content-length" not in nothing.headers
        import threading

        waiting = []
        thread = threading.Thread(target=lambda: waiting.extend(ask(served, wait=20)))
        thread.start()
        for ticket in tickets:
            served.api("POST", f"/matches/{ticket['match']}/result", {"score": 1.0})
        thread.join(LONG)
        assert waiting


def test_a_tournament_that_is_over_says_why():
    with (
        Tournament(["anna", "bo"], "sqlite://", seed=1) as tournament,
        serving(Service.of(tournament, budget=1, confidence=None)) as served,
    ):
        (ticket,) = ask(served)
        served.api("POST", f"/matches/{ticket['match']}/result", {"score": 1.0})
        answer = served.api("POST", "/matches", {})
        assert answer.status == 410
        assert "the budget of 1 matches is spent" in answer.body["detail"]


def test_health_needs_no_token(served):
    answer = served.ask("GET", "/health")
    assert (answer.status, answer.body["status"]) == (200, "ok")


def test_a_result_may_have_so_much_data(served):
    large, errors = {"answers": ["x" * 200_000, ""]}, ["e" * 100_000]
    for body in ({"data": {"answer": "x" * 270_000}}, {"data": large, "errors": errors}):
        (ticket,) = ask(served)
        path, score = f"/matches/{ticket['match']}/result", {"score": 1.0}
        refused = served.api("POST", path, {**score, **body})
        assert refused.status == 422
        assert (
            "data, errors and games of a result must have at most 262,144" in refused.raw.decode()
        )
        both = [{"match": ticket["match"], **score, **one} for one in (body, {"data": large})]
        first, second = served.api("POST", "/results", both).body
        assert (first["status"], second["status"]) == (422, 201)
        assert first["detail"] == refused.body["detail"]
