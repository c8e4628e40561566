"""Judges with a position bias and a reliability, fitted together with the ratings."""

from __future__ import annotations

from statistics import NormalDist
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from maxin.core.units import ELO_PER_NAT
from maxin.kernels.posterior import SPLIT
from maxin.ratings.base import Array
from maxin.ratings.judging.control_fit import ControlFit, EffectCurvature
from maxin.ratings.judging.judged_tally import JudgedTally
from maxin.ratings.judging.votes import Votes, expected, judged_votes, row_advantages
from maxin.ratings.posterior.posterior import Posterior
from maxin.ratings.posterior.state import with_results

BIAS_SCALE = 0.3  # prior standard deviation of a position bias, in nats: 52 Elo points
RELIABILITY_SCALE = 0.6  # of a reliability around 1; both chosen on seeds below 1,000
FREEDOM = 3.0  # degrees of freedom of its prior: a bad judge is not held to 1 for long
REVERSAL_LEVEL = 0.001  # the probability that somebody of a panel is reversed by mistake
TASTE_SCALE = 0.5  # of what a judge likes in a pair by itself, in nats: 87 Elo points
LARGEST_WITNESS = 0.75  # of what contradicts a judge, at most this much is one other judge's
DECIMALS = 4  # of what is shown of a judge
SETTLED = 1e-6  # the fit ends when no judge moves by more than this
NEARLY_SETTLED = 1e-3  # enough to see whose votes count reversed
MOST_ROUNDS = 200
TINY = 1e-300  # keeps a sum from being 0
REACH = 1.96  # standard deviations from the middle to the end of a 95 % interval
LONGEST_STEP = 0.5  # of a bias, a reliability or an effect in one round


class JudgeFit(NamedTuple):
    """What each judge's votes are worth, one value per judge.

    `bias` is what being shown first is worth to the judge, in nats, and `reliability` is how much
    of a difference between players the judge sees: 1 all of it, 0 nothing, -1 the opposite. It is
    0 for a judge who seems to prefer the worse player, without the evidence that it takes to count
    its votes reversed; `estimate` is what it would be otherwise.
    """

    names: tuple[str, ...]
    n_votes: Array
    bias: Array
    bias_deviation: Array
    reliability: Array
    reliability_deviation: Array
    estimate: Array

    @property
    def n_reversed(self) -> int:
        """How many judges' votes count the other way round."""
        return int(np.count_nonzero(self.reliability < 0.0))

    @property
    def n_ignored(self) -> int:
        """How many judges' votes do not count."""
        return int(np.count_nonzero(self.reliability == 0.0))

    def rows(self) -> list[JudgeRow]:
        """The judges with 95 % intervals, the one with the most votes first."""
        reach = REACH * self.reliability_deviation
        margin = ELO_PER_NAT * REACH * self.bias_deviation
        bias = ELO_PER_NAT * self.bias
        columns = (
            *(bias, bias - margin, bias + margin),
            *(self.reliability, self.estimate - reach, self.estimate + reach),
        )
        found = [
            JudgeRow(name, round(n_votes), *numbers)
            for name, n_votes, *numbers in zip(
                self.names,
                self.n_votes.tolist(),
                *(column.round(DECIMALS).tolist() for column in columns),
                strict=True,
            )
        ]
        return sorted(found, key=lambda row: (-row.n_votes, row.judge))


class JudgeRow(NamedTuple):
    """One judge: its bias in Elo points and its reliability, with 95 % intervals.

    See `JudgeFit`.
    """

    judge: str
    n_votes: int
    bias: float
    bias_low: float
    bias_high: float
    reliability: float
    reliability_low: float
    reliability_high: float

    @property
    def counts(self) -> str:
        """How its votes count: as given, reversed or not at all."""
        if not self.reliability:
            return "not at all"
        return "reversed" if self.reliability < 0.0 else "as given"


class VoteFit(NamedTuple):
    """What was fitted besides the ratings: the judges, and the effects of covariates."""

    judges: JudgeFit | None
    controls: ControlFit | None


def fit_judges(posterior: Posterior, tally: JudgedTally) -> JudgeFit:
    """Fit the judges of a tally, and the posterior to what their votes are worth.

    See `fit_votes`.

    Args:
        posterior: fitted to the tally's crosstable, without regard to judges.
        tally: the results.

    >>> tally = JudgedTally(2)
    >>> for judge, score in [("ann", 1.0), ("bob", 1.0), ("cy", 0.0)] * 30:
    ...     tally.add_judged(judge, 0, 1, [score])
    >>> posterior = Posterior(2)
    >>> posterior.fit(tally.crosstable())
    >>> fit_judges(posterior, tally).reliability.round(1)
    array([1., 1., 0.])
    """
    fit = fit_votes(posterior, judged_votes(tally)).judges
    assert fit is not None
    return fit


def fit_votes(posterior: Posterior, votes: Votes) -> VoteFit:
    """Fit judges and the effects of covariates, and the posterior to what the votes are worth.

        logit P(first wins | judge a, covariates x) = c_a A_ij + b_a + beta . x
        b_a ~ N(0, 0.3^2),  c_a - 1 ~ 0.6 t_3,  beta_k ~ N(0, 1)

    It alternates. Given the advantages A ~ N(m, v), each judge and the effects take a Newton step.
    Given those, a group of N votes with W points enters the posterior as N' matches with W'
    points, so that slope and curvature of the log-likelihood are the same at m:

        N' h_0 = c^2 N h_a,    W' - N' p_0 = c (W - N p_a) - Var(c) m N h_a

    with p = E[sigmoid(.)] and h its slope, of the plain vote (0) and of the judge's (a). Without
    the last term, judges who agree by chance would look reliable, and confirm each other.

    A reliability stays at 0 or above until `_Model.contradicting` finds strong evidence that the
    judge prefers the worse player. See docs/explanation/notes/judges.md.
    """
    model = _Model(posterior, votes)
    for tolerance in (NEARLY_SETTLED, SETTLED):
        model.settle(tolerance)
        while (found := model.contradicting()).any():
            model.may_reverse |= found
            model.settle(tolerance)
    return VoteFit(model.judges(), model.controls())


class _Model:
    """Judges, effects and the posterior, which move in turn; the last judge is "no judge"."""

    def __init__(self, posterior: Posterior, votes: Votes) -> None:
        self.posterior, self.votes = posterior, votes
        self.bias, self.reliability = np.zeros(votes.n_judges + 1), np.ones(votes.n_judges + 1)
        self.may_reverse = np.zeros(votes.n_judges + 1, dtype=np.bool_)
        self.effects = np.zeros(votes.values.shape[1])

    def settle(self, tolerance: float) -> None:
        """Alternate until nothing moves by more than this."""
        for _ in range(MOST_ROUNDS):
            self._advance()
            before = np.concatenate([self.bias, self.reliability, self.effects])
            self._move()
            self._rate()
            after = np.concatenate([self.bias, self.reliability, self.effects])
            if np.abs(after - before).max(initial=0.0) <= tolerance:
                break
        self._advance()

    def _advance(self) -> None:
        """Read the advantages from the posterior."""
        self.means, self.variances = row_advantages(self.posterior, self.votes)

    @property
    def _offset(self) -> Array:
        """What the votes of each row depend on besides the players, b + beta . x."""
        return np.asarray(self.bias[self.votes.judge] + self.votes.values @ self.effects)

    def _expected(self, reliability: Array) -> tuple[Array, Array]:
        """The chances of each row and their slopes."""
        own = reliability[self.votes.judge]
        return expected(self.means, self.variances, self._offset, own)

    def _move(self) -> None:
        """A Newton step of every bias, every reliability and all effects."""
        bias, reliability = self._judge_steps(self.reliability)
        if self.effects.size:
            chances, slopes = self._expected(self.reliability)
            surprise = (self.votes.points - self.votes.games * chances) / self.posterior.phi
            curvature = self._effect_curvature(self.votes.games * slopes / self.posterior.phi)
            step = curvature.step(self.votes.values.T @ surprise, self.effects)
            self.effects = self.effects + np.clip(step, -LONGEST_STEP, LONGEST_STEP)
        self.bias = self.bias + bias
        moved = self.reliability + reliability
        moved[~self.may_reverse] = np.maximum(moved[~self.may_reverse], 0.0)
        self.reliability = self._scaled(moved)

    def _judge_steps(self, reliability: Array) -> Array:
        """The step of every judge's bias, and of its reliability, shape (2, judges + 1)."""
        votes, total, phi = self.votes, self.votes.total, self.posterior.phi
        means, variances, c = self.means, self.variances, reliability[self.votes.judge]
        chances, slopes = self._expected(reliability)
        surprise = (votes.points - votes.games * chances) / phi
        weights = votes.games * slopes / phi
        slope_b = total(surprise) - self.bias / BIAS_SCALE**2
        slope_c = total(means * surprise - weights * c * variances)
        slope_c -= _pull(reliability) * (reliability - 1.0)
        curvature_b = total(weights) + BIAS_SCALE**-2
        curvature_c = total(weights * (means**2 + variances)) + _pull(reliability)
        steps = np.stack([slope_b / curvature_b, slope_c / curvature_c])
        steps[:, -1] = 0.0  # results without a judge have b = 0 and c = 1
        return np.clip(steps, -LONGEST_STEP, LONGEST_STEP)

    def _scaled(self, reliability: Array) -> Array:
        """Reliabilities on the scale on which those that see most have 1 on average.

        Twice the ratings and half of every reliability predict the same votes, so the scale is
        free: it is set by sum(n c^2) = sum(n |c|) over all results, with c = 1 for those without a
        judge. A judge of coin flips has no part in it.
        """
        n_votes = self.votes.n_votes
        seen = float(n_votes @ np.abs(reliability)) / max(float(n_votes @ reliability**2), TINY)
        scaled = reliability * seen
        scaled[-1] = 1.0
        return np.asarray(scaled)

    def _rate(self) -> None:
        """Fit the posterior to what the votes are worth."""
        votes, c = self.votes, self.reliability[self.votes.judge]
        chances, slopes = self._expected(self.reliability)
        plain, plain_slopes = expected(self.means, self.variances, np.zeros_like(c), 1.0)
        share = c**2 * slopes / plain_slopes
        games = share * votes.games
        doubt = self._deviations()[1] ** 2 * (self.reliability != 0.0)  # of c, if it counts
        doubt[-1] = 0.0
        slope = c * (votes.points - votes.games * chances)
        points = games * plain + slope - doubt[votes.judge] * self.means * votes.games * slopes
        table = votes.table(points) + votes.table(games - points).T
        self.posterior.state = with_results(self.posterior.state, table)
        self.posterior.state.scales[SPLIT] = float((share * votes.splits).sum())
        self.posterior.settle()

    def _deviations(self) -> Array:
        """Standard deviations of every judge's bias and reliability, shape (2, judges + 1).

        A group of votes says no more about its judge than is known of the advantage: its curvature
        w counts as w / (1 + c^2 w v). A judge's share of all that is seen sets the scale of
        reliabilities (see `_scaled`), and is not in doubt: a single judge has reliability 1.
        """
        votes, c = self.votes, self.reliability[self.votes.judge]
        weights = votes.games * self._expected(self.reliability)[1] / self.posterior.phi
        weights /= 1.0 + c**2 * weights * self.variances
        bb, bc, cc = (votes.total(weights * self.means**power) for power in range(3))
        bb += BIAS_SCALE**-2
        cc += _pull(self.reliability)
        found = np.sqrt(np.stack([cc, bb]) / (bb * cc - bc**2))
        seen = votes.n_votes * self.reliability**2
        found[1] *= np.sqrt(1.0 - seen / (seen.sum() + TINY))
        return np.asarray(found)

    def contradicting(self) -> NDArray[np.bool_]:
        """The judges who prefer the worse player, by strong evidence: a test of c >= 0 for each.

        A judge with c = 0 has no part in the ratings, so its votes are tested against what all
        others say. It may have a taste of its own in each pair, N(0, 0.5^2). With g = m N h, the
        score of a judge of reliability c has this mean and this variance, as sums over pairs:

            U = sum of m (W - N p),  E U = c sum of g m
            Var U = sum of (m g + (0.5 g)^2) + c^2 Var(sum of g A)

        Both c = 0, a judge who flips coins, and c = 1, who is right where the others are wrong by
        chance, are rejected if U lies so far below that a normal variable does with a probability
        of 0.001 / judges.

        With two judges who contradict each other nobody knows who is wrong. So no other single
        judge may have more than three quarters of what is said against it.
        """
        votes, n_players, n_groups = self.votes, self.votes.n_players, self.votes.n_judges + 1
        chances, slopes = self._expected(self.reliability)
        weights = self.means * votes.games * slopes  # g
        score = votes.total(self.means * (votes.points - votes.games * chances))
        mean = votes.total(self.means * weights)
        pulls = np.zeros((n_groups, n_players))
        np.add.at(pulls, (votes.judge, votes.first), weights)
        np.subtract.at(pulls, (votes.judge, votes.second), weights)
        doubt = np.einsum("ij,ij->i", pulls @ self.posterior.covariance(), pulls)
        variance = mean + TASTE_SCALE**2 * self._squares_by_pair(weights)
        level = REVERSAL_LEVEL / max(votes.n_judges, 1)
        reach = NormalDist().inv_cdf(1.0 - level)
        is_strong = score < -reach * np.sqrt(variance)
        is_strong &= score - mean < -reach * np.sqrt(variance + doubt)
        said = votes.n_votes * self.reliability**2
        has_witnesses = said[:-1].max(initial=0.0) <= LARGEST_WITNESS * said.sum()
        is_held = (self.reliability == 0.0) & ~self.may_reverse
        return np.asarray(is_held & is_strong & has_witnesses)

    def _squares_by_pair(self, values: Array) -> Array:
        """For each judge, the sum over pairs of the square of what their rows add up to."""
        votes, n_players = self.votes, self.votes.n_players
        is_turned = votes.first > votes.second
        one, two = np.where(is_turned, [votes.second, votes.first], [votes.first, votes.second])
        pairs, rows = np.unique(
            (votes.judge * n_players + one) * n_players + two, return_inverse=True
        )
        sums = np.bincount(rows, np.where(is_turned, -values, values), len(pairs))
        found = np.bincount(pairs // n_players**2, sums**2, votes.n_judges + 1)
        return found.astype(np.float64)

    def judges(self) -> JudgeFit | None:
        """The judges; None if there are none."""
        if not self.votes.n_judges:
            return None
        estimate = self.reliability.copy()
        is_held = (estimate == 0.0) & ~self.may_reverse
        for _ in range(MOST_ROUNDS if is_held.any() else 0):
            step = np.where(is_held, self._judge_steps(estimate)[1], 0.0)
            estimate += step
            if np.abs(step).max() <= SETTLED:
                break
        columns = (
            self.votes.n_votes,
            *(self.bias, self._deviations()[0]),
            *(self.reliability, self._deviations()[1], estimate),
        )
        return JudgeFit(self.votes.names, *(column[:-1] for column in columns))

    def _effect_curvature(self, weights: Array) -> EffectCurvature:
        """How sharply the effects are known, given that ratings and biases follow them."""
        return EffectCurvature(
            self.posterior, self.votes, weights, self.reliability, BIAS_SCALE**-2
        )

    def controls(self) -> ControlFit | None:
        """The effects of the covariates; None if there are none."""
        if not self.effects.size:
            return None
        weights = self.votes.games * self._expected(self.reliability)[1] / self.posterior.phi
        return self._effect_curvature(weights).fit(self.effects)


def _pull(reliability: Array) -> Array:
    """The precision with which the prior pulls a reliability towards 1.

    The slope of the log of Student's density is -(c - 1) (nu + 1) / (nu s^2 + (c - 1)^2).
    """
    return (FREEDOM + 1.0) / (FREEDOM * RELIABILITY_SCALE**2 + (reliability - 1.0) ** 2)
