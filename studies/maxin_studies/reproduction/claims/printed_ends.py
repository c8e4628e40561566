"""The end points printed in Figures 2 and 3, compared with ours."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import NamedTuple

from maxin_studies.estimates import Estimate
from maxin_studies.reproduction.claims.measures import FINAL_RR, REGRET
from maxin_studies.reproduction.figures import PaperGame
from maxin_studies.reproduction.tuning import Line

EndPoints = Mapping[tuple[str, int, str], tuple[float, float]]  # (game, T, algorithm): regret, RR

NEAR = 0.15  # the largest relative difference of a regret, and absolute one of an RR, that agrees
PRINTED_SEEDS = 5  # of the paper


class EndPair(NamedTuple):
    """Our end point of a line, a mean over runs, and the printed one."""

    game: str
    algorithm: str
    regret: Estimate
    rr: float
    printed_regret: float
    printed_rr: float

    @property
    def ratio(self) -> float:
        """Our final regret divided by the printed one."""
        return self.regret.mean / self.printed_regret

    @property
    def gap(self) -> float:
        """Our final RR minus the printed one, which is smoothed; see `FINAL_RR`."""
        return self.rr - self.printed_rr

    @property
    def agrees_in_regret(self) -> bool:
        """Whether the regrets are within 15 % of each other."""
        return abs(self.ratio - 1.0) <= NEAR

    @property
    def is_within_noise(self) -> bool:
        """Whether the regrets differ by no more than two means over as many seeds may.

        The printed one is taken to have the same standard error; Student's t at 95 %.
        """
        low, high = self.regret.interval()
        return abs(self.regret.mean - self.printed_regret) <= math.sqrt(2.0) * (high - low) / 2.0

    @property
    def agrees_in_rr(self) -> bool:
        """Whether the RRs are within 0.15 of each other."""
        return abs(self.gap) <= NEAR


def end_pair(line: Line, printed: EndPoints) -> EndPair | None:
    """The end point of a line and the printed one, both on five seeds; None if none is printed."""
    ends = printed.get((line.game.name, line.game.rounds, line.algorithm))
    if ends is None:
        return None
    few = line.first(PRINTED_SEEDS)
    ours = REGRET.of(few), FINAL_RR.of(few).mean
    return EndPair(line.game.name, line.algorithm, *ours, *ends)


def printed_regrets(game: PaperGame, printed: EndPoints) -> dict[str, float]:
    """The printed end points of a game, if it was played for as many rounds as in the paper."""
    return {
        algorithm: regret
        for (name, rounds, algorithm), (regret, _) in printed.items()
        if (name, rounds) == (game.name, game.rounds)
    }
