"""The first screen of the page: a dozen claims under three protocols, and five sentences."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import NamedTuple

import numpy as np

from maxin_studies.document import Section
from maxin_studies.reproduction.claims import Claim, Study
from maxin_studies.reproduction.claims.measures import FINAL_RR
from maxin_studies.reproduction.claims.printed_ends import EndPair
from maxin_studies.reproduction.page.statements import (
    LEGEND,
    by_statement,
    counts,
    statement_table,
)


class Headline(NamedTuple):
    """A claim of the first screen: the start of its statement, and how it is told there."""

    place: str
    start: str
    told: str


ALL_LOWER = "MaxIn has a significantly lower regret than"
HEADLINES = (
    Headline("s.132", f"{ALL_LOWER} all baselines", "Lower regret than every baseline, all games"),
    Headline("s.132", f"{ALL_LOWER} MaxInP", "Lower regret than MaxInP, all games"),
    Headline("s.126", f"{ALL_LOWER} DBGD", "Lower regret than DBGD, all games"),
    Headline("s.103", "MaxIn converges faster", "RR reaches 1 first, most games"),
    Headline("s.533", "MaxIn-Elo's regret is close", "2 Good, 2 Bad: regret below 1% of Random's"),
    Headline("s.536", "MaxIn-Elo's RR converges", "RR converges to 1, four Elo games"),
    Headline("s.537", "MaxIn-Elo's regret is close", "Regret nearly complete by half, three games"),
    Headline("s.538", "On the games of s.537, S has", "S = {x*} at the end of every run, the same"),
    Headline("s.580", "MaxIn-mElo's RR converges", "RR converges to 1, all mElo games but Blotto"),
    Headline("s.587", "MaxIn-Elo is best at top-1", "Best at top-1, all six Elo games"),
    Headline("s.585", "A larger gamma gives", "A larger gamma gives a better top-k, most games"),
    Headline("s.805", "2k = 8 is best (mean RR", "2k = 8 is best (RR, Kuhn-poker)"),
    Headline("s.808", "On Elo game, a tau of", "tau of 0.5 n to 1 n is best (RR, Elo game)"),
)


def screen_section(claims: Sequence[Claim]) -> Section:
    """The table of the headlines whose figures were run."""
    told = []
    for headline in HEADLINES:
        for (place, text), here in by_statement(claims).items():
            if place == headline.place and text.startswith(headline.start):
                told += [claim._replace(text=headline.told) for claim in here.values()]
                break
    section = Section("screen", "What holds", [LEGEND])
    section.header, section.rows = statement_table(told)
    section.header[1:2] = ["claim"]
    return section


def sentences(
    claims: Sequence[Claim],
    studies: Sequence[Study],
    priors: Mapping[float, float],
    points: Mapping[str, Sequence[EndPair]],
) -> Iterator[str]:
    """What holds, as sentences, as far as it was run.

    Args:
        claims: every statement.
        studies: the figures.
        priors: MaxIn-Elo's mean final RR over the Elo games in hindsight, by scale of the prior.
        points: our end points and the printed ones, by protocol.
    """
    names = {claim.protocol for claim in claims}
    if {"hindsight", "held-out", "as-printed"} <= names:
        yield (
            f"Of the paper's statements on Figures 1 to 7, {counts(claims, 'as-printed')} with the "
            "algorithms of the authors' scripts; with those of the text and our prior, "
            f"{counts(claims, 'hindsight')} in hindsight, and {counts(claims, 'held-out')} on "
            "fresh seeds."
        )
    lower = {
        (claim.text.split(" on ")[0].removeprefix(f"{ALL_LOWER} "), claim.protocol): claim.number
        for claim in claims
        if claim.text.startswith(ALL_LOWER) and "all games" in claim.text
    }
    if ("MaxInP", "held-out") in lower:
        scripts = lower.get(("MaxInP", "as-printed"))
        theirs = (
            f"; the scripts' MaxIn costs less than their MaxInP on {scripts}" if scripts else ""
        )
        yield (
            f"On fresh seeds the text's MaxIn costs less than DBGD on {lower['DBGD', 'held-out']} "
            f"panels, but less than MaxInP on {lower['MaxInP', 'held-out']}{theirs}."
        )
    if {0.1, 1.0, 10.0} <= set(priors):
        yield (
            "The text fits by maximum likelihood, which has no maximum here, so there is a prior, "
            f"and it decides: on the Elo games MaxIn-Elo ends with a mean RR of {priors[0.1]:.2f} "
            f"if its scale is 0.1 nats, {priors[1.0]:.2f} with 1 nat and {priors[10.0]:.2f} with "
            "10, near maximum likelihood."
        )
    gap = {name: _mean_rr(studies, name) for name in ("hindsight", "held-out", "as-printed")}
    if all(value is not None for value in gap.values()):
        yield (
            "Choosing settings on the seeds that are shown flatters: over the games of Figures 1 "
            f"to 3 the text's MaxIn ends with a mean RR of {gap['hindsight']:.2f} in hindsight and "
            f"{gap['held-out']:.2f} on fresh seeds (the scripts' MaxIn, in hindsight: "
            f"{gap['as-printed']:.2f})."
        )
    if {"hindsight", "as-printed"} <= set(points):
        agree = {
            name: f"{sum(pair.agrees_in_regret for pair in pairs)} of {len(pairs)}"
            for name, pairs in points.items()
        }
        yield (
            f"Of the printed final regrets, {agree['as-printed']} are within 15% of those of the "
            f"scripts' algorithms, and {agree['hindsight']} of those of the text's, on five seeds "
            "as in the paper."
        )


def _mean_rr(studies: Sequence[Study], protocol: str) -> float | None:
    """The final RR of MaxIn, averaged over the games of Figures 1 to 3."""
    found = [
        FINAL_RR.of(line).mean
        for study in studies
        if study.name in ("figure1", "figure2", "figure3")
        for panel in study.panels(protocol)
        if not panel.is_second or protocol == "as-printed"
        for name, line in panel.lines.items()
        if name.startswith("MaxIn-")
    ]
    return float(np.mean(found)) if found else None
