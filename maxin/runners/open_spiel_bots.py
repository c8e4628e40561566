"""Play any two-player OpenSpiel game between OpenSpiel's bots, in worker processes."""

from __future__ import annotations

import importlib
import json
import math
from collections.abc import Iterable, Mapping
from typing import Any

import numpy as np

from maxin.core import Entrant, InvalidInput, MissingExtra, check_name, check_positive, check_whole
from maxin.runners.base import Job, Outcome
from maxin.runners.processes.worker_pool import Processes

PLAY = f"{__name__}:play"
MEMORY = 1_000  # megabytes a search tree may take
# OpenSpiel silently accepts any option of its bots; these are the ones that have an effect.
OPTIONS: Mapping[str, tuple[str, ...]] = {
    "mcts": ("simulations", "uct_c"),
    "fixed_action_preference": ("actions",),
    "uniform_restricted_actions": ("policy_name",),
}


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
        self._name, self._game = game, load(game)
        self._workers = Processes(PLAY, timeout)

    def check(self, entrants: Iterable[Entrant]) -> None:
        """Raise unless every player's bot exists and can play the game."""
        for name, options in entrants:
            check_options(self._game, options, f"player {name!r}")

    def play(self, job: Job) -> Outcome:
        """Play one game; `data` holds the number of plies and the returns of both players."""
        first, second = (
            Entrant(describe(self._name, player.options)) for player in (job.first, job.second)
        )
        return self._workers.play(Job(job.number, first, second, job.seed))

    def kill(self) -> None:
        """Kill every worker."""
        self._workers.kill()

    def close(self) -> None:
        """End the idle workers."""
        self._workers.close()


# In the worker processes


def play(first: str, second: str, seed: int) -> dict[str, Any]:
    """The first player's score and both returns; the players are descriptions by `describe`.

    >>> bots = {"bot": "mcts", "simulations": 200}, {"bot": "random"}
    >>> play(*(describe("tic_tac_toe", bot) for bot in bots), seed=1)["score"]
    1.0
    """
    seats = [json.loads(player) for player in (first, second)]
    game = load(seats[0]["game"])
    chance, *seeds = np.random.default_rng(seed).integers(2**31, size=3).tolist()
    bots = [make_bot(game, seat, seats[seat]["options"], seeds[seat]) for seat in (0, 1)]
    state = game.new_initial_state()
    returns = list(spiel().evaluate_bots(state, bots, chance))
    data = {"plies": state.move_number(), "returns": returns}
    return {"score": share(game, returns), "data": data}


def describe(game: str, options: Mapping[str, Any]) -> str:
    """A player and its game as a string that can be sent to a worker."""
    return json.dumps({"game": game, "options": dict(options)})


def spiel() -> Any:
    """Import OpenSpiel, on first use."""
    try:
        return importlib.import_module("pyspiel")
    except ImportError:
        raise MissingExtra(
            "OpenSpiel games need OpenSpiel; install it with the extra 'open-spiel': "
            "pip install 'maxin[open-spiel]'"
        ) from None


def load(name: str) -> Any:
    """Load a game; raise `InvalidInput` if it is unknown or not playable in matches."""
    check_name(name.partition("(")[0], spiel().registered_names(), "OpenSpiel game")
    try:
        game = spiel().load_game(name)
    except spiel().SpielError as error:
        raise InvalidInput(f"OpenSpiel cannot load {name!r}: {error}") from None
    if (reason := _obstacle(game)) is not None:
        raise InvalidInput(f"the game {name!r} cannot be played in matches: {reason}")
    return game


def _obstacle(game: Any) -> str | None:
    """Why two bots cannot play the game; None if they can."""
    kind, types = game.get_type(), spiel().GameType
    if game.num_players() != 2:
        return f"it has {game.num_players()} player(s), and a match has two"
    if kind.dynamics != types.Dynamics.SEQUENTIAL:
        return "players move at the same time; try turn_based_simultaneous_game(game=...)"
    if kind.utility == types.Utility.IDENTICAL:
        return "the players win and lose together"
    if kind.chance_mode == types.ChanceMode.SAMPLED_STOCHASTIC:
        return "it draws its own random events and ignores the seed"
    spread = game.max_utility() - game.min_utility()
    return None if 0.0 < spread < math.inf else "its returns are unbounded"


def share(game: Any, returns: list[float]) -> float:
    """The first player's score: 1/2 + (r_first - r_second) / (2 (max - min)), clipped to [0, 1].

    If the returns add up to zero, this is (r_first - min) / (max - min).

    >>> share(load("tic_tac_toe"), [1.0, -1.0]), share(load("leduc_poker"), [-6.5, 6.5])
    (1.0, 0.25)
    """
    first, second = returns
    lead: float = (first - second) / (game.max_utility() - game.min_utility())
    return min(max(0.5 + lead / 2.0, 0.0), 1.0)


def check_options(game: Any, options: Mapping[str, Any], place: str) -> None:
    """Raise unless the bot exists, its options are valid, and it can play the game."""
    name = options.get("bot")
    if not isinstance(name, str):
        raise InvalidInput(f"{place} needs a bot, such as 'random' or 'mcts'; got {name!r}")
    check_name(name, ["random", "mcts", *spiel().registered_bots()], f"bot for {place}")
    for key, value in options.items():
        check_name(key, ["bot", *OPTIONS.get(name, ())], f"option of {place}, bot {name!r},")
        if not isinstance(value, str | int | float):
            raise InvalidInput(f"{place}: {key} must be a string or a number; got {value!r}")
    if name == "mcts":
        _check_search(game, options, place)
    try:
        make_bot(game, 0, options, seed=0)
        make_bot(game, 1, options, seed=0)
    except spiel().SpielError as error:
        raise InvalidInput(f"{place}: cannot create the bot {name!r}: {error}") from None


def _check_search(game: Any, options: Mapping[str, Any], place: str) -> None:
    """Raise unless the options are positive and the game hides nothing from the search."""
    check_positive(
        check_whole(options.get("simulations", 1), f"{place}: simulations"), f"{place}: simulations"
    )
    check_positive(options.get("uct_c", 1.0), f"{place}: uct_c")
    information = spiel().GameType.Information
    if game.get_type().information != information.PERFECT_INFORMATION:
        raise InvalidInput(f"{place}: the bot 'mcts' needs a game of perfect information")


def make_bot(game: Any, player: int, options: Mapping[str, Any], seed: int) -> Any:
    """Create the bot that the options describe, in the seat of `player`."""
    name, rest = options["bot"], {key: options[key] for key in options if key != "bot"}
    if name == "random":
        return spiel().make_uniform_random_bot(player, seed)
    if name == "mcts":
        return _search(game, seed, **rest)
    return spiel().load_bot(name, game, player, {"seed": seed, **rest})


def _search(game: Any, seed: int, *, simulations: int = 100, uct_c: float = 2.0) -> Any:
    rollouts = spiel().RandomRolloutEvaluator(n_rollouts=1, seed=seed)
    return spiel().MCTSBot(game, rollouts, uct_c, simulations, MEMORY, True, seed, False)
