"""Schedulers by name: `maxin:exploration=0.6+melo:dimensions=4` is MaxIn on mElo ratings."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from inspect import signature
from typing import Literal, cast

import numpy as np

from maxin.core import InvalidInput
from maxin.core.specs import make, parse
from maxin.ratings import BradleyTerry, Elo, Learner, MElo, Online, RatingModel
from maxin.schedulers.base import Scheduler
from maxin.schedulers.knockout import Knockout
from maxin.schedulers.paper.alpha_ig import AlphaIG
from maxin.schedulers.paper.dbgd import DBGD
from maxin.schedulers.paper.maxin import Alone, MaxIn
from maxin.schedulers.paper.maxinp import MaxInP
from maxin.schedulers.paper.rg_ucb import RGUCB
from maxin.schedulers.posterior.double_thompson import DoubleThompson
from maxin.schedulers.posterior.ranking import Ranking
from maxin.schedulers.posterior.top_two import TopTwo
from maxin.schedulers.random import Random
from maxin.schedulers.round_robin import RoundRobin


def make_scheduler(text: str, n_players: int, rng: np.random.Generator) -> Scheduler:
    """The scheduler that `text` names, on the ratings named after a `+`, if any.

    >>> rng = np.random.default_rng(0)
    >>> make_scheduler("rg-ucb:delta=0.1+bradley-terry", 10, rng).n_players
    10
    """
    scheduler, plus, ratings = text.partition("+")
    given = {"ratings": ratings} if plus else {}
    builder = SCHEDULERS.get(parse(scheduler)[0])
    if plus and builder is not None and "ratings" not in signature(builder).parameters:
        raise InvalidInput(f"{parse(scheduler)[0]} has ratings of its own; got {text!r}")
    return make(scheduler, SCHEDULERS, "scheduler", n_players=n_players, rng=rng, **given)


def make_learner(text: str, n_players: int, rng: np.random.Generator) -> Learner:
    """The learner that `text` names.

    >>> make_learner("melo:dimensions=4", 10, np.random.default_rng(0)).ratings().shape
    (10,)
    """
    return make(text, LEARNERS, "rating", n_players=n_players, rng=rng)


def elo(*, n_players: int, rng: np.random.Generator, step_size: float = 0.5) -> Online:
    """One number per player, a gradient step a match."""
    return Online(Elo(n_players), step_size=step_size, rng=rng)


def melo(
    *, n_players: int, rng: np.random.Generator, step_size: float = 0.5, dimensions: int = 8
) -> Online:
    """A rating and cyclic coordinates per player, a gradient step a match."""
    return Online(MElo(n_players, dimensions=dimensions), step_size=step_size, rng=rng)


def bradley_terry(
    *, n_players: int, rng: np.random.Generator, prior_scale: float = 1.0
) -> BradleyTerry:
    """The maximum a posteriori fit of all matches."""
    return BradleyTerry(n_players, prior_scale=prior_scale)


LEARNERS: dict[str, Callable[..., Learner]] = {
    "elo": elo,
    "melo": melo,
    "bradley-terry": bradley_terry,
}


def elo_model(*, n_players: int, prior_scale: float = 1.0) -> Elo:
    """MaxIn-Elo."""
    return Elo(n_players, prior_scale=prior_scale)


def melo_model(*, n_players: int, prior_scale: float = 1.0, dimensions: int = 8) -> MElo:
    """MaxIn-mElo."""
    return MElo(n_players, prior_scale=prior_scale, dimensions=dimensions)


MODELS: Mapping[str, Callable[..., RatingModel]] = {"elo": elo_model, "melo": melo_model}


def top_two(*, n_players: int, rng: np.random.Generator, k: int = 1, kappa: float = 1.0) -> TopTwo:
    """What tells most about two who may be best; `k` of them are sought."""
    return TopTwo(n_players, rng=rng, k=k, kappa=kappa)


def double_thompson(
    *, n_players: int, rng: np.random.Generator, kappa: float = 1.0, alone: str = "rival"
) -> DoubleThompson:
    """Few and good matches, for least regret."""
    one = cast(Literal["rival", "self"], alone)
    return DoubleThompson(n_players, rng=rng, kappa=kappa, alone=one)


def ranking(*, n_players: int, rng: np.random.Generator, kappa: float = 1.0) -> Ranking:
    """What rights the whole order soonest."""
    return Ranking(n_players, rng=rng, kappa=kappa)


def maxin(
    *,
    n_players: int,
    rng: np.random.Generator,
    ratings: str = "elo",
    exploration: float = 1.0,
    step_size: float = 1.0,
    batch_size: int | None = None,
    alone: str = "rival",
) -> MaxIn:
    """The widest pair of candidates, on ratings learnt batch by batch: the paper's algorithm."""
    return MaxIn(
        make(ratings, MODELS, "rating model of maxin", n_players=n_players),
        exploration=exploration,
        batch_size=batch_size,
        step_size=step_size,
        rng=rng,
        alone=cast(Alone, alone),
    )


def maxinp(
    *,
    n_players: int,
    rng: np.random.Generator,
    ratings: str = "bradley-terry",
    exploration: float = 1.0,
    batch_size: int | None = None,
    alone: str = "rival",
) -> MaxInP:
    """The widest pair of candidates, on ratings fitted to the whole history every round."""
    fit = make_learner(ratings, n_players, rng)
    if not isinstance(fit, BradleyTerry):
        raise InvalidInput(f"maxinp fits bradley-terry ratings only; got {ratings!r}")
    return MaxInP(
        n_players,
        exploration=exploration,
        batch_size=batch_size,
        rng=rng,
        prior_scale=fit.prior_scale,
        alone=cast(Alone, alone),
    )


def random(*, n_players: int, rng: np.random.Generator, ratings: str = "elo") -> Random:
    """Any pair, each as likely."""
    return Random(make_learner(ratings, n_players, rng), rng=rng)


def rg_ucb(
    *, n_players: int, rng: np.random.Generator, ratings: str = "elo", delta: float = 0.2
) -> RGUCB:
    """Any pair whose better player is not yet sure."""
    return RGUCB(make_learner(ratings, n_players, rng), rng=rng, delta=delta)


def dbgd(*, n_players: int, rng: np.random.Generator, ratings: str = "elo") -> DBGD:
    """The winner stays, and meets anybody."""
    return DBGD(make_learner(ratings, n_players, rng), rng=rng)


def alpha_ig(*, n_players: int, rng: np.random.Generator, ratings: str = "elo") -> AlphaIG:
    """The match expected to tell most about the alpha-rank; for a handful of players."""
    return AlphaIG(make_learner(ratings, n_players, rng), rng=rng)


def round_robin(
    *,
    n_players: int,
    rng: np.random.Generator,
    ratings: str = "bradley-terry",
    cycles: int | None = 1,
) -> RoundRobin:
    """Everyone meets everyone."""
    return RoundRobin(make_learner(ratings, n_players, rng), rng=rng, cycles=cycles)


def knockout(
    *,
    n_players: int,
    rng: np.random.Generator,
    ratings: str = "bradley-terry",
    cycles: int | None = 1,
) -> Knockout:
    """The loser goes home."""
    return Knockout(make_learner(ratings, n_players, rng), rng=rng, cycles=cycles)


SCHEDULERS: dict[str, Callable[..., Scheduler]] = {
    "top-two": top_two,
    "double-thompson": double_thompson,
    "ranking": ranking,
    "maxin": maxin,
    "maxinp": maxinp,
    "rg-ucb": rg_ucb,
    "dbgd": dbgd,
    "alpha-ig": alpha_ig,
    "random": random,
    "round-robin": round_robin,
    "knockout": knockout,
}
