"""Schedulers by name: `maxin:exploration=0.6+melo:dimensions=4` is MaxIn on mElo ratings."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from inspect import signature
from typing import TYPE_CHECKING, Any, Literal, cast

import numpy as np
from numpy.typing import ArrayLike

from maxin import schedulers  # a builder loads its own scheduler, and no other
from maxin.core import InvalidInput
from maxin.core.plugins import Registry
from maxin.core.specs import make, parse
from maxin.ratings import BradleyTerry, Elo, Features, Learner, MElo, Online, RatingModel
from maxin.ratings.base import MOST_EXACT
from maxin.ratings.fitting.features.table import check_features
from maxin.schedulers.base import Scheduler
from maxin.schedulers.names import METHODS, SCHEDULER_NAMES

if TYPE_CHECKING:
    from maxin.schedulers.paper.maxin import Alone

WITH_FEATURES = "top-two, double-thompson, ranking or maxin"
WITH_HALF_LIFE = "top-two, double-thompson, ranking, information or swiss-information"


def make_scheduler(
    text: str,
    n_players: int,
    rng: np.random.Generator,
    known: Mapping[str, Callable[..., Scheduler]] | None = None,
    *,
    features: Features | ArrayLike | None = None,
    half_life: float | None = None,
) -> Scheduler:
    """The scheduler that `text` names, with the ratings named after a `+`, if any.

    Args:
        text: a name of `known`, with options.
        n_players: how many players take part.
        rng: draws whatever the scheduler draws.
        known: builders by name; `SCHEDULERS` by default.
        features: of the players, for `top-two`, `double-thompson` and `ranking`, see `Posterior`;
            or for `maxin`, see `FeaturedMaxIn`.
        half_life: after how many further results one counts half, where there is a posterior.

    >>> rng = np.random.default_rng(0)
    >>> make_scheduler("rg-ucb:delta=0.1+bradley-terry", 10, rng).n_players
    10
    """
    builders = SCHEDULERS if known is None else known
    scheduler, plus, ratings = text.partition("+")
    given: dict[str, Any] = {"ratings": ratings} if plus else {}
    builder = builders.get(parse(scheduler)[0])
    taken = () if builder is None else signature(builder).parameters
    if plus and builder is not None and "ratings" not in taken:
        raise InvalidInput(
            f"{parse(scheduler)[0]} has ratings of its own and takes none after a +; got {text!r}"
        )
    if "features" in taken:
        given["features"] = features
    elif features is not None and builder is not None:
        raise InvalidInput(f"features need one of the schedulers {WITH_FEATURES}; got {text!r}")
    if half_life is not None and builder is not None:
        check_fades(text, n_players, builders)
    if "half_life" in taken:
        given["half_life"] = half_life
    return make(scheduler, builders, "scheduler", n_players=n_players, rng=rng, **given)


def check_fades(
    text: str, n_players: int, known: Mapping[str, Callable[..., Scheduler]] | None = None
) -> None:
    """Raise unless results can fade in the scheduler that `text` names, with so many players.

    >>> check_fades("top-two:k=3", 100)
    >>> check_fades("swiss", 100)
    Traceback (most recent call last):
    maxin.core.errors.InvalidInput: half_life needs one of the schedulers top-two, ...
    """
    builder = (SCHEDULERS if known is None else known)[parse(text.partition("+")[0])[0]]
    if "half_life" not in signature(builder).parameters:
        raise InvalidInput(f"half_life needs one of the schedulers {WITH_HALF_LIFE}; got {text!r}")
    if n_players > MOST_EXACT:
        raise InvalidInput(
            f"half_life needs a field of at most {MOST_EXACT:,} players; got {n_players:,}"
        )


def make_learner(text: str, n_players: int, rng: np.random.Generator) -> Learner:
    """The learner that `text` names."""
    return make(text, LEARNERS, "rating", n_players=n_players, rng=rng)


def build_elo(*, n_players: int, rng: np.random.Generator, step_size: float = 0.5) -> Online:
    """One number per player, updated by one gradient step per match."""
    return Online(Elo(n_players), step_size=step_size, rng=rng)


def build_melo(
    *, n_players: int, rng: np.random.Generator, step_size: float = 0.5, dimensions: int = 8
) -> Online:
    """A rating and cyclic coordinates per player, updated by one gradient step per match."""
    return Online(MElo(n_players, dimensions=dimensions), step_size=step_size, rng=rng)


def build_bradley_terry(
    *, n_players: int, rng: np.random.Generator, prior_scale: float = 1.0
) -> BradleyTerry:
    """The maximum a posteriori fit of all results."""
    return BradleyTerry(n_players, prior_scale=prior_scale)


LEARNERS: dict[str, Callable[..., Learner]] = {
    "elo": build_elo,
    "melo": build_melo,
    "bradley-terry": build_bradley_terry,
}


def build_elo_model(*, n_players: int, prior_scale: float = 1.0) -> Elo:
    """The ratings of MaxIn-Elo."""
    return Elo(n_players, prior_scale=prior_scale)


def build_melo_model(*, n_players: int, prior_scale: float = 1.0, dimensions: int = 8) -> MElo:
    """The ratings of MaxIn-mElo."""
    return MElo(n_players, prior_scale=prior_scale, dimensions=dimensions)


MODELS: Mapping[str, Callable[..., RatingModel]] = {
    "elo": build_elo_model,
    "melo": build_melo_model,
}


def build_top_two(
    *,
    n_players: int,
    rng: np.random.Generator,
    features: Features | ArrayLike | None = None,
    half_life: float | None = None,
    k: int = 1,
    kappa: float = 1.0,
) -> schedulers.TopTwo | schedulers.SieveTopTwo:
    """The most informative match about who belongs to the top `k`; a sieve above 2,000 players."""
    if n_players <= MOST_EXACT or features is not None:
        return schedulers.TopTwo(
            n_players, rng=rng, k=k, kappa=kappa, features=features, half_life=half_life
        )
    return schedulers.SieveTopTwo(n_players, rng=rng, k=k, kappa=kappa)


def build_double_thompson(
    *,
    n_players: int,
    rng: np.random.Generator,
    features: Features | ArrayLike | None = None,
    half_life: float | None = None,
    kappa: float = 1.0,
    alone: str = "rival",
) -> schedulers.DoubleThompson:
    """Matches between the best players, for the least regret."""
    one = cast(Literal["rival", "self"], alone)
    return schedulers.DoubleThompson(
        n_players, rng=rng, kappa=kappa, features=features, half_life=half_life, alone=one
    )


def build_ranking(
    *,
    n_players: int,
    rng: np.random.Generator,
    features: Features | ArrayLike | None = None,
    half_life: float | None = None,
    kappa: float = 1.0,
) -> schedulers.Ranking:
    """The most informative match about the order of all players."""
    return schedulers.Ranking(
        n_players, rng=rng, kappa=kappa, features=features, half_life=half_life
    )


def build_maxin(
    *,
    n_players: int,
    rng: np.random.Generator,
    features: Features | ArrayLike | None = None,
    ratings: str = "elo",
    exploration: float = 1.0,
    step_size: float = 1.0,
    batch_size: int | None = None,
    alone: str = "rival",
) -> schedulers.MaxIn:
    """The least compared pair of candidates, with ratings learnt in batches: the paper's MaxIn."""
    model = make(ratings, MODELS, "rating model of maxin", n_players=n_players)
    if features is not None:
        if not isinstance(model, Elo) or isinstance(model, MElo):
            raise InvalidInput(f"with features, maxin works with elo ratings only; got {ratings!r}")
        return schedulers.FeaturedMaxIn(
            check_features(features, n_players),
            rng=rng,
            prior_scale=model.prior_scale,
            exploration=exploration,
            batch_size=batch_size,
            step_size=step_size,
            alone=cast("Alone", alone),
        )
    return schedulers.MaxIn(
        model,
        exploration=exploration,
        batch_size=batch_size,
        step_size=step_size,
        rng=rng,
        alone=cast("Alone", alone),
    )


def build_maxinp(
    *,
    n_players: int,
    rng: np.random.Generator,
    ratings: str = "bradley-terry",
    exploration: float = 1.0,
    batch_size: int | None = None,
    alone: str = "rival",
) -> schedulers.MaxInP:
    """The least compared pair of candidates, with ratings fitted to all results every round."""
    fit = make_learner(ratings, n_players, rng)
    if not isinstance(fit, BradleyTerry):
        raise InvalidInput(f"maxinp works with bradley-terry ratings only; got {ratings!r}")
    return schedulers.MaxInP(
        n_players,
        exploration=exploration,
        batch_size=batch_size,
        rng=rng,
        prior_scale=fit.prior_scale,
        alone=cast("Alone", alone),
    )


def build_random(
    *, n_players: int, rng: np.random.Generator, ratings: str = "elo"
) -> schedulers.Random:
    """A pair drawn uniformly at random."""
    return schedulers.Random(make_learner(ratings, n_players, rng), rng=rng)


def build_rg_ucb(
    *, n_players: int, rng: np.random.Generator, ratings: str = "elo", delta: float = 0.2
) -> schedulers.RGUCB:
    """A random pair among those whose better player is still uncertain."""
    return schedulers.RGUCB(make_learner(ratings, n_players, rng), rng=rng, delta=delta)


def build_dbgd(
    *, n_players: int, rng: np.random.Generator, ratings: str = "elo"
) -> schedulers.DBGD:
    """The champion against a random opponent; the winner stays."""
    return schedulers.DBGD(make_learner(ratings, n_players, rng), rng=rng)


def build_alpha_ig(*, n_players: int, rng: np.random.Generator) -> schedulers.AlphaIG:
    """The most informative match about the alpha-rank; for a handful of players."""
    return schedulers.AlphaIG(n_players, rng=rng)


def build_round_robin(
    *,
    n_players: int,
    rng: np.random.Generator,
    ratings: str = "bradley-terry",
    cycles: int | None = 1,
) -> schedulers.RoundRobin:
    """Every pair in turn."""
    return schedulers.RoundRobin(make_learner(ratings, n_players, rng), rng=rng, cycles=cycles)


def build_knockout(
    *,
    n_players: int,
    rng: np.random.Generator,
    ratings: str = "bradley-terry",
    cycles: int | None = 1,
) -> schedulers.Knockout:
    """Single elimination: the loser is out."""
    return schedulers.Knockout(make_learner(ratings, n_players, rng), rng=rng, cycles=cycles)


def build_swiss(*, n_players: int, rng: np.random.Generator) -> schedulers.Swiss:
    """Players of equal score, round by round; no rematch while one can be avoided."""
    return schedulers.Swiss(n_players, rng=rng)


def build_information(
    *, n_players: int, rng: np.random.Generator, half_life: float | None = None
) -> schedulers.Information:
    """A tree of the most informative matches about all ratings per batch: ASAP."""
    return schedulers.Information(n_players, rng=rng, half_life=half_life)


def build_swiss_information(
    *, n_players: int, rng: np.random.Generator, half_life: float | None = None
) -> schedulers.SwissInformation:
    """Everyone once per round, in informative pairs."""
    return schedulers.SwissInformation(n_players, rng=rng, half_life=half_life)


def build_halving(
    *, n_players: int, rng: np.random.Generator, budget: int | None = None
) -> schedulers.Halving:
    """Leagues in which the weaker half is dropped again and again."""
    return schedulers.Halving(n_players, rng=rng, budget=budget)


def build_gauntlet(
    *, n_players: int, rng: np.random.Generator, who: str = "first", size: int = 1
) -> schedulers.Gauntlet:
    """The first or last players of the field against all others."""
    return schedulers.Gauntlet(
        n_players, rng=rng, who=cast(Literal["first", "last"], who), size=size
    )


# The builder of `top-two` is `build_top_two`.
SCHEDULERS = Registry[Scheduler](
    "maxin.schedulers",
    {name: globals()[f"build_{name.replace('-', '_')}"] for name in SCHEDULER_NAMES},
    METHODS,
)
