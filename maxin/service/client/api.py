"""The calls of a service, one attempt each: values and errors instead of JSON and codes."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import Any, NoReturn
from urllib.parse import quote

from maxin.core import Entrant, InvalidInput, Match, MaxinError
from maxin.core.checks import check_player_name
from maxin.core.text import visible
from maxin.service.client.errors import AccessDenied, ServiceLost
from maxin.service.client.http import API, TIMEOUT, Http, Reply
from maxin.worker.result_checks import check_sent
from maxin.worker.source import (
    About,
    Ask,
    Consequence,
    Fail,
    Idle,
    Offers,
    OtherHistory,
    Reason,
    Renew,
    Retract,
    ScoreConflict,
    Tell,
    Ticket,
    Void,
)

UNKNOWN = Match(-1, -1)  # the numbers of players, which a service does not tell
LATER = (408, 429, 500, 502, 503, 504)  # statuses after which the same request may succeed
NOTHING_NOW = "the service has no match to play now"
LOG_KEPT = 4_000  # characters of a log that are sent
LONGEST_REASON = 1000  # characters of a reason that are sent
MOST_ASKED = 100  # matches in one request
PAUSE = 1.0  # seconds before the next ask if the service has no match and names no time


class Api:
    """The calls of one service; any thread may call them.

    Each is one attempt: `ServiceLost` says that the same call may succeed later. All of them may
    be repeated.

    Args:
        http: sends the requests.
    """

    def __init__(self, http: Http) -> None:
        self.http = http
        self._was_reached = False  # whether it ever answered

    @property
    def url(self) -> str:
        """Of the service."""
        return self.http.url

    def about(self) -> About:
        """What a worker has to know before it plays."""
        answer = self._call("GET", "/tournament", expected=(200, 404))
        if answer.status == 404:
            raise InvalidInput(
                f"no service of maxin at {self.url}: it has no {API}/tournament; use the URL that "
                "`maxin serve` printed, or the one that leads to its live page"
            )
        found = answer.document
        with _reading(self.url):
            return About(
                str(found["id"]),
                int(found["games_per_match"]),
                int(found["seed"]),
                tuple(map(str, found["players"])),
                is_remote=True,
            )

    def ask(self, ask: Ask) -> Offers:
        """Matches to play; the same again for the same key while they are leased.

        The service answers after `wait` seconds at the latest.
        """
        body = {"n": min(ask.n, MOST_ASKED), "lease": ask.lease, "wait": ask.wait}
        answer = self._call(
            "POST",
            "/matches",
            body,
            {} if ask.key is None else {"Idempotency-Key": ask.key},
            timeout=TIMEOUT + ask.wait,
            expected=(201, 200, 204, 410),
        )
        if answer.status == 410:
            kind: Reason = answer.document.get("reason", "finished")
            return Offers([], idle=Idle(answer.detail, True, kind))
        if answer.status == 204:
            return Offers([], idle=Idle(NOTHING_NOW, False), pause=answer.pause or PAUSE)
        with _reading(self.url):
            rows = answer.document["tickets"]
            entrants = {
                name: Entrant(name, dict(row[seat]["options"]))
                for row in rows
                for seat in ("first", "second")
                for name in [check_player_name(row[seat]["name"])]
            }
            return Offers([_ticket(row) for row in rows], entrants)

    def tell(self, result: Tell) -> bool:
        """Whether a result is new; raises `ScoreConflict` if there is another one."""
        path = f"/matches/{result.number}/result"
        return self._call("POST", path, _result(result), expected=(201, 200)).status == 201

    def tell_all(self, results: Sequence[Tell]) -> list[bool | InvalidInput]:
        """For each result whether it is new, or why it was refused."""
        body = [{"match": result.number, **_result(result)} for result in results]
        answer = self._call("POST", "/results", body)
        with _reading(self.url):
            told = [_told(row) for row in answer.document]
            if len(told) != len(results):
                raise ValueError
            return told

    def renew(self, renewal: Renew) -> tuple[list[int], list[int]]:
        """Keep matches for longer; returns which are kept, and which somebody else may play."""
        body: dict[str, Any] = {"matches": list(renewal.matches), "lease": renewal.lease}
        if any(renewal.fences):
            body["fences"] = list(renewal.fences)
        answer = self._call("POST", "/leases", body)
        with _reading(self.url):
            kept, lost = answer.document["kept"], answer.document["lost"]
            return [int(number) for number in kept], [int(number) for number in lost]

    def fail(self, fail: Fail) -> Consequence:
        """Report that a match gave no score."""
        last = fail.failures[-1]
        reason = visible(" ".join(last.reason.split()))[:LONGEST_REASON] or "?"
        body = {"reason": reason, "log": last.log[-LOG_KEPT:], "blame": fail.blame}
        body |= _fence(fail.fence)
        if last.player is not None:
            body["player"] = last.player
        path = f"/matches/{fail.number}/failure"
        answer = self._call("POST", path, body, expected=(201, 200))
        with _reading(self.url):
            found = answer.document
            return Consequence(
                int(found["attempt"]),
                bool(found["again"]),
                bool(found["is_void"]),
                [(str(row["player"]), str(row["reason"])) for row in found["paused"]],
                str(found["stop"]),
            )

    def correct(self, command: Void | Retract) -> bool:
        """Give up a match, or take back a result; returns whether it was pending, or stood."""
        verb = type(command).__name__.lower()
        body = {"reason": command.reason, **_fence(command.fence)}
        answer = self._call("POST", f"/matches/{command.number}/{verb}", body)
        with _reading(self.url):
            return bool(answer.document["is_new"])

    def board(self) -> dict[str, Any]:
        """The document of the leaderboard."""
        found = self._call("GET", "/leaderboard").document
        with _reading(self.url):
            return dict(found)

    def slices(self, by: str) -> dict[str, Any]:
        """The document of the leaderboards per slice."""
        found = self._call("GET", f"/leaderboard/slices?by={quote(by, safe='')}").document
        with _reading(self.url):
            return dict(found)

    def _call(
        self,
        method: str,
        path: str,
        body: object = None,
        headers: Mapping[str, str] | None = None,
        *,
        timeout: float = TIMEOUT,
        expected: Sequence[int] = (200,),
    ) -> Reply:
        try:
            answer = self.http.send(method, f"{API}{path}", body, headers, timeout=timeout)
        except ServiceLost as error:
            error.was_reached |= self._was_reached
            raise
        self._was_reached = True
        if answer.status not in expected:
            self._refuse(answer)
        return answer

    def _refuse(self, answer: Reply) -> NoReturn:
        """Raise what a status stands for."""
        status, detail = answer.status, answer.detail
        what = f"{self.url} answered {status}"
        words = f"{what}: {detail}" if detail else what
        if status in LATER:
            raise ServiceLost(words, pause=answer.pause)
        if status == 401:
            raise AccessDenied(
                f"{words}; put a token of this service into the environment variable MAXIN_TOKEN, "
                "or name a file that holds one in MAXIN_TOKEN_FILE"
            )
        if status == 403:
            raise AccessDenied(f"{words}; MAXIN_TOKEN needs a token of another role")
        if 300 <= status < 400:
            raise InvalidInput(f"{what} and points to {answer.headers['Location']!r}: use that URL")
        if not detail:
            raise InvalidInput(f"{what} without a reason; is it a service of maxin?")
        if status == 409:
            raise _conflict(answer.document.get("reason"), detail)
        raise InvalidInput(detail if status in (404, 422) else words)


@contextmanager
def _reading(url: str) -> Iterator[None]:
    """A document that lacks something is an error of the service."""
    try:
        yield
    except (KeyError, TypeError, ValueError) as error:
        if isinstance(error, MaxinError):
            raise
        raise InvalidInput(
            f"{url} gave an answer that this version of maxin cannot read; is it a service of "
            "maxin?"
        ) from None


def _ticket(row: Mapping[str, Any]) -> Ticket:
    first, second = row["first"]["name"], row["second"]["name"]
    fence = str(row["fence"])
    return Ticket(int(row["match"]), first, second, int(row["seed"]), UNKNOWN, fence)


def _fence(fence: str) -> dict[str, str]:
    return {"fence": fence} if fence else {}


def _result(result: Tell) -> dict[str, Any]:
    score, errors, data, games = check_sent(result.outcome)
    return {
        "score": score,
        "games": None if games is None else list(games),
        "errors": list(errors),
        "data": dict(data) or None,
        **_fence(result.fence),
    }


def _told(row: Mapping[str, Any]) -> bool | InvalidInput:
    status = int(row["status"])
    if status in (200, 201):
        return status == 201
    detail = visible(str(row["detail"]))
    return _conflict(row.get("reason"), detail) if status == 409 else InvalidInput(detail)


def _conflict(reason: object, detail: str) -> InvalidInput:
    return (OtherHistory if reason == OtherHistory.kind else ScoreConflict)(detail)
