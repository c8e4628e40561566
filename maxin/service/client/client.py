"""The client: a tournament that a service elsewhere keeps, with the methods of `Tournament`."""

from __future__ import annotations

import os
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Unpack

from maxin.core import BudgetTerms, InvalidInput, Stop, check_keywords
from maxin.service.client.api import Api
from maxin.service.client.channel import ServiceChannel
from maxin.service.client.http import Http
from maxin.worker.match_source import MatchSource

if TYPE_CHECKING:  # what only some methods need is loaded there
    from maxin.runners import Runner
    from maxin.views import Leaderboard, Slices, Top
    from maxin.worker.events import Event
    from maxin.worker.report import Report
    from maxin.worker.worker import Play

TOKEN, TOKEN_FILE = "MAXIN_TOKEN", "MAXIN_TOKEN_FILE"


class Client(MatchSource):
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
        self._channel: ServiceChannel = ServiceChannel(Api(Http(url, headers)))

    def __repr__(self) -> str:
        return f"<Client of {self.url}>"

    @property
    def url(self) -> str:
        """Of the service."""
        return self._channel.api.url

    def close(self) -> None:
        """Close the connections."""
        self._channel.api.http.close()

    # Matches

    def run(
        self,
        play: Play | Runner,
        *,
        workers: int = 8,
        watch: Callable[[Event], None] | None = None,
        progress: bool = False,
        raises: bool = True,
        **terms: Unpack[BudgetTerms],
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
            progress: whether to show a line about what is played here, if there is a terminal.
            raises: whether to raise `MatchesFailed` if matches keep failing; if not, warn and
                return the report.
            terms: what this worker alone may use: `budget`, `budget_cost` and `budget_time`; see
                `Stop`. The budgets of the service are for all workers together.
        """
        from maxin.worker.limited import LimitedChannel
        from maxin.worker.progress import ProgressLine, RunProgress
        from maxin.worker.report import checked
        from maxin.worker.worker import Worker

        check_keywords(Client.run, terms, BudgetTerms)
        stop = Stop(confidence=None, **terms)
        source = LimitedChannel(self._channel, stop) if stop.budgets else self._channel
        line = ProgressLine(RunProgress(0, stop)) if progress else None

        def see(event: Event) -> None:
            if watch is not None:
                watch(event)
            if line is not None:
                line(event)

        # A match that failed here is not tried again here: another machine may be able to play it.
        report = Worker(source, play, workers=workers, retries=0, watch=see).run()
        if line is not None:
            line.end()
        is_limited = isinstance(source, LimitedChannel) and source.is_spent
        return checked(replace(report, is_limited=is_limited), raises=raises)

    # Standings

    def leaderboard(self) -> Leaderboard:
        """Ratings with intervals, the odds of being the best, matches and scores.

        The service computes them for all who look, so the latest results may take a moment.
        """
        from maxin.service.client.standings import leaderboard_of

        return leaderboard_of(self._channel.board())

    def slices(self, by: str) -> Slices:
        """A leaderboard for each value of a field of the results' data; see `Tournament.slices`."""
        from maxin.service.client.standings import leaderboard_of, slices_of

        return slices_of(self._channel.slices(by), leaderboard_of(self._channel.board()))

    def top(self) -> Top:
        """The leaders, how certain they are, and who may still be among the best."""
        from maxin.service.client.standings import top_of

        return top_of(self._channel.board())


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
