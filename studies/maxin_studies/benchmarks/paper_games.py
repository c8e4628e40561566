"""The paper's twelve games: schedulers without tuning against baselines tuned on other seeds."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Literal

import numpy as np

from maxin.core.units import ELO_PER_NAT
from maxin.games import Game
from maxin_studies.benchmarks.stops import ROUNDING
from maxin_studies.document import Section
from maxin_studies.estimates import Estimate
from maxin_studies.reproduction.figures import ELO_GAMES, MELO_GAMES, Experiment, PaperGame
from maxin_studies.reproduction.grids import EXTRAS, Algorithm, algorithms
from maxin_studies.reproduction.runs import truth_of
from maxin_studies.reproduction.tuning import Line

OURS = ("double-thompson:alone=self", "top-two")  # a self-match has no regret in the paper
N_SEEDS = 30
ONE_SIDED_Z = 1.645  # of a one-sided test at 95 %
TUNED = ("MaxIn", "MaxInP", "DBGD", "RG-UCB", "Random")
UNTUNED = tuple(line.name for line in EXTRAS)


def experiments(schedulers: Sequence[str], first_seed: int, n_seeds: int) -> list[Experiment]:
    """The games with Elo ratings and those with mElo, tuned for regret and tuned for RR.

    >>> [one.name for one in experiments(OURS, 10_000, 50)]
    ['elo, for regret', 'elo, for RR', 'melo, for regret', 'melo, for RR']
    """
    ours = tuple(Algorithm(name, (name,)) for name in schedulers)
    shown: tuple[tuple[str, Literal["regret", "curves"]], ...]
    shown = (("regret", "regret"), ("RR", "curves"))
    return [
        Experiment(
            f"{ratings}, for {what}",
            "The paper's games",
            games,
            (*ours, *algorithms(ratings, "MaxIn"), *EXTRAS),
            shows,
            n_fresh=n_seeds,
            first_fresh=first_seed,
        )
        for ratings, games in (("elo", ELO_GAMES), ("melo", MELO_GAMES))
        for what, shows in shown
    ]


class Table:
    """A measure per game and algorithm, from one value per seed."""

    def __init__(self, lines: Sequence[Line], measure: str) -> None:
        self.games: list[PaperGame] = list(dict.fromkeys(line.game for line in lines))
        self.cells = {(line.game, line.algorithm): _estimate(line, measure) for line in lines}

    def of(self, game: PaperGame, names: Sequence[str]) -> dict[str, Estimate]:
        """The estimates of a game, by algorithm."""
        return {name: self.cells[game, name] for name in names}

    def rows(self, names: Sequence[str]) -> list[list[str]]:
        """A row per game, and a row of means over games."""
        rows = [[game.name, *map(str, self.of(game, names).values())] for game in self.games]
        means = [np.mean([self.cells[game, name].mean for game in self.games]) for name in names]
        return [
            *rows,
            ["mean", *(f"{mean:.0f}" if mean >= 100 else f"{mean:.3f}" for mean in means)],
        ]


def _estimate(line: Line, measure: str) -> Estimate:
    if measure == "regret":
        return Estimate.of(line.curves("regret")[:, -1])
    return Estimate.of(line.mean_rrs())


def regret_section(lines: Sequence[Line], schedulers: Sequence[str], tuned_on: range) -> Section:
    """Final regret, with baselines tuned for it."""
    table = Table(lines, "regret")
    section = Section("bench-paper-regret", "The paper's games: regret")
    section.notes = [
        "Every baseline with settings uses, per game, the setting with the lowest mean regret on "
        f"seeds {tuned_on[0]} to {tuned_on[-1]}. All are measured on {_n_seeds(lines)} other "
        "seeds. Numbers after ± are standard errors.",
        *(_regret_note(table, name) for name in schedulers),
    ]
    names = (*schedulers, *TUNED, *UNTUNED)
    section.header, section.rows = ["game", *names], table.rows(names)
    return section


def _n_seeds(lines: Sequence[Line]) -> int:
    return max(len(line.outcomes) for line in lines)


def _regret_note(table: Table, name: str) -> str:
    """How a scheduler compares with the best baseline on each game."""
    changes, lower, unclear = [], 0, []
    for game in table.games:
        rivals = table.of(game, (*TUNED, *UNTUNED))
        best = min(rivals.values(), key=lambda rival: rival.mean)
        mine = table.cells[game, name]
        changes.append(f"{game.name} {100.0 * (mine.mean / best.mean - 1.0):+.0f} %")
        if mine.mean < best.mean:
            lower += 1
            if best.is_above(mine) is not True:
                unclear.append(game.name)
    doubt = f"; within noise on {', '.join(unclear)}" if unclear else ""
    return (
        f"`{name}` has lower mean regret than every baseline on {lower} of {len(table.games)} "
        f"games{doubt}. Compared with the best of them: {', '.join(changes)}."
    )


def rank_section(lines: Sequence[Line], schedulers: Sequence[str], tuned_on: range) -> Section:
    """RR over the second half, with baselines tuned for it."""
    table = Table(lines, "reciprocal rank")
    section = Section("bench-paper-rank", "The paper's games: RR over the second half")
    section.notes = [
        f"The same with settings chosen by mean RR over the second half, on seeds {tuned_on[0]} "
        f"to {tuned_on[-1]}. The best player is the paper's, the one with the largest rating r*. "
        "RR, the reciprocal rank, is 1 / its rank; as in the reproduction, equal ratings share the "
        "better rank.",
        *(_rank_note(table, name) for name in schedulers),
    ]
    names = (*schedulers, *TUNED, *UNTUNED)
    section.header, section.rows = ["game", *names], table.rows(names)
    return section


def limits_section(games: Mapping[str, Game]) -> Section:
    """How hard the games are: how close the best two players are."""
    section = Section("bench-paper-limits", "The paper's games: what can be found at all")
    section.notes = [
        "The best and the second are those of the table above. If the best beats the second with "
        f"probability P, about ({ONE_SIDED_Z:.2f} / (2 P - 1))^2 matches between the two separate "
        "them at 95 %. Where that is more than the game's matches, a schedule finds the best only "
        "by luck or through matches with others. Where P is at most one half, their own matches "
        "reveal nothing, or mislead: strength is measured against everyone.",
    ]
    section.header = ["game", "players", "matches", "equally best", "second, Elo behind",
                      "P(best beats second)", "matches to separate"]  # fmt: skip
    for paper_game in (*ELO_GAMES, *MELO_GAMES):
        if paper_game.name in games:
            section.rows.append(_limits(paper_game, games[paper_game.name]))
    return section


def _limits(paper_game: PaperGame, game: Game) -> list[str]:
    strengths = truth_of(game, paper_game.truth)
    order = np.argsort(-strengths, kind="stable")
    n_best = int((strengths >= strengths[order[0]] - ROUNDING).sum())
    best, second = order[0], order[n_best]
    chance = float(game.probabilities[best, second])
    return [
        paper_game.name,
        str(game.n_players),
        str(paper_game.rounds),
        str(n_best),
        f"{ELO_PER_NAT * (game.ratings[best] - game.ratings[second]):.0f}",
        f"{chance:.3f}",
        f"{(ONE_SIDED_Z / (2.0 * chance - 1.0)) ** 2:.0f}" if chance > 0.5 else "never",
    ]


def _rank_note(table: Table, name: str) -> str:
    """Where tuned MaxIn or the fit of random pairs beats a scheduler beyond noise."""
    behind = [
        f"{game.name} ({rival})"
        for game in table.games
        for rival in ("MaxIn", "Random + MAP fit")
        if table.cells[game, rival].is_above(table.cells[game, name])
    ]
    mean = np.mean([table.cells[game, name].mean for game in table.games])
    where = ", ".join(behind) or "no game"
    return (
        f"`{name}` has a mean RR of {mean:.3f} over {len(table.games)} games. Tuned MaxIn or the "
        f"MAP fit of random pairs is better beyond noise on {where}."
    )
