"""Any two-player game of OpenSpiel, between its bots."""

from __future__ import annotations

from collections.abc import Iterable

from maxin.core import Entrant
from maxin.runners.base import Job, Outcome
from maxin.runners.open_spiel import games as open_spiel_games
from maxin.runners.processes.pool import Processes

PLAY = f"{open_spiel_games.__name__}:play"


class OpenSpiel:
    """Plays the game in worker processes; the first player is OpenSpiel's player 0.

    A player's options: `bot`, which is `random`, `mcts` (with `simulations`, 100, and `uct_c`, 2)
    or a name of `pyspiel.registered_bots()`. The match's seed decides every choice and chance.
    The score is the first player's return, the lowest of the game as 0, the highest as 1.

    Args:
        game: its name as OpenSpiel writes it, with any parameters, such as `go(board_size=5)`.
        timeout: seconds after which a game is killed and fails; None for no limit.

    >>> runner = OpenSpiel("tic_tac_toe")
    >>> good, bad = Entrant("good", {"bot": "mcts"}), Entrant("bad", {"bot": "random"})
    >>> runner.check([good, bad])
    >>> runner.play(Job(1, good, bad, seed=1)).score
    1.0
    >>> runner.close()
    """

    def __init__(self, game: str, *, timeout: float | None = None) -> None:
        self._name, self._game = game, open_spiel_games.load(game)
        self._workers = Processes(PLAY, timeout)

    def check(self, entrants: Iterable[Entrant]) -> None:
        """Raise unless every bot is known and can play the game."""
        for name, options in entrants:
            open_spiel_games.check_options(self._game, options, f"player {name!r}")

    def play(self, job: Job) -> Outcome:
        """One game; `data` has the number of plies and the returns of both players."""
        first, second = (
            Entrant(open_spiel_games.describe(self._name, player.options))
            for player in (job.first, job.second)
        )
        return self._workers.play(Job(job.number, first, second, job.seed))

    def kill(self) -> None:
        """Kill every worker."""
        self._workers.kill()

    def close(self) -> None:
        """Let the idle workers go."""
        self._workers.close()
