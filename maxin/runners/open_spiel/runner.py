"""Play any two-player OpenSpiel game between OpenSpiel's bots."""

from __future__ import annotations

from collections.abc import Iterable

from maxin.core import Entrant
from maxin.runners.base import Job, Outcome
from maxin.runners.open_spiel import bot_games as open_spiel_games
from maxin.runners.processes.worker_pool import Processes

PLAY = f"{open_spiel_games.__name__}:play"


class OpenSpiel:
    """Plays the game in worker processes; the first player is OpenSpiel's player 0.

    A player's option `bot` is `random`, `mcts` (with the options `simulations`, by default 100,
    and `uct_c`, by default 2) or a name from `pyspiel.registered_bots()`. The match's seed
    determines every random choice. The score is the first player's return, scaled such that the
    game's lowest return is 0 and its highest is 1.

    Args:
        game: the name of the game in OpenSpiel, with any parameters, as in `go(board_size=5)`.
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
        """Raise unless every player's bot exists and can play the game."""
        for name, options in entrants:
            open_spiel_games.check_options(self._game, options, f"player {name!r}")

    def play(self, job: Job) -> Outcome:
        """Play one game; `data` holds the number of plies and the returns of both players."""
        first, second = (
            Entrant(open_spiel_games.describe(self._name, player.options))
            for player in (job.first, job.second)
        )
        return self._workers.play(Job(job.number, first, second, job.seed))

    def kill(self) -> None:
        """Kill every worker."""
        self._workers.kill()

    def close(self) -> None:
        """End the idle workers."""
        self._workers.close()
