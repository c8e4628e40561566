"""The set that every entry plays: games, seeds, budgets. It changes only with its version."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from dataclasses import asdict, dataclass, replace

from maxin.core.stop import CONFIDENCE
from maxin.core.units import TOLERANCE
from maxin_studies.benchmarks.questions import MULTIPLES
from maxin_studies.tasks import key_of

HALVES = ("public", "own")  # the same seeds for all entries, and seeds made from an entry's name
OWN_SEEDS_FROM = 10**6  # beyond all seeds that others use


@dataclass(frozen=True)
class FrozenSet:
    """What every entry plays.

    Args:
        version: of the set; a new one makes all results of earlier ones unknown.
        rounds: the games, see `make_game`, and after how many matches a tournament of each ends
            undecided; every seed has players of its own.
        multiples: the player named is judged after so many times n matches, for n players.
        n_seeds: how many seeds each half has.
        first_public_seed: the first seed of the public half.
        confidence: at which tournaments stop.
        tolerance: by how many Elo points the player named at the stop may miss the best.
    """

    version: int
    rounds: Mapping[str, int]
    multiples: tuple[int, ...]
    n_seeds: int
    first_public_seed: int
    confidence: float
    tolerance: float

    @property
    def games(self) -> tuple[str, ...]:
        """The games, in the order of tables."""
        return tuple(self.rounds)

    @property
    def hash(self) -> str:
        """Identifies the set.

        >>> SET.hash == SET.smaller(1, 2).hash
        False
        """
        return key_of(asdict(self))

    def seeds(self, half: str, entry: str) -> range:
        """The seeds of a half; those of the own half follow from the entry's name.

        They start at 10^6 plus the first six bytes of SHA-256("VERSION ENTRY").

        >>> SET.seeds("public", "top-two")
        range(20000, 20040)
        >>> SET.seeds("own", "top-two").start == SET.seeds("own", "random").start
        False
        """
        start = self.first_public_seed
        if half == "own":
            digest = hashlib.sha256(f"{self.version} {entry}".encode()).digest()
            start = OWN_SEEDS_FROM + int.from_bytes(digest[:6])
        return range(start, start + self.n_seeds)

    def smaller(self, n_games: int, n_seeds: int) -> FrozenSet:
        """The first games and seeds, which are a set of their own."""
        rounds = {game: self.rounds[game] for game in self.games[:n_games]}
        return replace(self, rounds=rounds, n_seeds=n_seeds)


SET = FrozenSet(
    version=1,
    rounds={  # a player's number reveals nothing: who is the best is drawn with every seed
        "field:n_players=10": 2000,
        "field:n_players=30": 2000,
        "field:n_players=100": 1500,
        "field:n_players=20,spread=0.5,draws=0.5": 2000,
        "field:n_players=30,kappa=1": 2000,
        "connect-four": 1000,
        "spinning-top": 1000,
        "blotto:soldiers=10,fields=4,n_players=60": 600,
    },
    multiples=MULTIPLES,
    n_seeds=40,
    first_public_seed=20_000,
    confidence=CONFIDENCE,
    tolerance=TOLERANCE,
)
