"""The end points printed in Figures 2 and 3, compared with ours."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from typing import NamedTuple

from maxin_studies.estimates import Estimate
from maxin_studies.reproduction.claims.base import Claim, Study
from maxin_studies.reproduction.claims.measures import FINAL_RR, REGRET
from maxin_studies.reproduction.figures import PaperGame
from maxin_studies.reproduction.tuning import Line

EndPoints = Mapping[tuple[str, int, str], tuple[float, float]]  # (game, T, algorithm): regret, RR

NEAR = 0.15  # the largest relative difference of a regret, and absolute one of an RR, that agrees
FIGURES_IN_PRINT = {"figure2": "Figure 2", "figure3": "Figure 3"}
IN_PRINT = ("hindsight", "as-printed")  # the paper shows the seeds that chose its settings
RIVALS = ("Random", "RG-UCB", "DBGD", "MaxInP")


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


def end_pairs(study: Study, printed: EndPoints, protocol: str) -> list[EndPair]:
    """Every line of a figure with a printed end point, if it was played for as many rounds.

    Where a game has two panels, the one with the paper's truth counts.
    """
    if study.name not in FIGURES_IN_PRINT:
        return []
    pairs = []
    for panel in study.panels(protocol):
        if panel.is_second:
            continue
        pairs += [pair for line in panel.lines.values() if (pair := end_pair(line, printed))]
    return pairs


def end_pair(line: Line, printed: EndPoints) -> EndPair | None:
    """The end point of a line and the printed one; None if the paper does not print one."""
    ends = printed.get((line.game.name, line.game.rounds, line.algorithm))
    if ends is None:
        return None
    ours = REGRET.of(line), FINAL_RR.of(line).mean
    return EndPair(line.game.name, line.algorithm, *ours, *ends)


def printed_regrets(game: PaperGame, printed: EndPoints) -> dict[str, float]:
    """The printed end points of a game, if it was played for as many rounds as in the paper."""
    return {
        algorithm: regret
        for (name, rounds, algorithm), (regret, _) in printed.items()
        if (name, rounds) == (game.name, game.rounds)
    }


def printed_claims(study: Study, printed: EndPoints) -> Iterator[Claim]:
    """The end points of each algorithm, and MaxIn's place among the five, against the paper's."""
    for protocol in IN_PRINT:
        pairs = end_pairs(study, printed, protocol)
        if not pairs:
            continue
        place = FIGURES_IN_PRINT[study.name]
        for name in dict.fromkeys(pair.algorithm for pair in pairs):
            here = [pair for pair in pairs if pair.algorithm == name]
            yield _regret_claim(place, protocol, name, here)
            yield _rr_claim(place, protocol, name, here)
        yield from _place_claim(place, protocol, pairs)


def _regret_claim(place: str, protocol: str, name: str, pairs: Sequence[EndPair]) -> Claim:
    text = f"{name}'s final regret is within {NEAR:.0%} of the printed one"
    shown = ", ".join(f"{pair.game} {pair.ratio:.2f}" for pair in pairs)
    agree = [pair.agrees_in_regret for pair in pairs]
    evidence = f"{sum(agree)} of {len(agree)}. Ours / printed: {shown}"
    return Claim(protocol, text, all(agree), evidence, place)


def _rr_claim(place: str, protocol: str, name: str, pairs: Sequence[EndPair]) -> Claim:
    text = f"{name}'s final RR (mean over the last tenth) is within {NEAR} of the printed one"
    shown = ", ".join(f"{pair.game} {pair.gap:+.2f}" for pair in pairs)
    agree = [pair.agrees_in_rr for pair in pairs]
    evidence = f"{sum(agree)} of {len(agree)}. Ours - printed: {shown}"
    return Claim(protocol, text, all(agree), evidence, place)


def _place_claim(place: str, protocol: str, pairs: Sequence[EndPair]) -> Iterator[Claim]:
    """MaxIn's place by regret among the paper's algorithms, 1 for the lowest."""
    places = {}
    for ours in (pair for pair in pairs if pair.algorithm.startswith("MaxIn-")):
        rivals = [x for x in pairs if x.game == ours.game and x.algorithm in RIVALS]
        here = 1 + sum(rival.regret.mean < ours.regret.mean for rival in rivals)
        there = 1 + sum(rival.printed_regret < ours.printed_regret for rival in rivals)
        places[ours.game] = (here, there)
    if places:
        text = "MaxIn has the same place by mean regret as in the paper"
        shown = ", ".join(f"{game} {a} (paper: {b})" for game, (a, b) in places.items())
        yield Claim(protocol, text, all(a == b for a, b in places.values()), shown, place)
