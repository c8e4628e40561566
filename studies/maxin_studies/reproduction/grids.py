"""The lines of the figures: algorithms with the settings they are tuned over."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from maxin_studies.reproduction.printed.script_schedulers import printed_batch_size

STEP_SIZES = (0.01, 0.05, 0.1, 0.5, 1.0, 5.0, 10.0)  # eta
EXPLORATIONS = tuple(round(0.2 * k, 1) for k in range(1, 11))  # gamma
# tau / n, in addition to tau = 1. The text names 0.5 to 1, 4 and 8, the authors' scripts the rest.
BATCHES = (0.1, 0.3, 0.5, 0.7, 0.9, 1.0, 2.0, 4.0, 8.0)
DIMENSIONS = (0, 2, 4, 8, 16)  # 2k; the text names 8 and 16, the authors' scripts 0, 2 and 4
# Standard deviations of the prior of a fit, in nats. The text has no prior, so all are ours; a
# setting that names none has 1 nat.
PRIORS = (1.0, 0.1, 0.3, 3.0, 10.0)
SWEPT_PRIORS = (1.0,)  # of the sweeps over 2k and tau, which have many settings without it


@dataclass(frozen=True)
class Algorithm:
    """A line of a figure: its name, and the settings it is tuned over."""

    name: str
    settings: tuple[str, ...]

    def at_prior(self, scale: float) -> Algorithm:
        """The line with one scale of the prior; the same if it has no prior.

        >>> Algorithm("x", ("a+elo", "a+elo:prior_scale=0.1")).at_prior(0.1).settings
        ('a+elo:prior_scale=0.1',)
        """
        kept = tuple(one for one in self.settings if prior_of(one) == scale)
        return replace(self, settings=kept) if kept else self


def prior_of(setting: str) -> float:
    """The scale of the prior of a setting.

    >>> prior_of("maxinp+bradley-terry:prior_scale=0.3"), prior_of("maxinp")
    (0.3, 1.0)
    """
    return float(setting.partition("prior_scale=")[2] or 1.0)


def _with_prior(setting: str, scale: float) -> str:
    """A setting with a scale of the prior, which comes last; 1 nat is not named."""
    mark = "," if ":" in setting.partition("+")[2] else ":"
    return setting if scale == 1.0 else f"{setting}{mark}prior_scale={scale:g}"


def _tuned_by_step(name: str, scheduler: str, ratings: str) -> Algorithm:
    return Algorithm(name, tuple(f"{scheduler}+{ratings}:step_size={eta:g}" for eta in STEP_SIZES))


def maxin_settings(
    ratings: str,
    step_sizes: Sequence[float] = STEP_SIZES,
    explorations: Sequence[float] = EXPLORATIONS,
    batch: str = "",
    priors: Sequence[float] = PRIORS,
) -> tuple[str, ...]:
    """MaxIn over a grid of gamma, eta and our prior; a lone candidate plays itself, as in print.

    >>> maxin_settings("elo", [0.5], [1.0], priors=[1.0, 0.1])[1]
    'maxin:exploration=1,step_size=0.5,alone=self+elo:prior_scale=0.1'
    """
    plain = [
        f"maxin:exploration={gamma:g},step_size={eta:g}{batch},alone=self+{ratings}"
        for gamma in explorations
        for eta in step_sizes
    ]
    return tuple(_with_prior(setting, scale) for scale in priors for setting in plain)


def algorithms(ratings: str, maxin_name: str) -> tuple[Algorithm, ...]:
    """The five lines of Figures 2 and 3, on Elo or mElo ratings (MaxInP always on Elo)."""
    maxin_ratings = "melo:dimensions=8" if ratings == "melo" else ratings
    plain = [f"maxinp:exploration={gamma:g},alone=self" for gamma in EXPLORATIONS]
    named = [f"{setting}+bradley-terry" for setting in plain]
    maxinp = (*plain, *(_with_prior(one, scale) for scale in PRIORS[1:] for one in named))
    return (
        _tuned_by_step("Random", "random", ratings),
        _tuned_by_step("RG-UCB", "rg-ucb", ratings),
        _tuned_by_step("DBGD", "dbgd", ratings),
        Algorithm("MaxInP", maxinp),
        Algorithm(maxin_name, maxin_settings(maxin_ratings)),
    )


PRINTED_STEP_SIZES = STEP_SIZES[:-1]  # eta in the authors' scripts, up to 5
DIVISORS = (1, 3, 5)  # delta there: the first fit is divided by delta times its largest value


def printed_settings(
    ratings: str,
    changes: str = "",
    explorations: Sequence[float] = EXPLORATIONS,
) -> tuple[str, ...]:
    """MaxIn as in the authors' scripts, over their grid of gamma, eta and delta.

    >>> len(printed_settings("elo")), printed_settings("elo")[0]
    (180, 'printed-maxin:exploration=0.2,step_size=0.01,divisor=1+elo')
    """
    divisors = (0,) if "divisor=0" in changes else DIVISORS
    tail = changes.replace(",divisor=0", "")
    return tuple(
        f"printed-maxin:exploration={gamma:g},step_size={eta:g},divisor={divisor}{tail}+{ratings}"
        for gamma in explorations
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


def printed_exploration_lines() -> tuple[Algorithm, ...]:
    """One line per gamma of the scripts' MaxIn-Elo."""
    return tuple(
        Algorithm(f"gamma = {gamma:g}", printed_settings("elo", explorations=(gamma,)))
        for gamma in EXPLORATIONS
    )


def dimension_lines() -> tuple[Algorithm, ...]:
    """One line per 2k of MaxIn-mElo."""
    return tuple(
        Algorithm(f"2k = {k}", maxin_settings(f"melo:dimensions={k}", priors=SWEPT_PRIORS))
        for k in DIMENSIONS
    )


def printed_dimension_lines() -> tuple[Algorithm, ...]:
    """One line per 2k of the scripts' MaxIn-mElo."""
    return tuple(
        Algorithm(f"2k = {k}", printed_settings(f"melo:dimensions={k}")) for k in DIMENSIONS
    )


def batch_lines(ratings: str, n_players: int) -> tuple[Algorithm, ...]:
    """One line per batch size: tau = 1 and the paper's multiples of n.

    >>> [line.name for line in batch_lines("elo", 100)][:2]
    ['tau = 1', 'tau = 0.1 n']
    """
    sizes = {"tau = 1": 1} | {_batch(share): max(1, round(share * n_players)) for share in BATCHES}
    return tuple(
        Algorithm(name, maxin_settings(ratings, batch=f",batch_size={size}", priors=SWEPT_PRIORS))
        for name, size in sizes.items()
    )


def printed_batch_lines(ratings: str, n_players: int) -> tuple[Algorithm, ...]:
    """The same for the scripts' MaxIn, where a share of n is rounded down."""
    sizes = {"tau = 1": 1} | {
        _batch(share): printed_batch_size(n_players, share) for share in BATCHES
    }
    return tuple(
        Algorithm(name, printed_settings(ratings, f",batch_size={size}"))
        for name, size in sizes.items()
    )


def _batch(share: float) -> str:
    return f"tau = {share:g} n"


ALPHA_IG = Algorithm("alpha-IG", ("alpha-ig",))
