"""Move a posterior towards its fixed point: by one step as matches come, or all the way."""

from __future__ import annotations

import numpy as np

from maxin.core.arrays import Floats
from maxin.core.linalg import factorised, inverted, one_blas_thread, solved
from maxin.kernels import posterior as kernels
from maxin.kernels.posterior import (
    KAPPA2,
    LEAST_PACE,
    N_LEARNT,
    OUTSIDERS,
    PAIRS,
    ROWS,
    SPREAD2,
    PosteriorState,
    Relaxation,
    Steps,
    fit_scales,
    gaps_of,
    keep,
    likelihood_of,
    mixture,
    relax_field,
    step_scales,
)
from maxin.ratings.fitting.features.prior import Cells, FeaturePrior

RELAXED = (  # the arrays of a state that its relaxation shares
    "scales",
    "counts",
    "heads",
    "nexts",
    "pairs",
    "played",
    "points",
    "weights",
    "effects",
    "ratings",
)
FIRST_KAPPA2 = 0.1  # with which kappa is learnt: see `settle`
EASY_PACE = 0.5  # share of a Newton step when refitting
SOON = 0.01  # a relaxation goes on until it moves by this share of the last Newton step
N_KEPT = 4  # how many points a mixture combines
MOST_ROUNDS = 100  # of one relaxation
MOST_PRIORS = 30  # how often a prior by features is learnt until it stays
STAYS = 1e-4  # the largest change of a share of a prior that stays
CLOSE = 0.1  # after so small a change of a share, only what is likely is tried
NEARLY = 0.1  # before it is learnt, a fit goes on until it moves by this share of its last change


def refit_gap(n_told: int, n_players: int) -> int:
    """After how many more matches the next refit comes; it keeps the work at O(n^2) per match."""
    return max(5, min(100, n_told // 40), n_players // 20)


def most_rows(n_players: int) -> int:
    """How many rows K may have: with more than n / 2, work with them would cost more than n^2."""
    return min(max(16, n_players // 2), refit_gap(4_000, n_players))


def no_steps(size: int) -> Steps:
    """Space for steps between points with this many coordinates, none taken yet.

    Anderson's mixing combines them: see `mixture` in `maxin.kernels.posterior`.
    """
    space = np.empty((N_KEPT, size))
    return Steps(points=space, moves=space.copy(), filled=np.zeros(1, dtype=np.int64))


def relaxation_of(state: PosteriorState) -> Relaxation:
    """A relaxation that moves the state's scales, ratings, effects and weights."""
    n_pairs = int(state.counts[PAIRS])
    return Relaxation(
        **{name: getattr(state, name) for name in RELAXED},
        precisions=state.prior_weights / state.scales[SPREAD2],
        messages=np.zeros(2 * n_pairs),
        gap_scales=np.ones(n_pairs),
    )


def refit(
    state: PosteriorState, prior: FeaturePrior | None = None, *, learns_kappa: bool = False
) -> PosteriorState:
    """Refit the scales, and the prior by features if it is given; take half a Newton step."""
    with one_blas_thread():
        gaps = gaps_of(state)
        fit_scales(state, gaps, 1.0)  # by the covariance, which is that of the kappa before
        if learns_kappa:
            state.scales[KAPPA2] = kernels.likely_kappa2(state, gaps)
        if prior is not None:
            prior.move_to(likely_shares(state, prior, gaps)[0])
            state = state.replace(prior_precision=prior.precision())
        _, factor, cov = newton_step(state, gaps, EASY_PACE)
        return based_on(state, factor, cov)


def settle(
    state: PosteriorState, tolerance: float, most_steps: int, prior: FeaturePrior | None = None
) -> PosteriorState:
    """Move to the fixed point, until a step changes nothing by more than `tolerance`.

    It settles twice: with a small kappa, from which the evidence gives the likely one, and then
    with that. If kappa moved with the rest, there would often be two fixed points, with cycles and
    without, since its evidence favours the kappa that it is computed with.
    """

    def settled() -> PosteriorState:
        if prior is None:
            return _settle_scales(state, tolerance, most_steps)
        return _settle_with(state, prior, tolerance, most_steps)

    with one_blas_thread():
        state.scales[KAPPA2] = FIRST_KAPPA2
        state = settled()
        state.scales[KAPPA2] = kernels.likely_kappa2(state, gaps_of(state))
        return settled()


def _settle_scales(state: PosteriorState, tolerance: float, most_steps: int) -> PosteriorState:
    """Move to the fixed point of ratings and scales.

    Most of the way is a relaxation, in which variances are those of belief propagation. Then one
    Newton step has the exact covariance. The error of belief propagation corrects it in the next
    relaxation, so that both have the same fixed point, which a few such steps reach.
    """
    graph, gaps, change = relaxation_of(state), gaps_of(state), 1.0
    var_scales = np.ones_like(state.ratings)
    for _ in range(most_steps):
        steps, soon = no_steps(N_LEARNT), SOON * min(change, 1.0)
        relax_field(state, graph, var_scales, gaps, steps, soon, MOST_ROUNDS)
        relaxed, variances = gaps.copy(), state.rating_var.copy()
        size, factor, cov = newton_step(state, gaps, 1.0)
        graph.gap_scales[:] *= gaps / relaxed
        var_scales *= state.rating_var / variances
        change = size + fit_scales(state, gaps, 1.0)
        if change <= tolerance:
            break
    return based_on(state, factor, cov)


def _settle_with(
    state: PosteriorState, prior: FeaturePrior, tolerance: float, most_steps: int
) -> PosteriorState:
    """Move to the fixed point of the ratings, the scales and the prior by features.

    Every Newton step has the exact covariance, since features relate all pairs; the steps of the
    scales are mixed. Then the prior is learnt from the outcome, until it stays. The spread of the
    ratings, which would follow it slowly, is set to where it belongs.
    """
    gaps, steps, change = gaps_of(state), no_steps(len(prior.shares)), 1.0
    among = None
    for _ in range(MOST_PRIORS):
        enough = max(tolerance, NEARLY * change)
        factor, cov = _settle_exactly(state, gaps, enough, most_steps)
        shares, likely = likely_shares(state, prior, gaps, among)
        keep(steps, prior.shares, shares - prior.shares)
        last, change = change, float(np.abs(steps.moves[0]).max())
        if max(change, last) <= STAYS:
            break
        if change > 2.0 * last:
            steps.filled[0] = 1
        among = likely if change <= CLOSE else None
        prior.move_to(mixture(steps) if steps.filled[0] > 1 else steps.points[0] + steps.moves[0])
        state = state.replace(prior_precision=prior.precision())
        if not state.scales[OUTSIDERS]:
            state.scales[SPREAD2] = prior.likely_spread2(*likelihood_of(state, gaps))
    return based_on(state, factor, cov)


def _settle_exactly(
    state: PosteriorState, gaps: Floats, tolerance: float, most_steps: int
) -> tuple[Floats, Floats]:
    """Newton steps with a fixed prior, until nothing changes; returns L and S."""
    steps, change, size, pace = no_steps(N_LEARNT), 1.0, np.inf, 1.0
    for _ in range(most_steps):
        last, before_size = change, size
        size, factor, cov = newton_step(state, gaps, pace)
        pace = max(0.7 * pace, LEAST_PACE) if size > before_size else min(1.05 * pace, 1.0)
        change = step_scales(state, gaps, steps, size, last, tolerance)
        if change <= tolerance:
            break
    return factor, cov


def likely_shares(
    state: PosteriorState, prior: FeaturePrior, gaps: Floats, among: Cells | None = None
) -> tuple[Floats, Cells]:
    """The shares of a prior that the results make likely; see `FeaturePrior.likely_shares`."""
    laplacian, pull = likelihood_of(state, gaps)
    return prior.likely_shares(laplacian, pull, float(state.scales[SPREAD2]), among)


def newton_step(state: PosteriorState, gaps: Floats, pace: float) -> tuple[float, Floats, Floats]:
    """One step towards the fixed point, at which the prior balances every mean surprise.

    It updates the weights from the current advantages, then the ratings and the effects, and at
    last the variances. Weights and ratings move by the share `pace` of their whole step.
    Returns the largest change of an effect, or whole step of a rating; L; and S = (L L')^-1.
    """
    prior, ties, slope, surprise = kernels.balance(state, gaps, pace)
    factor = factorised(kernels.precision_of(state, prior, ties))
    size = kernels.move(state, solved(factor, slope), surprise, pace)
    cov = inverted(factor)
    kernels.fill_gaps(state, cov, gaps)
    return size, factor, cov


def kappa_gap(n_told: int, n_players: int) -> int:
    """After how many more matches kappa is learnt again: its evidence costs O(n^3)."""
    return max(5, n_told // 5, n_players)


def prior_gap(n_told: int, n_players: int) -> int:
    """After how many more matches a prior by features is learnt again: it costs O(n^3)."""
    return max(5, n_told // 5, n_players // 4)


def folded(state: PosteriorState) -> PosteriorState:
    """The same posterior without rows: S0 is S."""
    with one_blas_thread():
        rows = state.rows[: state.counts[ROWS]]
        cov = state.base_cov - rows.T @ rows
        return based_on(state, factorised(inverted(factorised(cov))), cov)


def based_on(state: PosteriorState, factor: Floats, cov: Floats) -> PosteriorState:
    """The state with a new S0 = (L L')^-1 and no rows; its strengths are brought up to date."""
    state.counts[ROWS] = 0
    state.rating_var[:] = np.diagonal(cov)
    state = state.replace(base_cov=cov, factor=factor)
    kernels.update_strengths(state)
    return state
