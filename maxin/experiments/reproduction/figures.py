"""The paper's experiments as data: games, algorithms, settings and seeds."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Literal

import numpy as np

from maxin.core import InvalidInput
from maxin.experiments.reproduction.runs import Run
from maxin.experiments.tasks import fingerprint
from maxin.games import Game, load_game, make_game

STEP_SIZES = (0.01, 0.05, 0.1, 0.5, 1.0, 5.0, 10.0)  # eta
EXPLORATIONS = tuple(round(0.2 * k, 1) for k in range(1, 11))  # gamma
BATCHES = (0.1, 0.3, 0.5, 0.7, 0.9, 1.0, 2.0, 4.0, 8.0)  # tau / n, in addition to tau = 1
DIMENSIONS = (0, 2, 4, 8, 16)  # 2k
FIRST_FRESH_SEED = 1000  # seeds from here on never choose settings
GAME_SEED = 0  # of the games generated from rules


@dataclass(frozen=True)
class PaperGame:
    """A game of the paper: its name, its rules (None if only a file has it), and its rounds."""

    name: str
    rules: str | None
    rounds: int
    truth: str = "score"  # what the best player is best by; see `Run`


ELO_GAMES = (
    PaperGame("Elo game", "elo", 1000),
    PaperGame("Elo game + noise=0.01", "elo:noise=0.01", 1000),
    PaperGame("Transitive game", "transitive", 1000),
    PaperGame("Elo game + noise=0.05", "elo:noise=0.05", 1000),
    PaperGame("Triangular game", "triangular", 1000),
    PaperGame("Elo game + noise=0.1", "elo:noise=0.1", 1000),
)
MELO_GAMES = (
    PaperGame("Kuhn-poker", "kuhn-poker", 2000, "rating"),
    PaperGame("AlphaStar", None, 2000, "rating"),
    PaperGame("tic_tac_toe", "tic-tac-toe", 2000, "rating"),
    PaperGame("hex(board_size=3)", "hex", 2000, "rating"),
    PaperGame("Blotto", "blotto:soldiers=12,fields=3", 2000, "rating"),
    PaperGame("5,3-Blotto", "blotto:soldiers=5,fields=3", 1000, "rating"),
)
GOOD_BAD = (PaperGame("2 Good, 2 Bad", "good-bad", 1000),)


@dataclass(frozen=True)
class Algorithm:
    """A line of a figure: its name and the settings it is tuned over."""

    name: str
    settings: tuple[str, ...]


def _tuned_by_step(name: str, scheduler: str, ratings: str) -> Algorithm:
    return Algorithm(name, tuple(f"{scheduler}+{ratings}:step_size={eta:g}" for eta in STEP_SIZES))


def maxin_settings(
    ratings: str,
    step_sizes: Sequence[float] = STEP_SIZES,
    explorations: Sequence[float] = EXPLORATIONS,
    batch: str = "",
) -> tuple[str, ...]:
    """MaxIn over a grid of gamma and eta; a lone candidate plays itself, as in the figures.

    >>> maxin_settings("elo", [0.5], [1.0])
    ('maxin:exploration=1,step_size=0.5,alone=self+elo',)
    """
    return tuple(
        f"maxin:exploration={gamma:g},step_size={eta:g}{batch},alone=self+{ratings}"
        for gamma in explorations
        for eta in step_sizes
    )


def algorithms(ratings: str, maxin_name: str) -> tuple[Algorithm, ...]:
    """The five lines of Figures 2 and 3, on Elo or mElo ratings (MaxInP always on Elo)."""
    maxin_ratings = "melo:dimensions=8" if ratings == "melo" else ratings
    maxinp = tuple(f"maxinp:exploration={gamma:g},alone=self" for gamma in EXPLORATIONS)
    return (
        _tuned_by_step("Random", "random", ratings),
        _tuned_by_step("RG-UCB", "rg-ucb", ratings),
        _tuned_by_step("DBGD", "dbgd", ratings),
        Algorithm("MaxInP", maxinp),
        Algorithm(maxin_name, maxin_settings(maxin_ratings)),
    )


EXTRAS = (
    Algorithm("Random + MAP fit", ("random+bradley-terry",)),
    Algorithm("Round robin", ("round-robin:cycles=none+bradley-terry",)),
    Algorithm("Knockout", ("knockout:cycles=none+bradley-terry",)),
)


@dataclass(frozen=True)
class Experiment:
    """A figure: games x algorithms x settings x seeds.

    Args:
        name: the name `maxin paper` uses.
        title: of the figure.
        games: its panels.
        algorithms: its lines.
        shows: "curves" for regret and RR over rounds, "top-k" for hit ratio@k and NDCG@k of the
            final ratings, "regret" for regret alone. Settings are chosen by what is shown; for
            "curves", by RR.
        n_seeds: settings are chosen on seeds 0, 1, ..., n_seeds - 1.
        n_fresh: the number of seeds on which the held-out protocol measures.
        first_fresh: the first of these seeds.
    """

    name: str
    title: str
    games: tuple[PaperGame, ...]
    algorithms: tuple[Algorithm, ...]
    shows: Literal["curves", "top-k", "regret"] = "curves"
    n_seeds: int = 5
    n_fresh: int = 20
    first_fresh: int = FIRST_FRESH_SEED

    @property
    def tuning_seeds(self) -> range:
        """The seeds that choose settings."""
        return range(self.n_seeds)

    @property
    def fresh_seeds(self) -> range:
        """The seeds that never choose settings."""
        return range(self.first_fresh, self.first_fresh + self.n_fresh)

    def only(self, names: Sequence[str]) -> Experiment:
        """The same experiment on those of its games that are in `names`."""
        return replace(self, games=tuple(game for game in self.games if game.name in names))

    def smaller(
        self, n_seeds: int | None = None, rounds: int | None = None, quick: bool = False
    ) -> Experiment:
        """The same with fewer seeds or rounds; `quick` keeps two games and every third setting."""
        games = tuple(replace(game, rounds=rounds or game.rounds) for game in self.games)
        lines = self.algorithms
        if quick:
            games = tuple(replace(game, rounds=min(game.rounds, 400)) for game in games[:2])
            lines = tuple(replace(line, settings=line.settings[::3]) for line in lines)
        fresh = 4 if quick else self.n_fresh
        return replace(
            self,
            games=games,
            algorithms=lines,
            n_seeds=n_seeds or (2 if quick else self.n_seeds),
            n_fresh=4 * n_seeds if n_seeds else fresh,
        )


def _exploration_lines() -> tuple[Algorithm, ...]:
    return tuple(
        Algorithm(f"gamma = {gamma:g}", maxin_settings("elo", explorations=(gamma,)))
        for gamma in EXPLORATIONS
    )


def _dimension_lines() -> tuple[Algorithm, ...]:
    return tuple(Algorithm(f"2k = {k}", maxin_settings(f"melo:dimensions={k}")) for k in DIMENSIONS)


def batch_lines(ratings: str, n_players: int) -> tuple[Algorithm, ...]:
    """One line per batch size: tau = 1 and the paper's multiples of n.

    >>> [line.name for line in batch_lines("elo", 100)][:2]
    ['tau = 1', 'tau = 0.1 n']
    """
    sizes = {"tau = 1": 1} | {
        f"tau = {share:g} n": max(1, round(share * n_players)) for share in BATCHES
    }
    return tuple(
        Algorithm(name, maxin_settings(ratings, batch=f",batch_size={size}"))
        for name, size in sizes.items()
    )


ALPHA_IG = _tuned_by_step("alpha-IG", "alpha-ig", "elo")

FIGURES = {
    figure.name: figure
    for figure in (
        Experiment(
            "figure1",
            "Figure 1. 2 Good, 2 Bad",
            GOOD_BAD,
            (*algorithms("elo", "MaxIn-Elo"), ALPHA_IG),
        ),
        Experiment(
            "figure2",
            "Figure 2. Elo ratings on transitive games",
            ELO_GAMES,
            algorithms("elo", "MaxIn-Elo"),
        ),
        Experiment(
            "figure3",
            "Figure 3. mElo ratings on intransitive games",
            MELO_GAMES,
            algorithms("melo", "MaxIn-mElo"),
        ),
        Experiment(
            "figure4",
            "Figure 4. Top-k on transitive games",
            ELO_GAMES,
            algorithms("elo", "MaxIn-Elo"),
            shows="top-k",
        ),
        Experiment(
            "gamma",
            "Exploration gamma of MaxIn-Elo, top-k",
            ELO_GAMES,
            _exploration_lines(),
            shows="top-k",
        ),
        Experiment(
            "dimension",
            "Dimension of mElo, 2k, of MaxIn-mElo",
            MELO_GAMES,
            _dimension_lines(),
        ),
    )
}
BATCH_GAMES = {"Elo game": "elo", "Kuhn-poker": "melo"}


def batch_experiments(games: Mapping[str, Game]) -> list[Experiment]:
    """The sweep over tau: one figure per game, since tau is a multiple of its players."""
    return [
        Experiment(
            f"batch, {paper_game.name}",
            f"Batch size tau on {paper_game.name}",
            (paper_game,),
            batch_lines(BATCH_GAMES[paper_game.name], games[paper_game.name].n_players),
        )
        for paper_game in (*ELO_GAMES, *MELO_GAMES)
        if paper_game.name in BATCH_GAMES and paper_game.name in games
    ]


def load_games(folder: Path | None) -> dict[str, Game]:
    """The paper's games by name, from payoff files in `folder` or, without one, from rules."""
    everything = (*GOOD_BAD, *ELO_GAMES, *MELO_GAMES)
    if folder is None:
        made = {game.name: game.rules for game in everything if game.rules is not None}
        return {
            name: make_game(rules, np.random.default_rng([GAME_SEED, 0]))
            for name, rules in made.items()
        }
    if not folder.is_dir():
        raise InvalidInput(f"there is no folder {str(folder)!r} of payoff files")
    paths = {game.name: folder / f"{game.name}.npy" for game in everything}
    found = {
        # Two of the paper's tables favour one seat; the mean over both seats is used.
        name: load_game(path, average_seats=True)
        for name, path in paths.items()
        if path.is_file()
    }
    if not found:
        raise InvalidInput(f"{str(folder)!r} has none of the paper's games, such as 'Elo game.npy'")
    return found


def tuning_runs(experiment: Experiment, games: Mapping[str, Game]) -> Iterator[Run]:
    """Every setting of every algorithm on every tuning seed."""
    for game in experiment.games:
        for line in experiment.algorithms:
            for setting in line.settings:
                for seed in experiment.tuning_seeds:
                    yield run_of(game, games, setting, seed)


def run_of(game: PaperGame, games: Mapping[str, Game], setting: str, seed: int) -> Run:
    """The run of one setting and seed on a game."""
    found = games[game.name]
    return Run(game.name, fingerprint(found), game.truth, setting, game.rounds, seed, found)
