"""Games: who beats whom how often, made from rules by name and seed, or loaded from a file."""

from maxin.games.allocations import blotto
from maxin.games.base import Game
from maxin.games.cards import kuhn_poker
from maxin.games.cycles import disc, rock_paper_scissors
from maxin.games.files import load_game
from maxin.games.ladders import elo, good_bad, transitive, triangular
from maxin.games.populations import hex_board, tic_tac_toe
from maxin.games.registry import GAMES, make_game

__all__ = [
    "GAMES",
    "Game",
    "blotto",
    "disc",
    "elo",
    "good_bad",
    "hex_board",
    "kuhn_poker",
    "load_game",
    "make_game",
    "rock_paper_scissors",
    "tic_tac_toe",
    "transitive",
    "triangular",
]
