"""One OpenSpiel game between two bots: what the worker processes of `OpenSpiel` run."""

from __future__ import annotations

import importlib
import json
import math
from collections.abc import Mapping
from typing import Any

import numpy as np

from maxin.core import InvalidInput, MissingExtra, check_name, check_positive, check_whole

MEMORY = 1_000  # megabytes that a search tree may take
# OpenSpiel takes any option of its own bots without a word; these are the ones that do something.
OPTIONS: Mapping[str, tuple[str, ...]] = {
    "mcts": ("simulations", "uct_c"),
    "fixed_action_preference": ("actions",),
    "uniform_restricted_actions": ("policy_name",),
}


def play(first: str, second: str, seed: int) -> dict[str, Any]:
    """The first player's score, and the returns of both; players are as `describe` writes them.

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
    """A player, and the game it plays, as a text that can be sent to a worker."""
    return json.dumps({"game": game, "options": dict(options)})


def spiel() -> Any:
    """The library."""
    try:
        return importlib.import_module("pyspiel")
    except ImportError:
        raise MissingExtra(
            "OpenSpiel games need the extra 'open-spiel': pip install 'maxin[open-spiel]'"
        ) from None


def load(name: str) -> Any:
    """The game, or `InvalidInput` if it is unknown or not one that we can play."""
    check_name(name.partition("(")[0], spiel().registered_names(), "OpenSpiel game")
    try:
        game = spiel().load_game(name)
    except spiel().SpielError as error:
        raise InvalidInput(f"OpenSpiel cannot load {name!r}: {error}") from None
    if (reason := _obstacle(game)) is not None:
        raise InvalidInput(f"the game {name!r} cannot be played in matches: {reason}")
    return game


def _obstacle(game: Any) -> str | None:
    """Why two bots cannot play it, if so."""
    kind, types = game.get_type(), spiel().GameType
    if game.num_players() != 2:
        return f"it has {game.num_players()} player(s), and a match has two"
    if kind.dynamics != types.Dynamics.SEQUENTIAL:
        return "players move at the same time; try turn_based_simultaneous_game(game=...)"
    if kind.utility == types.Utility.IDENTICAL:
        return "the players win and lose together"
    if kind.chance_mode == types.ChanceMode.SAMPLED_STOCHASTIC:
        return "it draws its chances itself, whatever the seed"
    spread = game.max_utility() - game.min_utility()
    return None if 0.0 < spread < math.inf else "its returns have no bounds"


def share(game: Any, returns: list[float]) -> float:
    """The first player's score: (r_first - min) / (max - min) where the returns add up to zero.

    Where they do not, what counts is by how much the first has more than the second.

    >>> share(load("tic_tac_toe"), [1.0, -1.0]), share(load("leduc_poker"), [-6.5, 6.5])
    (1.0, 0.25)
    """
    first, second = returns
    lead: float = (first - second) / (game.max_utility() - game.min_utility())
    return min(max(0.5 + lead / 2.0, 0.0), 1.0)


def check_options(game: Any, options: Mapping[str, Any], place: str) -> None:
    """Raise unless there is such a bot, with such options, and it can play the game."""
    name = options.get("bot")
    if not isinstance(name, str):
        raise InvalidInput(f"{place} needs a bot, such as 'random' or 'mcts'; got {name!r}")
    check_name(name, ["random", "mcts", *spiel().registered_bots()], f"bot for {place}")
    for key, value in options.items():
        check_name(key, ["bot", *OPTIONS.get(name, ())], f"option of {place}, bot {name!r},")
        if not isinstance(value, str | int | float):
            raise InvalidInput(f"{place}: {key} is a text or a number; got {value!r}")
    if name == "mcts":
        _check_search(game, options, place)
    try:
        make_bot(game, 0, options, seed=0)
        make_bot(game, 1, options, seed=0)
    except spiel().SpielError as error:
        raise InvalidInput(f"{place}: the bot {name!r} cannot be made: {error}") from None


def _check_search(game: Any, options: Mapping[str, Any], place: str) -> None:
    """A search needs numbers that make sense, and a game whose state it may see."""
    check_positive(
        check_whole(options.get("simulations", 1), f"{place}: simulations"), f"{place}: simulations"
    )
    check_positive(options.get("uct_c", 1.0), f"{place}: uct_c")
    information = spiel().GameType.Information
    if game.get_type().information != information.PERFECT_INFORMATION:
        raise InvalidInput(f"{place}: the bot 'mcts' would see what the game hides from it")


def make_bot(game: Any, player: int, options: Mapping[str, Any], seed: int) -> Any:
    """The bot that the options name, in the seat of `player`."""
    name, rest = options["bot"], {key: options[key] for key in options if key != "bot"}
    if name == "random":
        return spiel().make_uniform_random_bot(player, seed)
    if name == "mcts":
        return _search(game, seed, **rest)
    return spiel().load_bot(name, game, player, {"seed": seed, **rest})


def _search(game: Any, seed: int, *, simulations: int = 100, uct_c: float = 2.0) -> Any:
    rollouts = spiel().RandomRolloutEvaluator(n_rollouts=1, seed=seed)
    return spiel().MCTSBot(game, rollouts, uct_c, simulations, MEMORY, True, seed, False)
