"""Claims about the k best players and the exploration gamma: Figure 4 and the gamma sweep."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np

from maxin_studies.estimates import Estimate
from maxin_studies.reproduction.claims.base import (
    Claim,
    Panel,
    Part,
    Study,
    all_hold,
    claim_over,
    most_hold,
)
from maxin_studies.reproduction.claims.measures import (
    KEEPS_BEST,
    N_CANDIDATES,
    TOP_1,
    TOP_K,
    Measure,
    against,
    best_of,
    leads,
    slope_text,
)
from maxin_studies.reproduction.claims.top_one import REACH_ONE
from maxin_studies.reproduction.grids import EXPLORATIONS

COMPARABLE = 0.05  # a mean over k at most this much below the best is comparable to it
OVER_K = "hit ratio@k and NDCG@k, mean over k = 1 to 10"
FIVE_GAMES = (*REACH_ONE, "Elo game + noise=0.1")  # Elo game, its three variants, Triangular game
FIVE = "Elo game, its three variants and Triangular game"


def figure4(study: Study, protocol: str) -> Iterator[Claim]:
    """The statements about top-k identification at the best gamma."""
    panels = study.panels(protocol)
    parts = [leads(panel, "MaxIn-Elo", TOP_1, ties=True) for panel in panels]
    text = "MaxIn-Elo is best at top-1 on all games (hit ratio@1; 1 in every run counts)"
    yield from claim_over("s.587", protocol, text, parts)
    text = (
        f"MaxIn-Elo is comparable at top-k on most games (at most {COMPARABLE} below the best "
        f"baseline; {OVER_K})"
    )
    parts = [_is_comparable(panel) for panel in panels]
    yield from claim_over("s.587", protocol, text, parts, most_hold)


def _is_comparable(panel: Panel) -> Part:
    values = {name: TOP_K.of(line) for name, line in panel.lines.items()}
    ours = values.pop("MaxIn-Elo")
    rival = TOP_K.best(values)
    holds = ours.is_above(values[rival].changed(plus=-COMPARABLE))
    return Part(holds, panel.label, against("MaxIn-Elo", ours, rival, values[rival]))


def exploration(study: Study, protocol: str) -> Iterator[Claim]:
    """The statements about gamma, by the final ratings and candidates of each value of it."""
    yield from _candidates(study, protocol)
    yield from _five_games(study, protocol)
    yield from _up_to_one(study, protocol)
    yield from _elo_game(study, protocol)
    transitive = study.panels(protocol, ["Transitive game"])
    text = "On Transitive game, gamma = 0.4 is best at top-1 (hit ratio@1; 1 in every run counts)"
    yield from _best_gamma(protocol, text, transitive, 0.4, TOP_1)
    text = f"On Transitive game, gamma = 0.4 is best at top-k ({OVER_K})"
    yield from _best_gamma(protocol, text, transitive, 0.4, TOP_K)


def _candidates(study: Study, protocol: str) -> Iterator[Claim]:
    """What larger and smaller values of gamma do to S and to top-k, on all games."""
    panels = study.panels(protocol)
    text = f"A larger gamma gives a better top-k performance on most games (slope; {OVER_K})"
    parts = [_rises(panel, TOP_K) for panel in panels]
    yield from claim_over("s.585", protocol, text, parts, most_hold)
    text = "A smaller gamma leaves fewer candidates (slope of |S| at the end in gamma)"
    parts = [_rises(panel, N_CANDIDATES) for panel in panels]
    yield from claim_over("s.800", protocol, text, parts)
    text = "A gamma of at most 0.4 excludes x* from S more often than a larger one"
    parts = [_excludes(panel) for panel in panels]
    yield from claim_over("s.800", protocol, text, parts, most_hold)


def _up_to_one(study: Study, protocol: str) -> Iterator[Claim]:
    """That top-k is best near gamma = 1, on most games."""
    panels = study.panels(protocol)
    text = (
        "A larger gamma gives a better top-k performance on most games up to gamma = 1 (slope; "
        f"{OVER_K})"
    )
    parts = [_rises(panel, TOP_K, most=1.0) for panel in panels]
    yield from claim_over("s.802", protocol, text, parts, most_hold)
    text = f"gamma = 1.2 is worse at top-k than gamma = 1 on most games ({OVER_K})"
    parts = [_exceeds(panel, 1.0, 1.2, TOP_K) for panel in panels]
    yield from claim_over("s.802", protocol, text, parts, most_hold)


def _five_games(study: Study, protocol: str) -> Iterator[Claim]:
    panels = study.panels(protocol, FIVE_GAMES)
    text = f"gamma = 0.6 is best at top-1 on {FIVE} (hit ratio@1; 1 in every run counts)"
    yield from _best_gamma(protocol, text, panels, 0.6, TOP_1, place="s.801")
    text = f"Top-1 drops as gamma increases from 0.6 on {FIVE} (slope of hit ratio@1)"
    parts = [_falls(panel, TOP_1, least=0.6) for panel in panels]
    yield from claim_over("s.801", protocol, text, parts)
    text = f"gamma = 0.4 misidentifies the best player on {FIVE} (hit ratio@1 below gamma = 0.6)"
    parts = [_exceeds(panel, 0.6, 0.4, TOP_1) for panel in panels]
    yield from claim_over("s.801", protocol, text, parts)


def _elo_game(study: Study, protocol: str) -> Iterator[Claim]:
    panels = study.panels(protocol, ["Elo game"])
    text = "On Elo game, gamma = 0.6 is best at top-1 (hit ratio@1; 1 in every run counts)"
    yield from _best_gamma(protocol, text, panels, 0.6, TOP_1)
    text = f"On Elo game, gamma = 1 is best at top-k ({OVER_K})"
    yield from _best_gamma(protocol, text, panels, 1.0, TOP_K)
    parts = []
    for panel in panels:
        first, wide = _exceeds(panel, 0.8, 1.0, TOP_1), _exceeds(panel, 0.8, 0.6, TOP_K)
        numbers = f"top-1: {first.numbers}; top-k: {wide.numbers}"
        parts.append(Part(all_hold([first.holds, wide.holds]), panel.label, numbers))
    text = (
        "On Elo game, gamma = 0.8 balances top-1 and top-k (above gamma = 1 in hit ratio@1, and "
        "above gamma = 0.6 in the mean over k)"
    )
    yield from claim_over("s.802", protocol, text, parts)


def _best_gamma(
    protocol: str,
    text: str,
    panels: Sequence[Panel],
    gamma: float,
    measure: Measure,
    place: str = "s.802",
) -> Iterator[Claim]:
    parts = [
        best_of(
            panel.label,
            {name: measure.of(line) for name, line in panel.lines.items()},
            [_line(gamma)],
            measure,
            ties=measure is TOP_1,
        )
        for panel in panels
    ]
    yield from claim_over(place, protocol, text, parts)


def _line(gamma: float) -> str:
    """The name of the line of a gamma."""
    return f"gamma = {gamma:g}"


def _exceeds(panel: Panel, one: float, other: float, measure: Measure) -> Part:
    """Whether the line of one gamma is above that of another."""
    here, there = (measure.of(panel.lines[_line(gamma)]) for gamma in (one, other))
    numbers = against(_line(one), here, _line(other), there)
    return Part(here.is_above(there), panel.label, numbers)


def _slope(panel: Panel, measure: Measure, least: float, most: float) -> Estimate:
    """The slope of a measure in gamma, fitted per run by least squares."""
    gammas = [g for g in EXPLORATIONS if least <= g <= most and _line(g) in panel.lines]
    values = [measure.values(panel.lines[_line(gamma)]) for gamma in gammas]
    return Estimate.of(np.polyfit(gammas, np.array(values), 1)[0])


def _rises(panel: Panel, measure: Measure, most: float = EXPLORATIONS[-1]) -> Part:
    slope = _slope(panel, measure, EXPLORATIONS[0], most)
    return Part(slope.is_above(Estimate(0.0, 0.0, slope.n_seeds)), panel.label, slope_text(slope))


def _falls(panel: Panel, measure: Measure, least: float) -> Part:
    slope = _slope(panel, measure, least, EXPLORATIONS[-1])
    return Part(Estimate(0.0, 0.0, slope.n_seeds).is_above(slope), panel.label, slope_text(slope))


def _excludes(panel: Panel) -> Part:
    """Whether x* is in S more rarely at gamma of at most 0.4 than at larger ones."""
    shares = []
    for gammas in ([g for g in EXPLORATIONS if g <= 0.4], [g for g in EXPLORATIONS if g > 0.4]):
        kept = [KEEPS_BEST.values(panel.lines[_line(gamma)]) for gamma in gammas]
        shares.append(Estimate.on_same_seeds(1.0 - np.mean(kept, axis=0)))
    small, large = shares
    numbers = f"{small} of the runs against {large}"
    return Part(small.is_above(large), panel.label, numbers)
