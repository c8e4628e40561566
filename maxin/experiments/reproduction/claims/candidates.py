"""Claims about S, the players who may still be the best: that it shrinks to {x*}."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence

from maxin.experiments.reproduction.claims.base import (
    Claim,
    Panel,
    Part,
    claim_over,
    in_every_run,
)
from maxin.experiments.reproduction.runs import RunCurves

STILL = 1e-3  # nats; curves are stored in single precision


def candidate_claims(
    place: str, protocol: str, algorithm: str, panels: Sequence[Panel]
) -> Iterator[Claim]:
    """Whether S has one player at the end of every run, whether x* is in it, and both."""
    for text, is_so in (
        ("S has one player", lambda run: run.n_candidates == 1),
        ("x* is in S", lambda run: run.keeps_best),
        ("S = {x*}", lambda run: run.n_candidates == 1 and run.keeps_best),
    ):
        parts = [_counted(panel, algorithm, is_so) for panel in panels]
        text = f"{text} at the end of every run of {algorithm}"
        yield from claim_over(place, protocol, text, parts)


def _counted(panel: Panel, algorithm: str, is_so: Callable[[RunCurves], bool]) -> Part:
    found = [is_so(run) for run in panel.lines[algorithm].outcomes]
    return Part(in_every_run(found), panel.label, f"{sum(found)} of {len(found)} runs")


def no_growth(
    place: str, protocol: str, algorithm: str, panels: Sequence[Panel]
) -> Iterator[Claim]:
    """Whether regret stands still once S has one player; it does not if that is not x*."""
    pooled: list[bool] = []
    shown = []
    for panel in panels:
        alone = [run for run in panel.lines[algorithm].outcomes if run.n_candidates == 1]
        still = [bool(run.regret[-1] - run.regret[-2] <= STILL) for run in alone]
        pooled += still
        if still:
            shown.append(f"{panel.label} {sum(still)} of {len(still)}")
    text = (
        f"{algorithm}'s regret no longer grows in runs that end with one player in S (none "
        "between the last two readings)"
    )
    numbers = ", ".join(shown) or "none of them ended so"
    part = Part(in_every_run(pooled), "Runs", numbers)
    yield from claim_over(place, protocol, text, [part] if panels else [])
