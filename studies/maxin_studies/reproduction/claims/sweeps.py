"""Claims about the dimension 2k of mElo and the batch size tau."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

import numpy as np

from maxin_studies.estimates import Estimate
from maxin_studies.reproduction.claims.base import Claim, Panel, Part, Study, claim_over
from maxin_studies.reproduction.claims.measures import (
    LATE_RR,
    REGRET,
    Array,
    Measure,
    against,
    best_of,
    slope_text,
)
from maxin_studies.reproduction.grids import DIMENSIONS

BASIS = {"late RR": "mean RR over the second half", "final regret": "final regret"}
AROUND = {  # the values of tau that the paper calls good, by game
    "Elo game": ("0.5 n to 1 n", ("0.5", "0.7", "0.9", "1")),
    "Kuhn-poker": ("about 0.7 n (0.5 n to 0.9 n)", ("0.5", "0.7", "0.9")),
}
TOO_LARGE = ("4", "8")


def dimension(study: Study, protocol: str) -> Iterator[Claim]:
    """The statements about 2k, which the authors' scripts vary on Kuhn-poker."""
    for panel in study.panels(protocol):
        for measure in (LATE_RR, REGRET):
            runs = {name: measure.values(line) for name, line in panel.lines.items()}
            values = {name: Estimate.on_same_seeds(run) for name, run in runs.items()}
            basis = BASIS[measure.name]
            best = best_of(panel.label, values, ["2k = 8"], measure)
            yield from claim_over("s.805", protocol, f"2k = 8 is best ({basis})", [best])
            text = f"Performance increases with 2k up to 8 (slope per step of 2k; {basis})"
            yield from claim_over("s.805", protocol, text, [_improves(panel.label, runs, measure)])
            wide, eight = values["2k = 16"], values["2k = 8"]
            numbers = against("2k = 8", eight, "2k = 16", wide)
            drop = Part(measure.is_better(eight, wide), panel.label, numbers)
            text = f"Performance drops at 2k = 16 ({basis})"
            yield from claim_over("s.805", protocol, text, [drop])


def _improves(where: str, runs: Mapping[str, Array], measure: Measure) -> Part:
    """Whether a measure improves from each 2k to the next, up to 8, by the slope per run."""
    values = np.array([runs[f"2k = {size}"] for size in DIMENSIONS if size <= 8])
    slope = Estimate.of(np.polyfit(np.arange(len(values)), values, 1)[0])
    flat = Estimate(0.0, 0.0, slope.n_seeds)
    return Part(measure.is_better(slope, flat), where, slope_text(slope))


def batch(study: Study, protocol: str) -> Iterator[Claim]:
    """The statements about tau, by RR and by regret."""
    for panel in study.panels(protocol, list(AROUND)):
        where, shares = AROUND[panel.game.name]
        good = [_line(share) for share in shares]
        for measure in (LATE_RR, REGRET):
            basis = BASIS[measure.name]
            values = {name: measure.of(line) for name, line in panel.lines.items()}
            text = f"On {panel.label}, tau = 1 is worse than a tau of {where}, by {basis}"
            yield from _worse(protocol, text, panel, measure, ["tau = 1"], good)
            text = (
                f"On {panel.label}, tau = 4 n and 8 n are worse than a tau of {where}, by {basis}"
            )
            large = [_line(share) for share in TOO_LARGE]
            yield from _worse(protocol, text, panel, measure, large, good)
            best = best_of(panel.label, values, good, measure)
            text = f"On {panel.label}, a tau of {where} is best, by {basis}"
            yield from claim_over("s.808", protocol, text, [best])


def _line(share: str) -> str:
    """The name of the line of a share of n."""
    return f"tau = {share} n"


def _worse(
    protocol: str,
    text: str,
    panel: Panel,
    measure: Measure,
    bad: Sequence[str],
    good: Sequence[str],
) -> Iterator[Claim]:
    """Whether the best of the `good` lines is better than every one of the `bad`."""
    values = {name: measure.of(panel.lines[name]) for name in (*good, *bad)}
    best = measure.best({name: values[name] for name in good})
    parts = [
        Part(
            measure.is_better(values[best], values[name]),
            name,
            f"{values[name]} against {best}: {values[best]}",
        )
        for name in bad
    ]
    yield from claim_over("s.808", protocol, text, parts)
