"""Games with known win probabilities: built by name and seed, or loaded from a file."""

from maxin.games.base import Game
from maxin.games.blotto import blotto
from maxin.games.cycles import disc, rock_paper_scissors
from maxin.games.families.checkpoints import checkpoints
from maxin.games.families.connect_four import connect_four
from maxin.games.families.parity import parity
from maxin.games.families.pig import pig
from maxin.games.families.spinning_top import spinning_top
from maxin.games.files import load_game
from maxin.games.kuhn_poker import kuhn_poker
from maxin.games.populations import hex_board, tic_tac_toe
from maxin.games.registry import GAMES, make_game
from maxin.games.transitive import elo_game, good_bad, transitive, triangular

__all__ = [
    "GAMES",
    "Game",
    "blotto",
    "checkpoints",
    "connect_four",
    "disc",
    "elo_game",
    "good_bad",
    "hex_board",
    "kuhn_poker",
    "load_game",
    "make_game",
    "parity",
    "pig",
    "rock_paper_scissors",
    "spinning_top",
    "tic_tac_toe",
    "transitive",
    "triangular",
]
