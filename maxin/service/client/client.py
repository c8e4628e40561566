"""The client: a tournament that a service elsewhere keeps, with the methods of `Tournament`."""

from __future__ import annotations

import itertools
import json
import os
import time
import uuid
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, Self, TypeVar

from maxin.core import InvalidInput, check_lease, check_n_matches
from maxin.core.retrying import retry_pause
from maxin.runners import MatchFailed, Outcome, Runner
from maxin.service.client.api import MOST_ASKED, Api
from maxin.service.client.errors import ServiceLost
from maxin.service.client.http import Http
from maxin.worker.result_checks import (
    checked_outcome,
    checked_reason,
    checked_results,
    number_of,
    recorded,
)
from maxin.worker.source import LEASE, About, Ask, Consequence, Fail, Idle, Renew, Tell, Ticket

if TYPE_CHECKING:  # what only some methods need is loaded there
    from maxin.views import Leaderboard, Top
    from maxin.worker.events import Event
    from maxin.worker.report import Report
    from maxin.worker.worker import Play

PATIENCE = 30.0  # seconds to wait for a service that was there and is away
MOST_SENT = 100  # results in one request
MOST_BYTES = 400_000  # characters of their data in one request
TOKEN, TOKEN_FILE = "MAXIN_TOKEN", "MAXIN_TOKEN_FILE"
Done = TypeVar("Done")


class Client:
    """Plays matches of a tournament that `maxin serve` offers at a URL.

    The methods are those of `Tournament`, and raise the same errors; `MatchSource` describes what
    both have. A request whose answer is lost is sent again, and counts once. A service that was
    reached and is away is waited for, up to half a minute; then `ServiceLost`, a `StoreLost`, is
    raised. All methods may be called from any thread.

    Args:
        url: of the service, https://host:8000.
        token: what `maxin token add worker NAME` printed; by default that of the environment
            variable MAXIN_TOKEN, or of the file that MAXIN_TOKEN_FILE names. A service of this
            machine may need none.

    >>> Client("http://127.0.0.1:8000", "mx_worker_1_secret")
    <Client of http://127.0.0.1:8000>
    """

    is_local = False

    def __init__(self, url: str, token: str | None = None) -> None:
        found = _token() if token is None else _checked_token(token, "token")
        headers = {"Authorization": f"Bearer {found}"} if found else {"X-Worker": _worker()}
        self._api = Api(Http(url, headers))
        self._idle = Idle("this client has not asked for a match yet", is_over=False)

    def __repr__(self) -> str:
        return f"<Client of {self.url}>"

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    @property
    def url(self) -> str:
        """Of the service."""
        return self._api.url

    def close(self) -> None:
        """Close the connections."""
        self._api.http.close()

    def about(self) -> About:
        """What a worker has to know about the tournament before it plays."""
        return self._patiently(self._api.about)

    # Matches

    def ask(self, *, lease: float = LEASE) -> Ticket | None:
        """The next match to play; None if there is none now (`idle_reason` says why).

        The ticket belongs to this worker's token for `lease` seconds; after that it may be handed
        to somebody else. The first result reported for it counts.

        Args:
            lease: seconds, at most a year.
        """
        return next(iter(self.ask_many(1, lease=lease)), None)

    def ask_many(self, n_matches: int, *, lease: float = LEASE) -> list[Ticket]:
        """The next matches to play, a hundred per request; fewer if there are no more now.

        Args:
            n_matches: how many.
            lease: seconds, at most a year.
        """
        n_open, seconds = check_n_matches(n_matches), check_lease(lease)
        tickets: list[Ticket] = []
        while n_open > 0:
            ask = Ask(min(n_open, MOST_ASKED), seconds, uuid.uuid4().hex)
            offers = self._patiently(partial(self._api.ask, ask))
            if offers.idle is not None:
                self._idle = offers.idle
            tickets += offers.tickets
            n_open -= len(offers.tickets) or n_open
        return tickets

    def idle_reason(self) -> Idle:
        """Why the last `ask` that returned None did so, and whether that can change."""
        return self._idle

    def tell(
        self,
        match: Ticket | int,
        score: float,
        *,
        games: Sequence[float] | None = None,
        errors: Sequence[str] = (),
        data: Mapping[str, Any] | None = None,
        judge: str | None = None,
    ) -> bool:
        """Record the first player's score of a match, in [0, 1]; False if it is there already.

        It may come late, twice or out of order. A different score than before is refused with a
        `ScoreConflict`. When this returns, the result is on the disk of the service. If an answer
        was lost, False may mean that this very call has recorded it.

        Args:
            match: the ticket, or its number.
            score: the first player's share of the win.
            games: the first player's score in each game of the match, if there are several.
            errors: what the game complained about.
            data: anything to keep with the result.
            judge: who decided the match.
        """
        number, _ = number_of(match)
        outcome = checked_outcome(number, score, games, errors, data, judge)
        return self._patiently(lambda: self._api.tell(Tell(number, outcome)))

    def tell_many(self, results: Iterable[tuple[Ticket | int, float | Outcome]]) -> list[bool]:
        """Record many results, a hundred per request; returns for each whether it was new.

        An invalid result does not keep the others from being recorded: `RefusedResults` is raised
        when they are on the disk of the service, and its `answers` tell which were refused, and
        why.

        Args:
            results: tickets or their numbers, each with the first player's score, or with an
                `Outcome`, which may have games, errors and data.
        """
        reported = checked_results(results)
        open_results = [one for one in reported if isinstance(one, Tell)]
        told: list[bool | InvalidInput] = []
        while open_results:
            n_sent = n_sent_together(open_results)
            told += self._patiently(partial(self._api.tell_all, open_results[:n_sent]))
            del open_results[:n_sent]
        answers = iter(told)
        return recorded([next(answers) if isinstance(one, Tell) else one for one in reported])

    def fail(
        self, match: Ticket | int, reason: str, *, log: str = "", player: str | None = None
    ) -> Consequence:
        """Report that a match gave no score: it is tried again, and void after three failures.

        Args:
            match: the ticket, or its number.
            reason: what happened, in one line.
            log: the end of what the game printed.
            player: whose fault it is, if that is known.
        """
        failure = MatchFailed(checked_reason(reason), log=log, player=player)
        fail = Fail(number_of(match)[0], [failure])
        return self._patiently(lambda: self._api.fail(fail))

    def renew(self, matches: Iterable[Ticket | int], *, lease: float = LEASE) -> list[int]:
        """Keep matches for longer; returns the numbers of those that somebody else may have.

        Args:
            matches: tickets, or their numbers.
            lease: seconds from now, at most a year.
        """
        numbers = tuple(number_of(match)[0] for match in matches)
        renewal = Renew(numbers, check_lease(lease))
        return self._patiently(lambda: self._api.renew(renewal))[1] if numbers else []

    def void(self, match: Ticket | int, reason: str) -> bool:
        """Give a match up: it counts for nobody, unless its result comes after all.

        Returns whether the match was pending. It needs a token of an admin.
        """
        number, why = number_of(match)[0], checked_reason(reason)
        return self._patiently(lambda: self._api.void(number, why))

    def retract(self, match: Ticket | int, reason: str) -> bool:
        """Take back the result of a match: it counts no longer, and the record keeps both.

        Returns False if it was retracted before. It needs a token of an admin.
        """
        number, why = number_of(match)[0], checked_reason(reason)
        return self._patiently(lambda: self._api.retract(number, why))

    def run(
        self,
        play: Play | Runner,
        *,
        workers: int = 8,
        watch: Callable[[Event], None] | None = None,
        raises: bool = True,
    ) -> Report:
        """Play matches until the service has no more; it decides when the tournament is over.

        A match that lasts is kept by renewing its lease. A match without a score is reported as
        failed, and the service hands it out again, three times at most. A result that cannot be
        delivered is kept on this machine and sent when the service is back, by the next run if
        need be.

        Args:
            play: `play(first, second, seed)` returns the first player's score; or a runner. See
                `Tournament.run`.
            workers: matches played at a time.
            watch: is called with every event of `maxin.tournament`.
            raises: whether to raise `MatchesFailed` if matches keep failing; if not, warn and
                return the report.
        """
        from maxin.worker.report import checked
        from maxin.worker.worker import Worker

        # A match that failed here is not tried again here: another machine may be able to play it.
        worker = Worker(self, play, workers=workers, retries=0, watch=watch)
        return checked(worker.run(), raises=raises)

    def apply(self, commands: Sequence[Ask | Tell | Fail | Renew]) -> list[Any]:
        """The answer to each command of a worker, one attempt each; see `MatchSource`."""
        answers: list[Any] = []
        while len(answers) < len(commands):
            rest = commands[len(answers) :]
            results = list(itertools.takewhile(lambda one: isinstance(one, Tell), rest))
            answers += self._told(results) if results else [self._answered(rest[0])]
        return answers

    def _told(self, results: Sequence[Any]) -> list[bool | InvalidInput]:
        """The answer to each of the first results; if refused together, to each on its own."""
        some = results[: n_sent_together(results)]
        if len(some) > 1:
            with suppress(InvalidInput):
                return self._api.tell_all(some)
        return [self._answered(result) for result in some]

    def _answered(self, command: Ask | Tell | Fail | Renew) -> Any:
        try:
            if isinstance(command, Ask):
                return self._api.ask(command)
            if isinstance(command, Tell):
                return self._api.tell(command)
            return (
                self._api.fail(command) if isinstance(command, Fail) else self._api.renew(command)
            )
        except InvalidInput as error:
            if isinstance(command, Ask | Renew):
                raise
            return error

    @contextmanager
    def noticing(self, notice: Callable[[str], None]) -> Iterator[None]:
        """Nothing is to be noticed: an attempt either gets its answer or raises `ServiceLost`."""
        yield

    # Standings

    def leaderboard(self) -> Leaderboard:
        """Ratings with intervals, the odds of being the best, matches and scores.

        The service computes them for all who look, so the latest results may take a moment.
        """
        from maxin.service.client.standings import leaderboard_of

        return leaderboard_of(self._patiently(self._api.board))

    def top(self) -> Top:
        """The leaders, how certain they are, and who may still be among the best."""
        from maxin.service.client.standings import top_of

        return top_of(self._patiently(self._api.board))

    def _patiently(self, act: Callable[[], Done]) -> Done:
        """Try until there is an answer; nobody waits for a service that was never there."""
        give_up = time.monotonic() + PATIENCE
        for attempt in itertools.count(1):
            try:
                return act()
            except ServiceLost as error:
                pause = retry_pause(attempt, error.pause)
                was_there = error.was_reached or self._api.was_reached
                if not was_there or time.monotonic() + pause > give_up:
                    raise
                time.sleep(pause)
        raise AssertionError  # it is tried until it succeeds or gives up


def n_sent_together(results: Sequence[Tell]) -> int:
    """How many of the first results one request may have; at least one.

    >>> n_sent_together([Tell(1, Outcome(1.0))] * 1_000)
    100
    """
    size = 0
    for place, result in enumerate(results[:MOST_SENT]):
        size += len(json.dumps([dict(result.outcome.data), result.outcome.errors]))
        if place and size > MOST_BYTES:
            return place
    return min(len(results), MOST_SENT)


def _worker() -> str:
    """Who holds the matches of a client without a token, on the machine of the service."""
    return f"process {os.getpid()}"


def _token() -> str | None:
    """The token of the environment; None if there is none."""
    if value := os.environ.get(TOKEN):
        return _checked_token(value, TOKEN)
    if not (path := os.environ.get(TOKEN_FILE)):
        return None
    try:
        text = Path(path).read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as error:
        raise InvalidInput(f"{TOKEN_FILE} names {path!r}, which cannot be read: {error}") from None
    return _checked_token(text, f"the file {path!r} of {TOKEN_FILE}")


def _checked_token(token: str, place: str) -> str:
    """A token without the end of its line; the error does not repeat what may be a secret."""
    words = token.strip() if isinstance(token, str) else ""
    if not words or not words.isascii() or not words.isprintable() or " " in words:
        raise InvalidInput(f"{place} must be a token, one word that `maxin token add` printed")
    return words
