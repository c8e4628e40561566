"""The client: a tournament that a service elsewhere keeps, with the methods of `Tournament`."""

from __future__ import annotations

import itertools
import json
import os
import uuid
from collections.abc import Callable, Sequence
from contextlib import suppress
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

from maxin.core import InvalidInput
from maxin.service.client.api import Api
from maxin.service.client.http import Http
from maxin.storage import outlast
from maxin.worker.match_source import MatchSource
from maxin.worker.source import About, Ask, Fail, Renew, Retract, Tell, Void

if TYPE_CHECKING:  # what only some methods need is loaded there
    from maxin.runners import Runner
    from maxin.views import Leaderboard, Top
    from maxin.worker.events import Event
    from maxin.worker.report import Report
    from maxin.worker.worker import Play

PATIENCE = 30.0  # seconds to wait for a service that was there and is away
MOST_SENT = 100  # results in one request
MOST_BYTES = 400_000  # characters of their data in one request
TOKEN, TOKEN_FILE = "MAXIN_TOKEN", "MAXIN_TOKEN_FILE"
Done = TypeVar("Done")


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
        self._api = Api(Http(url, headers))

    def __repr__(self) -> str:
        return f"<Client of {self.url}>"

    @property
    def url(self) -> str:
        """Of the service."""
        return self._api.url

    def close(self) -> None:
        """Close the connections."""
        self._api.http.close()

    def about(self) -> About:
        """What a worker has to know before it plays; the service names no options of players."""
        return self._patiently(self._api.about)

    # Matches

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

    def apply(self, commands: Sequence[Any]) -> list[Any]:
        """The answer to each command, in their order; results are sent together.

        Programs have a method for each command; this is for workers, which send many at once.
        """
        answers: list[Any] = []
        while len(answers) < len(commands):
            rest = commands[len(answers) :]
            results = list(itertools.takewhile(lambda one: isinstance(one, Tell), rest))
            answers += self._told(results) if results else [self._answered(rest[0])]
        return answers

    def _told(self, results: Sequence[Tell]) -> list[bool | InvalidInput]:
        """The answer to each of the first results; if refused together, to each on its own."""
        some = results[: n_sent_together(results)]
        if len(some) > 1:
            with suppress(InvalidInput):
                return self._patiently(partial(self._api.tell_all, some))
        return [self._answered(result) for result in some]

    def _answered(self, command: Any) -> Any:
        if isinstance(command, Ask) and command.key is None:
            command = command._replace(key=uuid.uuid4().hex)  # asked again, it counts once
        try:
            return self._patiently(partial(self._sent, command))
        except InvalidInput as error:
            if isinstance(command, Ask | Renew):
                raise
            return error

    def _sent(self, command: Ask | Tell | Fail | Renew | Void | Retract) -> Any:
        match command:
            case Ask():
                return self._api.ask(command)
            case Tell():
                return self._api.tell(command)
            case Fail():
                return self._api.fail(command)
            case Renew():
                return self._api.renew(command)
        return self._api.correct(command)

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
        """Try until there is an answer, unless the caller does."""
        return outlast(act, seconds=PATIENCE)


def n_sent_together(results: Sequence[Tell]) -> int:
    """How many of the first results one request may have; at least one.

    >>> from maxin.runners import Outcome
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
