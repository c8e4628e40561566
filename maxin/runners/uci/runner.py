"""Play chess between UCI engines, with python-chess."""

from __future__ import annotations

import importlib.util
import threading
from collections.abc import Iterable
from typing import TYPE_CHECKING

from maxin.core import Entrant, InvalidInput, MissingExtra, check_positive, check_whole
from maxin.runners.base import STOPPED, Job, MatchFailed, Outcome
from maxin.runners.programs.environment import check_env
from maxin.runners.uci.engine_settings import check_program, read_settings

if TYPE_CHECKING:
    from maxin.runners.uci.engines import Engines


class Uci:
    """Plays chess; the first player has White.

    A player's options are `command` (a string, split like a shell would, or a list), `options` (a
    table of UCI options), and one limit: `nodes`, `depth`, `movetime` (seconds per move) or
    `clock` (seconds per game), which may come with an `increment` (seconds per move).

    A game starts with random moves drawn from its seed. They can favour one side, so two games
    with the same seed and swapped seats are fair. Draws are claimed as soon as possible. A player
    that oversteps its clock loses. If an engine dies, hangs or makes an illegal move, the match
    fails; this never counts as a loss.

    Players with the same command and options share processes, which are kept between games. Each
    game starts with `ucinewgame`, which makes a correct engine forget the games before.

    Args:
        opening_plies: number of random moves, both sides together.
        max_plies: number of moves, including the opening, after which the game is a draw.
        timeout: seconds an engine may take to start, or to move beyond its own time limit.
        env: further variables of our environment that engines get, see `Command`.

    >>> runner = Uci(opening_plies=4)
    >>> runner.check([Entrant("quick", {"command": "stockfish"})])
    Traceback (most recent call last):
    maxin.core.errors.InvalidInput: player 'quick' needs exactly one of nodes, depth,
    movetime, clock; it has none
    """

    def __init__(
        self,
        *,
        opening_plies: int = 6,
        max_plies: int = 400,
        timeout: float = 60.0,
        env: Iterable[str] = (),
    ) -> None:
        if importlib.util.find_spec("chess") is None:
            raise MissingExtra(
                "UCI engines need python-chess; install it with the extra 'uci': "
                "pip install 'maxin[uci]'"
            )
        self._plies = _plies(opening_plies, max_plies)
        self._timeout = check_positive(timeout, "timeout")
        self._env = check_env(env)
        self._engines: Engines | None = None
        self._is_killed = False
        self._lock = threading.Lock()

    def check(self, entrants: Iterable[Entrant]) -> None:
        """Raise unless every option is valid and every engine's program can be found."""
        for entrant in entrants:
            check_program(read_settings(entrant), f"player {entrant.name!r}")

    def play(self, job: Job) -> Outcome:
        """Play one game; `data` holds the number of plies, how the game ended, and the moves."""
        from maxin.runners.uci.chess_games import Rules, play_game

        first, second = read_settings(job.first), read_settings(job.second)
        rules = Rules(*self._plies, self._timeout)
        engines = self._open()
        return engines.run(play_game(engines, job, first, second, rules))

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
