"""The paper's experiments as data: games, algorithms, settings and seeds."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from maxin.core import InvalidInput
from maxin.games import Game, load_game, make_game
from maxin_studies.estimates import FEWEST_SEEDS
from maxin_studies.reproduction.grids import (
    ALPHA_IG,
    Algorithm,
    algorithms,
    batch_lines,
    dimension_lines,
    exploration_lines,
    printed_algorithms,
    printed_batch_lines,
    printed_dimension_lines,
    printed_exploration_lines,
)
from maxin_studies.reproduction.runs import LARGEST_K, TRUTHS, Run, Truth, truth_of
from maxin_studies.tasks import fingerprint

FIRST_FRESH_SEED = 1000  # seeds from here on never choose settings
GAME_SEED = 0  # of the games generated from rules
QUICK_GAMES, QUICK_ROUNDS, QUICK_SETTINGS = 2, 400, 3  # of a first look: per figure, game and line


@dataclass(frozen=True)
class PaperGame:
    """A game of the paper, as one panel of a figure.

    Args:
        name: as in the paper.
        rules: that make it; None if only a file has it.
        rounds: T, which the paper's plots show and its text does not give.
        truth: what the best player is best by; see `truth_of`. The paper's x* is best by rating.
        chosen_from: settings are chosen by the mean RR from this share of the rounds on.
        printed_truth: the truth of RR in the authors' scripts.
        printed_from: `chosen_from` in the authors' scripts.
    """

    name: str
    rules: str | None
    rounds: int
    truth: Truth = "rating"
    chosen_from: float = 0.5
    printed_truth: Truth = "score"
    printed_from: float = 0.2

    @property
    def title(self) -> str:
        """Its name, and what the best player is best by unless it is the rating."""
        return self.name if self.truth == "rating" else f"{self.name} (best by mean score)"

    def as_printed(self) -> PaperGame:
        """The game with the truth and the choice of settings of the authors' scripts."""
        return replace(self, truth=self.printed_truth, chosen_from=self.printed_from)


def _intransitive(name: str, rules: str | None, rounds: int) -> PaperGame:
    return PaperGame(name, rules, rounds, printed_truth="rating", printed_from=0.9)


ELO_GAMES = (
    PaperGame("Elo game", "elo:spread=3.3235,pool=1000", 1000),
    PaperGame(
        "Elo game + noise=0.01", "elo:spread=3.3235,pool=1000,noise=0.01,noise_kind=seat", 1000
    ),
    PaperGame("Transitive game", "transitive:pool=1000", 1000),
    PaperGame(
        "Elo game + noise=0.05", "elo:spread=3.3235,pool=1000,noise=0.05,noise_kind=seat", 1000
    ),
    PaperGame("Triangular game", "triangular", 1000),
    PaperGame(
        "Elo game + noise=0.1", "elo:spread=3.3235,pool=1000,noise=0.1,noise_kind=pool", 1000
    ),
)
MELO_GAMES = (
    _intransitive("Kuhn-poker", "kuhn-poker:habits=paired,games=100", 2000),
    _intransitive("AlphaStar", None, 2000),
    _intransitive("tic_tac_toe", "tic-tac-toe:pure=1", 2000),
    _intransitive("hex(board_size=3)", "hex:pure=1", 2000),
    _intransitive("Blotto", "blotto:soldiers=10,fields=5,payoff=margin,n_players=100", 2000),
    _intransitive("5,3-Blotto", "blotto:soldiers=5,fields=3", 1000),
)
GOOD_BAD = (PaperGame("2 Good, 2 Bad", "good-bad", 1000),)


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
        n_seeds: settings are chosen on seeds 0, 1, ..., n_seeds - 1; the paper has five.
        n_fresh: the number of seeds on which the held-out protocol measures.
        first_fresh: the first of these seeds.
        printed: the lines of the protocol `as-printed`.
        varies: the one option that is chosen by what is shown, all others being fixed at the
            setting with the best mean RR over the tuning seeds; None if all are chosen together.
    """

    name: str
    title: str
    games: tuple[PaperGame, ...]
    algorithms: tuple[Algorithm, ...]
    shows: Literal["curves", "top-k", "regret"] = "curves"
    n_seeds: int = 20
    n_fresh: int = 80
    first_fresh: int = FIRST_FRESH_SEED
    printed: tuple[Algorithm, ...] = ()
    varies: str | None = None

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

    def with_truths(self, games: Mapping[str, Game]) -> Experiment:
        """The same with a second panel where the order by mean score names other players on top.

        The top is the best player, or the best ten for "top-k".
        """
        k = LARGEST_K if self.shows == "top-k" else 1
        panels = []
        for game in self.games:
            panels.append(game)
            tops = [top_players(truth_of(games[game.name], truth), k) for truth in TRUTHS]
            if tops[0] != tops[1]:
                panels.append(replace(game, truth="score"))
        return replace(self, games=tuple(panels))

    def as_printed(self) -> Experiment:
        """The same with the games and lines of the protocol `as-printed`.

        The scripts take the truth of the ratings for top-k.
        """
        games = dict.fromkeys(game.as_printed() for game in self.games)
        if self.shows == "top-k":
            games = dict.fromkeys(replace(game, truth="rating") for game in games)
        return replace(self, games=tuple(games), algorithms=self.printed)

    def at_prior(self, scale: float) -> Experiment:
        """The same with one scale of the prior."""
        return replace(self, algorithms=tuple(line.at_prior(scale) for line in self.algorithms))

    def smaller(
        self, n_seeds: int | None = None, rounds: int | None = None, quick: bool = False
    ) -> Experiment:
        """The same with fewer seeds or rounds.

        `quick` keeps two games, a few settings per line, and as many seeds as a verdict needs.
        """
        games = tuple(replace(game, rounds=rounds or game.rounds) for game in self.games)
        lines, printed = self.algorithms, self.printed
        if quick:
            games = tuple(
                replace(game, rounds=min(game.rounds, QUICK_ROUNDS)) for game in games[:QUICK_GAMES]
            )
            lines, printed = _thinned(lines), _thinned(printed)
        fresh = 2 * FEWEST_SEEDS if quick else self.n_fresh
        return replace(
            self,
            games=games,
            algorithms=lines,
            printed=printed,
            n_seeds=n_seeds or (FEWEST_SEEDS if quick else self.n_seeds),
            n_fresh=4 * n_seeds if n_seeds else fresh,
        )


def _thinned(lines: Sequence[Algorithm]) -> tuple[Algorithm, ...]:
    return tuple(replace(line, settings=spread(line.settings, QUICK_SETTINGS)) for line in lines)


def spread(settings: Sequence[str], most: int) -> tuple[str, ...]:
    """At most so many settings, at equal distances, with the first and the last.

    >>> spread(["a", "b", "c", "d", "e"], 3)
    ('a', 'c', 'e')
    """
    if len(settings) <= most:
        return tuple(settings)
    places = np.linspace(0, len(settings) - 1, most).round().astype(int)
    return tuple(settings[place] for place in places)


def top_players(strengths: NDArray[np.float64], k: int) -> set[int]:
    """The players with the k largest strengths, ties included.

    >>> top_players(np.array([3.0, 1.0, 3.0, 2.0]), k=1)
    {0, 2}
    """
    bar = np.sort(strengths)[-min(k, len(strengths))]
    return set(np.flatnonzero(strengths >= bar).tolist())


FIGURES = {
    figure.name: figure
    for figure in (
        Experiment(
            "figure1",
            "Figure 1. 2 Good, 2 Bad",
            GOOD_BAD,
            (*algorithms("elo", "MaxIn-Elo"), ALPHA_IG),
            printed=(*printed_algorithms("elo", "MaxIn-Elo"), ALPHA_IG),
        ),
        Experiment(
            "figure2",
            "Figure 2. Elo ratings on transitive games",
            ELO_GAMES,
            algorithms("elo", "MaxIn-Elo"),
            printed=printed_algorithms("elo", "MaxIn-Elo"),
        ),
        Experiment(
            "figure3",
            "Figure 3. mElo ratings on intransitive games",
            MELO_GAMES,
            algorithms("melo", "MaxIn-mElo"),
            printed=printed_algorithms("melo", "MaxIn-mElo"),
        ),
        Experiment(
            "figure4",
            "Figure 4. Top-k on transitive games",
            ELO_GAMES,
            algorithms("elo", "MaxIn-Elo"),
            shows="top-k",
            printed=printed_algorithms("elo", "MaxIn-Elo"),
            varies="exploration",
        ),
        Experiment(
            "gamma",
            "Exploration gamma of MaxIn-Elo, top-k",
            ELO_GAMES,
            exploration_lines(),
            shows="top-k",
            printed=printed_exploration_lines(),
            varies="exploration",
        ),
        Experiment(
            "dimension",
            "Dimension of mElo, 2k, of MaxIn-mElo",
            MELO_GAMES[:1],  # the paper names no game; the authors' scripts have this one
            dimension_lines(),
            printed=printed_dimension_lines(),
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
            printed=printed_batch_lines(
                BATCH_GAMES[paper_game.name], games[paper_game.name].n_players
            ),
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
    return Run(game.name, fingerprint(found), setting, game.rounds, seed, found)
