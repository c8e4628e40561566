"""Games by name: `elo:n_players=50`, `blotto:soldiers=10,fields=3`, `tables/league.npy`."""

from __future__ import annotations

import re

import numpy as np

from maxin.core import InvalidInput
from maxin.core import specs as names
from maxin.core.plugins import Registry
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
from maxin.games.random_field import field
from maxin.games.transitive import elo_game, good_bad, transitive, triangular

GAMES = Registry[Game](
    "maxin.games",
    {
        "elo": elo_game,
        "field": field,
        "transitive": transitive,
        "triangular": triangular,
        "disc": disc,
        "rock-paper-scissors": rock_paper_scissors,
        "good-bad": good_bad,
        "blotto": blotto,
        "kuhn-poker": kuhn_poker,
        "tic-tac-toe": tic_tac_toe,
        "hex": hex_board,
        "connect-four": connect_four,
        "parity": parity,
        "pig": pig,
        "spinning-top": spinning_top,
        "checkpoints": checkpoints,
    },
    ("payoffs", "ratings", "play"),
)

# File names may contain colons, commas and equal signs, so options start only after the suffix.
FILE = re.compile(r"(?P<path>.*\.(npy|csv))(:(?P<options>.*))?", re.IGNORECASE)


def make_game(text: str, rng: np.random.Generator) -> Game:
    """The game that `text` names: one of `GAMES` with its options, or a .npy or .csv file.

    A file may be followed by `:average_seats=1,entries=probabilities`; see `load_game`.

    Raises:
        UnknownName: If there is no such game or option; the message suggests the nearest.
        InvalidInput: If an option is out of range, or the file cannot be used.

    >>> make_game("blotto:soldiers=5,fields=3", np.random.default_rng(0))
    Game('5,3-blotto', n_players=21)
    """
    file = FILE.fullmatch(text.strip())
    if file is None:
        return names.make(text, GAMES, "game", rng=rng)
    options = file["options"] or ""
    return names.make(f"file:{options}", {"file": _from_file}, "game", path=file["path"])


def _from_file(path: str, *, average_seats: int = 0, entries: str | None = None) -> Game:
    if average_seats not in (0, 1):
        raise InvalidInput(f"average_seats must be 0 or 1; got {average_seats}")
    return load_game(path, average_seats=bool(average_seats), entries=entries)
