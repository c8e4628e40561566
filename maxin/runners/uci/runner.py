"""Play chess between engines that speak UCI or xboard, with python-chess."""

from __future__ import annotations

import importlib.util
import threading
from collections.abc import Iterable
from typing import TYPE_CHECKING

from maxin.core import Entrant, InvalidInput, MissingExtra, check_positive, check_whole
from maxin.runners.base import STOPPED, Job, MatchFailed, Outcome
from maxin.runners.programs.environment import check_env
from maxin.runners.uci.adjudication import DrawRule, ResignRule, check_rule
from maxin.runners.uci.engine_settings import check_program, read_settings
from maxin.runners.uci.opening_settings import Openings, check_openings

if TYPE_CHECKING:
    from maxin.runners.uci.engines import Engines
    from maxin.runners.uci.openings import Book, Opening, PolyglotBook

ON_CRASH = ("retry", "loss")


class Uci:
    """Plays chess; the first player has White.

    A player's options are `command` (a string, split like a shell would, or a list), `options` (a
    table of the engine's options), `proto` ("uci" or "xboard"), and one limit: `nodes`, `depth`,
    `movetime` ("50ms", "1s", or a number of milliseconds) or `tc`, a time control in seconds such
    as "10+0.1".

    A game starts from a position of the opening book, or with random moves drawn from its seed.
    These can favour one side, so play two games with swapped seats: both start alike. Draws are
    claimed as soon as possible. An engine that speaks xboard may resign. A player that oversteps
    its clock loses. If an engine dies, hangs or makes an illegal move, the match fails, unless
    `on_crash` makes it a loss.

    Players with the same command and options share processes, which are kept between games. Each
    game starts with `ucinewgame`, which makes a correct engine forget the games before.

    Args:
        opening_plies: number of random moves, both sides together, if there is no book.
        max_plies: number of moves, including the opening, after which the game is a draw.
        timeout: seconds an engine may take to start, or to move beyond its own time limit.
        env: further variables of our environment that engines get, see `Command`.
        openings: the opening book.
        draw: when a game is adjudicated as a draw; never by default.
        resign: when a game is adjudicated as a loss; never by default.
        on_crash: "retry", or "loss": then a player also loses if its engine dies, hangs, makes an
            illegal move, or takes more than 0.1 seconds longer than its `movetime`.

    >>> runner = Uci(opening_plies=4)
    >>> runner.check([Entrant("quick", {"command": "stockfish"})])
    Traceback (most recent call last):
    maxin.core.errors.InvalidInput: player 'quick' needs exactly one of nodes, depth,
    movetime, tc; it has none
    """

    def __init__(
        self,
        *,
        opening_plies: int = 6,
        max_plies: int = 400,
        timeout: float = 60.0,
        env: Iterable[str] = (),
        openings: Openings | None = None,
        draw: DrawRule | None = None,
        resign: ResignRule | None = None,
        on_crash: str = "retry",
    ) -> None:
        if importlib.util.find_spec("chess") is None:
            raise MissingExtra(
                "UCI engines need python-chess; install it with the extra 'uci': "
                "pip install 'maxin[uci]'"
            )
        random_plies = opening_plies if openings is None else 0
        self._opening_plies, self._max_plies = _plies(random_plies, max_plies)
        self._timeout = check_positive(timeout, "timeout")
        self._env = check_env(env)
        if openings is not None:
            check_openings(openings)
        for name, rule in (("draw", draw), ("resign", resign)):
            if rule is not None:
                check_rule(rule, name)
        if on_crash not in ON_CRASH:
            raise InvalidInput(f"on_crash must be {' or '.join(ON_CRASH)}; got {on_crash!r}")
        self._openings, self._draw, self._resign = openings, draw, resign
        self._crash_loses = on_crash == "loss"
        self._book: Book | PolyglotBook | None = None
        self._engines: Engines | None = None
        self._is_killed = False
        self._lock = threading.Lock()

    def check(self, entrants: Iterable[Entrant]) -> None:
        """Raise unless options are valid, engines start and have them, and the book is read.

        Every program is started once, and asked which options it has.
        """
        programs = {}
        for entrant in entrants:
            settings = read_settings(entrant)
            check_program(settings, f"player {entrant.name!r}")
            programs[entrant.name] = settings.program
        if (book := self._open_book()) is not None:
            book.check()
        if programs:
            from maxin.runners.uci.option_checks import check_options

            check_options(self._open(), programs)

    def play(self, job: Job) -> Outcome:
        """Play one game; `data` holds its length, its end, the moves and the evaluations."""
        from maxin.runners.uci.chess_games import Rules, play_game

        players = read_settings(job.first), read_settings(job.second)
        rules = Rules(self._max_plies, self._timeout, self._draw, self._resign, self._crash_loses)
        engines = self._open()
        return engines.run(play_game(engines, job, players, self._opening(job), rules))

    def _opening(self, job: Job) -> Opening:
        """Where the game starts: both games of a pair start alike."""
        from maxin.runners.uci.openings import random_opening

        if (book := self._open_book()) is None:
            return random_opening(job.seed, self._opening_plies)
        try:
            return book.opening((job.number if job.pair is None else job.pair) - 1)
        except InvalidInput as error:
            raise MatchFailed(str(error), is_hopeless=True) from None

    def _open_book(self) -> Book | PolyglotBook | None:
        """The opening book, read on first use."""
        from maxin.runners.uci.openings import open_book

        with self._lock:
            if self._book is None and self._openings is not None:
                self._book = open_book(self._openings, self._max_plies)
            return self._book

    def kill(self) -> None:
        """Kill every engine, and start no more."""
        with self._lock:
            self._is_killed = True
            if self._engines is not None:
                self._engines.kill()

    def close(self) -> None:
        """Let the engines quit; a game that is still running fails."""
        with self._lock:
            engines, self._engines = self._engines, None
        if engines is not None:
            engines.close()

    def _open(self) -> Engines:
        """The engines and their loop, started on first use."""
        from maxin.runners.uci.engines import Engines

        with self._lock:
            if self._is_killed:
                raise MatchFailed(STOPPED)
            if self._engines is None:
                self._engines = Engines(self._timeout, self._env)
            return self._engines


def _plies(opening_plies: int, max_plies: int) -> tuple[int, int]:
    """Both numbers; raise `InvalidInput` unless a game is longer than its opening."""
    opening = check_whole(opening_plies, "opening_plies")
    longest = check_whole(max_plies, "max_plies")
    if not 0 <= opening < longest:
        raise InvalidInput(
            f"must have 0 <= opening_plies < max_plies; "
            f"got opening_plies={opening}, max_plies={longest}"
        )
    return opening, longest
