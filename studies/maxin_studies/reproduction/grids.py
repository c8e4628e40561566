"""The lines of the figures: algorithms with the settings they are tuned over."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

STEP_SIZES = (0.01, 0.05, 0.1, 0.5, 1.0, 5.0, 10.0)  # eta
EXPLORATIONS = tuple(round(0.2 * k, 1) for k in range(1, 11))  # gamma
# tau / n, in addition to tau = 1. The text names 0.5 to 1, 4 and 8; the others are ours.
BATCHES = (0.1, 0.3, 0.5, 0.7, 0.9, 1.0, 2.0, 4.0, 8.0)
DIMENSIONS = (0, 2, 4, 8, 16)  # 2k; the text names 8 and 16, the others are ours


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


PRINTED_STEP_SIZES = STEP_SIZES[:-1]  # eta in the authors' scripts, up to 5
DIVISORS = (1, 3, 5)  # delta there: the first fit is divided by delta times its largest value


def printed_settings(ratings: str, changes: str = "") -> tuple[str, ...]:
    """MaxIn as in the authors' scripts, over their grid of gamma, eta and delta.

    >>> len(printed_settings("elo")), printed_settings("elo")[0]
    (180, 'printed-maxin:exploration=0.2,step_size=0.01,divisor=1+elo')
    """
    divisors = (0,) if "divisor=0" in changes else DIVISORS
    tail = changes.replace(",divisor=0", "")
    return tuple(
        f"printed-maxin:exploration={gamma:g},step_size={eta:g},divisor={divisor}{tail}+{ratings}"
        for gamma in EXPLORATIONS
        for eta in PRINTED_STEP_SIZES
        for divisor in divisors
    )


def printed_algorithms(ratings: str, maxin_name: str) -> tuple[Algorithm, ...]:
    """The five lines of Figures 2 and 3 as in the authors' scripts."""
    maxin_ratings = "melo:dimensions=8" if ratings == "melo" else ratings
    maxinp = tuple(f"printed-maxinp:exploration={gamma:g}" for gamma in EXPLORATIONS)
    baselines = [
        replace(line, settings=line.settings[: len(PRINTED_STEP_SIZES)])
        for line in algorithms(ratings, maxin_name)[:3]
    ]
    return (
        *baselines,
        Algorithm("MaxInP", maxinp),
        Algorithm(maxin_name, printed_settings(maxin_ratings)),
    )


EXTRAS = (
    Algorithm("Random + MAP fit", ("random+bradley-terry",)),
    Algorithm("Round robin", ("round-robin:cycles=none+bradley-terry",)),
    Algorithm("Knockout", ("knockout:cycles=none+bradley-terry",)),
)
EXTRA_NAMES = tuple(line.name for line in EXTRAS)


def exploration_lines() -> tuple[Algorithm, ...]:
    """One line per gamma of MaxIn-Elo."""
    return tuple(
        Algorithm(f"gamma = {gamma:g}", maxin_settings("elo", explorations=(gamma,)))
        for gamma in EXPLORATIONS
    )


def dimension_lines() -> tuple[Algorithm, ...]:
    """One line per 2k of MaxIn-mElo."""
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


ALPHA_IG = Algorithm("alpha-IG", ("alpha-ig",))
