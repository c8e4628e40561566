import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.sparse.csgraph import connected_components

from maxin.core import Match
from maxin.schedulers.paper.widths import RIDGE, PairUncertainty

N = 6
matches = st.permutations(range(N)).map(lambda order: Match(*order[:2]))


def plain_widths(played, n_players=N):
    """Widths from the inverse of V + ridge I."""
    v = RIDGE * np.eye(n_players)
    for first, second in played:
        x = np.eye(n_players)[first] - np.eye(n_players)[second]
        v += np.outer(x, x)
    inverse = np.linalg.inv(v)
    diagonal = np.diag(inverse)
    return np.sqrt((diagonal[:, None] + diagonal[None, :] - 2.0 * inverse).clip(0.0))


@given(st.lists(matches, max_size=40), st.lists(matches, max_size=5))
def test_widths_agree_with_a_plain_matrix_inverse(played, flying):
    uncertainty = PairUncertainty(N)
    for match in played:
        uncertainty.observe(match)
        uncertainty.width(match)  # reading a width in between changes nothing
    expected = plain_widths([*played, *flying])
    np.testing.assert_allclose(uncertainty.widths(flying), expected, rtol=1e-7, atol=1e-7)


@pytest.mark.parametrize(
    ("n_players", "n_matches"),
    [(12, 6_000), (60, 6_000), pytest.param(300, 100_000, marks=pytest.mark.slow)],
)
def test_widths_do_not_drift_over_thousands_of_matches(n_players, n_matches):
    rng = np.random.default_rng(0)
    uncertainty, v = PairUncertainty(n_players), np.full((n_players, n_players), 1.0 / n_players)
    v += RIDGE * np.eye(n_players)
    worst = 0.0
    for t in range(n_matches):
        first, second = rng.choice(n_players, size=2, replace=False).tolist()
        uncertainty.observe(Match(first, second))
        uncertainty.width(Match(first, second))  # apply each step at once
        v[[first, second], [first, second]] += 1.0
        v[[first, second], [second, first]] -= 1.0
        if t % (n_matches // 12) == n_matches // 12 - 1:
            inverse = np.linalg.inv(v)
            diagonal = np.diag(inverse)
            expected = np.sqrt(diagonal[:, None] + diagonal[None, :] - 2.0 * inverse)
            np.fill_diagonal(expected, 0.0)
            worst = max(worst, float(np.abs(uncertainty.widths() - expected).max()))
    assert worst < 1e-12


@given(st.lists(matches, min_size=1, max_size=30), st.randoms(use_true_random=False))
def test_widths_do_not_depend_on_the_order_of_players_or_matches(played, random):
    shuffled = [Match(b, a) for a, b in random.sample(played, len(played))]
    one, other = PairUncertainty(N), PairUncertainty(N)
    for match, moved in zip(played, shuffled, strict=True):
        one.observe(match)
        other.observe(moved)
    np.testing.assert_allclose(one.widths(), other.widths(), rtol=1e-8)


@given(st.lists(matches, min_size=1, max_size=20))
def test_a_width_never_grows(played):
    uncertainty = PairUncertainty(N)
    before = uncertainty.widths().copy()
    for match in played:
        uncertainty.observe(match)
        now = uncertainty.widths().copy()
        assert (now <= before * (1.0 + 1e-9)).all()
        before = now


@given(st.lists(matches, min_size=2, max_size=12), st.randoms(use_true_random=False))
def test_bits_depend_only_on_results_and_pending_matches(asked, random):
    """Results in another order than asked, with widths read in between, or without any asking."""
    busy = PairUncertainty(N)
    played = random.sample(asked, len(asked) - 1)
    flying = list(asked)
    busy.widths(flying)
    for match in played:
        busy.observe(match)
        flying.remove(match)
        busy.widths(flying)
    quiet = PairUncertainty(N)
    for match in played:
        quiet.observe(match)
    np.testing.assert_array_equal(busy.widths(flying), quiet.widths(flying))


def exact_widest(played, n_players):
    """The widest pair of all, the lowest players in a tie, and how many groups there are."""
    laplacian = np.zeros((n_players, n_players))
    for first, second in played:
        laplacian[[first, second], [first, second]] += 1.0
        laplacian[[first, second], [second, first]] -= 1.0
    n_groups, labels = connected_components(laplacian)
    mates = labels[:, None] == labels
    sizes = mates.sum(axis=1)
    inverse = np.linalg.inv(laplacian + RIDGE * np.eye(n_players) + mates / sizes)
    levels = (1.0 / RIDGE - 1.0 / (1.0 + RIDGE)) / sizes
    squares = np.diag(inverse)[:, None] + np.diag(inverse)
    squares += np.where(mates, -2.0 * inverse, levels[:, None] + levels)
    rounded = np.triu((1e9 * np.sqrt(squares.clip(0.0))).round(), 1)
    return np.unravel_index(rounded.argmax(), rounded.shape), n_groups


@pytest.mark.parametrize("seed", range(3))
@pytest.mark.parametrize(("n_players", "first_batch"), [(12, 8), (60, 42), (40, 0), (30, 60)])
def test_unconnected_players_meet_as_exact_widths_say(n_players, first_batch, seed):
    """Equal widths, of which there are many, are equal whatever the rounding errors."""
    rng = np.random.default_rng(seed)
    uncertainty = PairUncertainty(n_players, first_batch=first_batch)
    everyone = np.full((n_players, n_players), -1.0)
    played, n_groups = [], n_players
    for t in range(first_batch + n_players):
        if t >= first_batch:
            expected, n_groups = exact_widest(played, n_players)
            pair = uncertainty.widest(everyone)
            assert pair == expected or n_groups == 1
        else:
            pair = rng.choice(n_players, size=2, replace=False).tolist()
        played.append(Match(*pair))
        uncertainty.observe(played[-1])
    assert n_groups == 1


def test_most_rounds_update_few_widths():
    n_players = 200
    uncertainty, rng = PairUncertainty(n_players), np.random.default_rng(0)
    for _ in range(4 * n_players):
        uncertainty.observe(Match(*rng.choice(n_players, size=2, replace=False).tolist()))
    uncertainty.settle()
    everyone = np.full((n_players, n_players), -1.0)
    shares = []
    for _ in range(n_players // 2):
        before = uncertainty.n_touched
        uncertainty.observe(Match(*uncertainty.widest(everyone)))
        shares.append((uncertainty.n_touched - before) / n_players**2)
    assert np.median(shares[1:]) < 0.1
