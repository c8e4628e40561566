"""Chess between UCI engines, through python-chess."""

from __future__ import annotations

import importlib.util
import threading
from collections.abc import Iterable
from typing import TYPE_CHECKING

from maxin.core import Entrant, InvalidInput, MissingExtra, check_positive, check_whole
from maxin.runners.base import Job, MatchFailed, Outcome
from maxin.runners.threads import STOPPED
from maxin.runners.uci.settings import check_program, read_settings

if TYPE_CHECKING:
    from maxin.runners.uci.engines import Engines


class Uci:
    """Plays chess; the first player has White.

    A player's options: `command` (a text, split as a shell would, or a list), `options` (a table
    of UCI options), and one limit: `nodes`, `depth`, `movetime` (seconds a move) or `clock`
    (seconds a game), which may go with an `increment` (seconds a move).

    A game begins with random moves drawn from its seed. They can favour a side: two games with
    the same seed and the seats swapped are fair. Draws are claimed as soon as they can be. Who
    oversteps a clock loses. An engine that dies, hangs or makes an illegal move is a failure of
    the match, never a loss.

    Engines that have the same command and options are the same processes, kept between games,
    each of which begins with `ucinewgame`: an engine that takes it seriously remembers nothing.

    Args:
        opening_plies: how many moves, of both sides together, are random.
        max_plies: how many moves, the opening's included, make a draw.
        timeout: seconds an engine may take to start, or to move beyond the time it has.

    >>> runner = Uci(opening_plies=4)
    >>> runner.check([Entrant("quick", {"command": "stockfish"})])
    Traceback (most recent call last):
    maxin.core.InvalidInput: player 'quick' needs exactly one of nodes, depth, movetime, clock;
    it has none
    """

    def __init__(
        self, *, opening_plies: int = 6, max_plies: int = 400, timeout: float = 60.0
    ) -> None:
        if importlib.util.find_spec("chess") is None:
            raise MissingExtra(
                "UCI engines need python-chess, which the extra 'uci' brings: "
                "pip install 'maxin[uci]'"
            )
        self._plies = _plies(opening_plies, max_plies)
        self._timeout = check_positive(timeout, "timeout")
        self._engines: Engines | None = None
        self._is_killed = False
        self._lock = threading.Lock()

    def check(self, entrants: Iterable[Entrant]) -> None:
        """Raise unless every option is known, and the engine's program is there."""
        for entrant in entrants:
            check_program(read_settings(entrant), f"player {entrant.name!r}")

    def play(self, job: Job) -> Outcome:
        """One game; `data` has the number of plies, how it ended, and the moves."""
        from maxin.runners.uci.games import Rules, play_game

        first, second = read_settings(job.first), read_settings(job.second)
        rules = Rules(*self._plies, self._timeout)
        engines = self._open()
        return engines.run(play_game(engines, job, first, second, rules))

    def kill(self) -> None:
        """Kill every engine, now and from here on."""
        with self._lock:
            self._is_killed = True
            if self._engines is not None:
                self._engines.kill()

    def close(self) -> None:
        """Let the engines quit; a game that is still being played fails."""
        with self._lock:
            engines, self._engines = self._engines, None
        if engines is not None:
            engines.close()

    def _open(self) -> Engines:
        """The engines, with their loop, from the first game on."""
        from maxin.runners.uci.engines import Engines

        with self._lock:
            if self._is_killed:
                raise MatchFailed(STOPPED)
            if self._engines is None:
                self._engines = Engines(self._timeout)
            return self._engines


def _plies(opening_plies: int, max_plies: int) -> tuple[int, int]:
    """Both, or `InvalidInput` unless a game has room for its opening."""
    opening = check_whole(opening_plies, "opening_plies")
    longest = check_whole(max_plies, "max_plies")
    if not 0 <= opening < longest:
        raise InvalidInput(
            f"0 <= opening_plies < max_plies; got opening_plies={opening}, max_plies={longest}"
        )
    return opening, longest
