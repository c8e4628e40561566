"""The client: a tournament that a service elsewhere keeps, with the methods of `Tournament`."""

from __future__ import annotations

import itertools
import os
import random
import time
import uuid
from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, Self, TypeVar

from maxin.core import InvalidInput, check_lease, check_n_matches, check_whole
from maxin.runners import Outcome, Runner
from maxin.service.client.api import MOST_ASKED, Api
from maxin.service.client.errors import ServiceLost
from maxin.service.client.http import Http
from maxin.tournament.tickets.idle import Idle
from maxin.tournament.tickets.result_checks import (
    ToldResult,
    checked_outcome,
    checked_reason,
    checked_results,
    number_of,
    recorded,
)
from maxin.tournament.tickets.tickets import Ticket

if TYPE_CHECKING:  # what only some methods need is loaded there
    from maxin.service.client.api import About
    from maxin.service.client.work_report import WorkReport
    from maxin.tournament.events import Event
    from maxin.tournament.run.start import Play
    from maxin.views import Leaderboard, Top

LEASE = 600.0  # seconds until a ticket without a result may be handed to somebody else
PATIENCE = 30.0  # seconds to wait for a service that was there and is away
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
            ask = partial(self._api.ask, min(n_open, MOST_ASKED), seconds, new_key())
            offers = self._patiently(ask)
            if offers.idle is not None:
                self._idle = offers.idle
            tickets += [offer.ticket for offer in offers.matches]
            n_open -= len(offers.matches) or n_open
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
        return self._patiently(lambda: self._api.tell(number, outcome))

    def tell_many(self, results: Iterable[tuple[Ticket | int, float | Outcome]]) -> list[bool]:
        """Record many results, a hundred per request; returns for each whether it was new.

        An invalid result does not keep the others from being recorded: `RefusedResults` is raised
        when they are on the disk of the service, and its `answers` tell which were refused, and
        why.

        Args:
            results: tickets or their numbers, each with the first player's score, or with an
                `Outcome`, which may have games, errors and data.
        """
        from maxin.service.client.delivery import n_sent_together

        reported = checked_results(results)
        open_results = [one[:2] for one in reported if isinstance(one, ToldResult)]
        told: list[bool | InvalidInput] = []
        while open_results:
            n_sent = n_sent_together([outcome for _, outcome in open_results])
            told += self._patiently(partial(self._api.tell_all, open_results[:n_sent]))
            del open_results[:n_sent]
        answers = iter(told)
        return recorded([next(answers) if isinstance(one, ToldResult) else one for one in reported])

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
    ) -> WorkReport:
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
        from maxin.service.client.work import WorkLoop
        from maxin.service.client.work_report import checked_work
        from maxin.tournament.run.start import runner_of

        if check_whole(workers, "workers") < 1:
            raise InvalidInput(f"workers must be at least 1; got {workers}")
        loop = WorkLoop(self._api, self.about(), runner_of(play), workers, watch)
        return checked_work(loop.run(), raises)

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


def new_key() -> str:
    """A key of an ask that nobody else has.

    >>> len(new_key())
    32
    """
    return uuid.uuid4().hex


def retry_pause(attempt: int, asked: float = 0.0) -> float:
    """Seconds before the attempt after number `attempt`: exponential up to 5 s, with jitter.

    A service that asks for more gets more, and up to half as much again, so that not all of its
    workers return at the same moment.

    >>> 0.05 <= retry_pause(1) <= 0.1, 10.0 <= retry_pause(1, 10.0) <= 15.0
    (True, True)
    """
    most = min(0.1 * 2.0 ** (attempt - 1), 5.0)
    return max(random.uniform(0.5, 1.0) * most, random.uniform(1.0, 1.5) * asked)


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
