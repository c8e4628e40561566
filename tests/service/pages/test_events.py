"""Every viewer gets an event when the board has changed, and none twice."""

import http.client
import json

import pytest

pytest.importorskip("starlette", reason="the extra `web` is not installed")

from maxin.service.access.limits import Streams
from maxin.service.service import Service
from maxin.tournament import Tournament
from tests.helpers.serving import serving
from tests.helpers.waiting import LONG


@pytest.fixture
def served():
    with Tournament(["anna", "bo", "cy"], "sqlite://", seed=1) as tournament:
        service = Service.of(tournament, confidence=None)
        service.streams = Streams(most=2)
        with serving(service) as served:
            yield served


class Viewer:
    """A browser that listens."""

    def __init__(self, served, last_id=None):
        self._connection = http.client.HTTPConnection(*served.address, timeout=LONG)
        headers = {} if last_id is None else {"Last-Event-ID": str(last_id)}
        self._connection.request("GET", "/api/v1/events", headers=headers)
        self.answer = self._connection.getresponse()

    def next_event(self):
        event = {}
        while "data" not in event:
            line = self.answer.readline().decode().strip()
            name, _, value = line.partition(": ")
            event[name] = value
        return int(event["id"]), event["event"], json.loads(event["data"])

    def close(self):
        self.answer.close()
        self._connection.close()


def play(served):
    (ticket,) = served.api("POST", "/matches", {"n": 1, "lease": 60}).body["tickets"]
    served.api("POST", f"/matches/{ticket['match']}/result", {"score": 1.0})


def heard(viewer, n_matches):
    """The event with so many matches; events in between are skipped."""
    while True:
        number, kind, data = viewer.next_event()
        if data["matches"] == n_matches:
            return number, kind, data


def test_all_viewers_hear_of_a_result(served):
    viewers = [Viewer(served), Viewer(served)]
    assert viewers[0].answer.headers["Content-Type"] == "text/event-stream"
    assert viewers[0].answer.headers["X-Accel-Buffering"] == "no"
    play(served)
    for viewer in viewers:
        number, kind, data = heard(viewer, 1)
        assert kind == "board"
        assert data["seq"] == number
        assert data["etag"] == f'"{number}"'
        viewer.close()


def test_a_returning_reader_gets_only_new_events(served):
    viewer = Viewer(served)
    play(served)
    number, _, _ = heard(viewer, 1)
    viewer.close()
    again = Viewer(served, last_id=number)
    play(served)
    assert again.next_event()[0] > number
    again.close()


def test_there_are_only_so_many_streams(served):
    viewers = [Viewer(served), Viewer(served)]
    for viewer in viewers:
        viewer.next_event()
    third = Viewer(served)
    assert third.answer.status == 503
    assert "2 streams are open" in third.answer.read().decode()
    for viewer in [*viewers, third]:
        viewer.close()
