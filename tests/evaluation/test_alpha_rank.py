import importlib
from itertools import product

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from maxin.core import InvalidInput
from maxin.evaluation import alpha_rank, sink_players, stationary_distribution


@pytest.fixture(scope="module")
def openspiel():
    """OpenSpiel's alpha-rank."""
    pytest.importorskip("pyspiel", reason="OpenSpiel is not installed")
    module = importlib.import_module("open_spiel.python.egt.alpharank")

    def compute(payoffs, **options):
        with np.errstate(over="ignore"):  # its exponentials overflow, harmlessly
            return module.compute([payoffs], **options)[2]

    return compute


def games(n_games, seed):
    rng = np.random.default_rng(seed)
    for _ in range(n_games):
        n_players = int(rng.integers(2, 9))
        yield rng.uniform(-1.0, 1.0, size=(n_players, n_players))


@pytest.mark.parametrize("alpha", [0.1, 1.0, 10.0])
@pytest.mark.parametrize("population", [2, 50])
def test_finite_alpha_agrees_with_openspiel(openspiel, alpha, population):
    for payoffs in games(10, seed=1):
        expected = openspiel(payoffs, m=population, alpha=alpha)
        np.testing.assert_allclose(alpha_rank(payoffs, alpha, population), expected, atol=1e-9)


@pytest.mark.parametrize("perturbation", [0.01, 0.1])
def test_infinite_alpha_agrees_with_openspiel(openspiel, perturbation):
    for payoffs in games(20, seed=2):
        tied = np.round(payoffs, 0)  # ties count half
        for game in (payoffs, tied):
            expected = openspiel(game, use_inf_alpha=True, inf_alpha_eps=perturbation)
            found = alpha_rank(game, perturbation=perturbation)
            np.testing.assert_allclose(found, expected, atol=1e-9)


def sign_patterns(n_players):
    above = np.triu_indices(n_players, 1)
    patterns = np.array(list(product([-1.0, 0.0, 1.0], repeat=len(above[0]))))
    games = np.zeros((len(patterns), n_players, n_players))
    games[:, above[0], above[1]] = patterns
    return games - np.swapaxes(games, 1, 2)


def test_no_perturbation_is_the_limit_of_a_small_one():
    games = sign_patterns(4)
    np.testing.assert_allclose(alpha_rank(games), alpha_rank(games, perturbation=1e-9), atol=1e-7)


def test_infinite_alpha_is_the_limit_of_large_ones_without_ties():
    for payoffs in games(10, seed=3):
        np.testing.assert_allclose(alpha_rank(payoffs), alpha_rank(payoffs, 1e6), atol=1e-6)


def test_all_weight_is_in_the_sink_component_when_nobody_ties():
    games = sign_patterns(4)
    games = games[(games != 0.0).sum(axis=(1, 2)) == 12]
    for game, weights in zip(games, alpha_rank(games), strict=True):
        np.testing.assert_array_equal(np.flatnonzero(weights), sink_players((game + 1) / 2))


def test_games_ranked_in_one_call_get_the_same_ranks_as_alone():
    games = sign_patterns(3).reshape(3, 9, 3, 3)
    together = alpha_rank(games, alpha=2.0, population=10)
    assert together.shape == (3, 9, 3)
    alone = [[alpha_rank(game, alpha=2.0, population=10) for game in row] for row in games]
    np.testing.assert_allclose(together, alone)


@pytest.mark.parametrize("alpha", [0.0, 1e-300, 1.0, 1e3, 1e9, 1e308])
def test_no_intensity_overflows(alpha):
    for payoffs in games(5, seed=4):
        weights = alpha_rank(payoffs, alpha)
        assert (weights >= 0.0).all()
        assert weights.sum() == pytest.approx(1.0)


def test_no_selection_prefers_nobody():
    for payoffs in games(5, seed=5):
        np.testing.assert_allclose(alpha_rank(payoffs, alpha=0.0), 1 / len(payoffs))


@given(n_states=st.integers(1, 6), seed=st.integers(0, 1000), sparse=st.booleans())
def test_the_stationary_distribution_is_stationary(n_states, seed, sparse):
    rng = np.random.default_rng(seed)
    chain = rng.uniform(0.0, 1.0, size=(n_states, n_states)) * (rng.random(n_states) < 0.7)
    chain = chain * (rng.random(chain.shape) < 0.5) if sparse else chain
    chain[:, 0] += 0.01  # every state leads to the first
    chain /= chain.sum(axis=1, keepdims=True)
    weights = stationary_distribution(chain)
    np.testing.assert_allclose(weights @ chain, weights, atol=1e-14)
    assert weights.sum() == pytest.approx(1.0)
    assert (weights >= 0.0).all()


def test_a_chain_that_hardly_mixes_is_solved_exactly():
    rare = 1e-40  # far below the rounding of the other entries
    chain = np.array(
        [
            [0.5, 0.5, 0.0, 0.0],
            [0.5, 0.5, rare, 0.0],
            [0.0, 3 * rare, 0.5, 0.5],
            [0.0, 0.0, 0.5, 0.5],
        ]
    )
    np.testing.assert_allclose(stationary_distribution(chain), [0.375, 0.375, 0.125, 0.125])


@pytest.mark.parametrize(
    ("chain", "message"),
    [
        (np.eye(2), "several sets of states has no unique stationary"),
        (np.array([[0.5, 0.6], [0.5, 0.5]]), "the sums are 1.0 to 1.1"),
        (np.array([[-0.5, 1.5], [0.5, 0.5]]), "smallest is -0.5"),
    ],
)
def test_errors_name_the_invalid_chain(chain, message):
    with pytest.raises(InvalidInput, match=message):
        stationary_distribution(chain)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"alpha": -1.0}, "alpha.*got -1.0"),
        ({"alpha": np.nan}, "alpha.*got nan"),
        ({"population": 1}, "population.*got 1"),
        ({"perturbation": 0.5}, "perturbation.*got 0.5"),
        ({"alpha": 1.0, "perturbation": 0.1}, "only infinite alpha.*0.1 at alpha=1.0"),
    ],
)
def test_errors_name_the_invalid_option(options, message):
    with pytest.raises(InvalidInput, match=message):
        alpha_rank(np.zeros((2, 2)), **options)


@pytest.mark.parametrize(
    ("payoffs", "message"),
    [
        (np.zeros((1, 1)), "at least two players"),
        (np.zeros(3), r"square matrix.*\(3,\)"),
        (np.array([[0.0, np.inf], [0.0, 0.0]]), r"payoffs must be finite; entry \(0, 1\) is inf"),
    ],
)
def test_errors_name_the_invalid_payoffs(payoffs, message):
    with pytest.raises(InvalidInput, match=message):
        alpha_rank(payoffs)
