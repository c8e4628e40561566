"""What the scale of our prior does: the text fits by maximum likelihood, which has no maximum."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace

import numpy as np

from maxin.games import Game
from maxin_studies.document import Section
from maxin_studies.reproduction.claims.measures import FINAL_RR, REGRET
from maxin_studies.reproduction.figures import Experiment, tuning_runs
from maxin_studies.reproduction.grids import PRIORS
from maxin_studies.reproduction.tuning import Complete, Line, hindsight_lines

SCALES = tuple(sorted(PRIORS))
Scaled = Mapping[float, Line]  # the lines of one game and algorithm by scale


def scaled_lines(
    figures: Sequence[Experiment], games: Mapping[str, Game], complete: Complete
) -> Iterator[Scaled]:
    """MaxIn and MaxInP on every game, with eta and gamma chosen per seed for each scale alone."""
    for figure in figures:
        done = complete(f"{figure.name}, tuning", list(tuning_runs(figure, games)))
        figure = replace(
            figure,
            algorithms=tuple(x for x in figure.algorithms if x.at_prior(1.0) != x),
            games=tuple(game for game in figure.games if game.truth == "rating"),
        )
        by_scale = [hindsight_lines(figure.at_prior(scale), games, done) for scale in SCALES]
        for lines in zip(*by_scale, strict=True):
            yield dict(zip(SCALES, lines, strict=True))


def prior_section(found: Sequence[Scaled]) -> Section:
    """The final RR and regret of MaxIn by scale; the file has MaxInP, too."""
    section = prior_table(found)
    section.notes = [
        "The paper's fits have no prior, and their likelihood has no maximum as long as a player "
        "has only won or lost. Ours have a Gaussian prior of mean 0 on every rating, so "
        "`hindsight` and `held-out` are the text with our prior. Here are MaxIn's final RR (mean "
        "over the last tenth of the rounds) and its final regret, by the standard deviation of "
        "the prior; eta and gamma are chosen per seed in hindsight. The authors' scripts divide "
        "an unpenalised fit by its largest rating instead, which acts like a small scale."
    ]
    section.rows = [row for row in section.rows if row[1] != "MaxInP"]
    return section


def prior_table(found: Sequence[Scaled]) -> Section:
    """The same for MaxIn and MaxInP."""
    section = Section("priors", "What our prior does")
    section.header = [
        "game",
        "algorithm",
        *(f"{scale:g} {'nat' if scale == 1.0 else 'nats'}" for scale in SCALES),
    ]
    for lines in found:
        first = lines[SCALES[0]]
        cells = [
            f"{FINAL_RR.of(line).mean:.2f} ({REGRET.of(line).mean:.0f})" for line in lines.values()
        ]
        section.rows.append([first.game.name, first.algorithm, *cells])
    return section


def mean_rr_by_scale(found: Sequence[Scaled]) -> dict[float, float]:
    """The final RR of MaxIn-Elo by scale, averaged over the games of Figure 2."""
    elo = [
        lines
        for lines in found
        if lines[1.0].algorithm == "MaxIn-Elo" and lines[1.0].game.name != "2 Good, 2 Bad"
    ]
    return {
        scale: float(np.mean([FINAL_RR.of(lines[scale]).mean for lines in elo]))
        for scale in (SCALES if elo else ())
    }
