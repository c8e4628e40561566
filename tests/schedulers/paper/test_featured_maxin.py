import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.special import expit

from maxin import Entrant, Tournament
from maxin.core import InvalidInput, Match, Result
from maxin.ratings import Elo, Features
from maxin.schedulers import MaxIn, make_scheduler
from maxin.schedulers.paper.featured_maxin import FeaturedMaxIn, FeatureUncertainty

N = 12
seeds = st.integers(0, 10_000)


def table(rng, n_players=N):
    return Features(
        {
            "step": rng.uniform(size=n_players),
            "size": rng.normal(size=n_players),
            "family": rng.choice(["a", "b"], size=n_players).tolist(),
        }
    )


def play(scheduler, truth, n_rounds, seed=1):
    """Play matches, two at a time; returns them."""
    rng, matches = np.random.default_rng(seed), []
    for _ in range(n_rounds // 2):
        asked = scheduler.ask_many(2)
        for i, j in asked:
            score = float(rng.random() < expit(truth[i] - truth[j]))
            scheduler.tell(Result(Match(i, j), score))
        matches += asked
    return matches


@pytest.mark.parametrize("n_players", [5, N, 20])
@pytest.mark.parametrize("exploration", [0.3, 1.0])
def test_identity_features_are_maxin_elo(n_players, exploration):
    """Match by match; the identity is an array, or a category of its own for every player."""
    truth = np.random.default_rng(0).normal(size=n_players)
    names = {"player": [str(player) for player in range(n_players)]}
    plain = MaxIn(Elo(n_players), rng=np.random.default_rng(7), exploration=exploration)
    expected = play(plain, truth, 160)
    for features in (np.eye(n_players), Features(names)):
        rng = np.random.default_rng(7)
        with_features = FeaturedMaxIn(features, rng=rng, exploration=exploration)
        assert play(with_features, truth, 160) == expected
        assert with_features.ratings() == pytest.approx(plain.ratings(), abs=1e-9)
        assert with_features.candidates() == plain.candidates()


class PlainTwin:
    """Algorithm 1 with x_i in place of e_i, by dense algebra."""

    def __init__(self, design, batch_size, gamma):
        self.design, self.batch_size, self.gamma = design, batch_size, gamma
        self.gram = 1e-6 * np.eye(design.shape[1])
        self.iterates, self.batch, self.centre = [], [], None

    def tell(self, match, score):
        apart = self.design[match.first] - self.design[match.second]
        self.gram = self.gram + np.outer(apart, apart)
        self.batch.append((apart, score))
        if len(self.batch) == self.batch_size:
            self.learn()

    def learn(self):
        apart = np.array([row for row, _ in self.batch])
        scores = np.array([score for _, score in self.batch])
        if self.centre is None:
            precision = (self.design**2).sum() / len(self.design)
            weights = np.zeros(apart.shape[1])
            for _ in range(4_000):  # gradient ascent
                slope = apart.T @ (scores - expit(apart @ weights)) - precision * weights
                weights = weights + 0.5 * slope
            self.centre = weights
        start = self.iterates[-1] if self.iterates else self.centre
        slope = apart.T @ (scores - expit(apart @ start))
        moved = start + slope / (len(self.iterates) + 1) - self.centre
        self.iterates.append(self.centre + moved * min(1.0, 2.0 / np.linalg.norm(moved)))
        self.batch = []

    def widths(self):
        apart = self.design[:, None] - self.design
        return np.sqrt(np.einsum("ijd,de,ije->ij", apart, np.linalg.inv(self.gram), apart))

    def candidates(self):
        ratings = self.design @ np.mean(self.iterates, axis=0)
        ahead = ratings[:, None] - ratings + self.gamma * self.widths() > 0.0
        np.fill_diagonal(ahead, True)
        return np.flatnonzero(ahead.all(axis=1)).tolist()


@settings(max_examples=10)
@given(seed=seeds)
def test_it_is_the_plain_algorithm(seed):
    rng = np.random.default_rng(seed)
    features, truth = table(rng), rng.normal(size=N)
    scheduler = FeaturedMaxIn(features, rng=np.random.default_rng(seed), exploration=0.5)
    twin = PlainTwin(scheduler.model.design, scheduler.batch_size, 0.5)
    for _ in range(60):
        widths, match = scheduler.uncertainty.widths(), scheduler.ask()
        if twin.iterates:
            np.testing.assert_allclose(widths, twin.widths(), atol=1e-6, rtol=1e-6)
            expected = twin.design @ np.mean(twin.iterates, axis=0)
            np.testing.assert_allclose(scheduler.ratings(), expected, atol=1e-6)
            found = twin.candidates()
            if len(found) > 1:
                assert set(match) <= set(found)
                assert widths[match] == pytest.approx(widths[np.ix_(found, found)].max(), abs=1e-6)
        score = float(rng.random() < expit(truth[match.first] - truth[match.second]))
        scheduler.tell(Result(match, score))
        twin.tell(match, score)


def test_widths_depend_on_features_not_on_who_played():
    uncertainty = FeatureUncertainty(np.array([[0.0], [1.0], [2.0], [5.0]]))
    for match in (Match(0, 1), Match(2, 1), Match(0, 1)):
        uncertainty.observe(match)
    assert uncertainty.width(Match(2, 3)) == pytest.approx(np.sqrt(3.0), abs=1e-5)


def test_it_learns_a_ladder_from_few_matches():
    rng = np.random.default_rng(0)
    step = rng.uniform(size=60)
    scheduler = make_scheduler("maxin", 60, rng, features=step)
    play(scheduler, 4.0 * step, 120)
    assert np.corrcoef(scheduler.ratings(), step)[0, 1] > 0.999
    assert scheduler.ratings().argmax() == step.argmax()


def test_players_with_the_same_features_do_not_rule_each_other_out():
    scheduler = FeaturedMaxIn([1.0, 2.0, 3.0, 3.0], rng=np.random.default_rng(0))
    play(scheduler, np.array([0.0, 2.0, 4.0, 4.0]), 60)
    assert scheduler.candidates() == [2, 3]
    assert scheduler.ask() is not None


@pytest.mark.parametrize("features", [np.ones(5), ["a"] * 5])
def test_features_that_are_the_same_for_all_say_nothing(features):
    given = Features({"only": features})
    scheduler = FeaturedMaxIn(given, rng=np.random.default_rng(0))
    assert len(set(play(scheduler, np.arange(5.0), 30))) > 3
    assert (scheduler.ratings() == 0.0).all()


def test_more_features_than_players():
    rng = np.random.default_rng(0)
    truth, features = rng.normal(size=6), rng.normal(size=(6, 40))
    scheduler = FeaturedMaxIn(features, rng=rng)
    assert scheduler.model.design.shape == (6, 6)
    assert len(play(scheduler, truth, 60)) == 60


def test_only_elo_ratings_have_features():
    rng = np.random.default_rng(0)
    with pytest.raises(InvalidInput, match="with features, maxin works with elo ratings only"):
        make_scheduler("maxin+melo", 3, rng, features=[1, 2, 3])
    with pytest.raises(InvalidInput, match="4 players need as many rows of features; got 3"):
        make_scheduler("maxin", 4, rng, features=[1, 2, 3])


def test_a_tournament_by_maxin_resumes_and_lets_players_join(tmp_path):
    url = f"sqlite:///{tmp_path / 'a.db'}"
    players = [Entrant(f"p{n}", {"step": n}) for n in range(6)]

    def finish(tournament, budget):
        tournament.run(
            lambda a, b, seed: float(int(a[1:]) > int(b[1:])), budget=budget, confidence=None
        )
        return [(played.first, played.second) for played in tournament.matches()]

    with Tournament(players, url, features=["step"], scheduler="maxin") as tournament:
        finish(tournament, 20)
    whole = Tournament(players, features=["step"], scheduler="maxin")
    expected = finish(whole, 40)
    with Tournament(None, url) as tournament:
        assert finish(tournament, 40) == expected
        tournament.add(Entrant("p9", {"step": 9}))
        finish(tournament, 60)
        assert tournament.leaderboard()[0].player == "p9"
        assert tournament.verify().problems == []
