"""What docs/paper-to-code.md says about the paper and its games is true."""

import math
from itertools import combinations
from pathlib import Path

import numpy as np
import pytest

from maxin.core import Match, Result
from maxin.evaluation import reciprocal_rank, sink_players
from maxin.games import load_game, make_game
from maxin.ratings import Elo
from maxin.schedulers import MaxIn
from maxin.schedulers.paper.widths import check_batch_size
from maxin.simulation.simulation import Simulation
from maxin_studies.reproduction.figures import ELO_GAMES, MELO_GAMES
from maxin_studies.theory import algebraic_connectivity, batch_size, curvature, g1

PAGE = (Path(__file__).resolve().parents[1] / "docs" / "paper-to-code.md").read_text()


def random_regret(ratings):
    """What random pairs cost on average in 1,000 rounds."""
    return 1000.0 * (ratings.max() - ratings.mean())


def test_regrets_of_random_follow_from_the_tables(shared):
    averaged, kept = {}, {}
    for game in ELO_GAMES:
        path = shared / "games" / f"{game.name}.npy"
        averaged[game.name] = random_regret(load_game(path, average_seats=True).ratings)
        chances = (np.load(path) + 1.0) / 2.0
        np.fill_diagonal(chances, 0.5)
        soft = np.where(chances == 1.0, 0.99, np.where(chances == 0.0, 0.01, chances))
        kept[game.name] = random_regret(np.log(soft / (1.0 - soft)).mean(axis=1))
    text = " ".join(PAGE.split())
    noisy = "Elo game + noise=0.01", "Elo game + noise=0.05"
    for values in (averaged, kept):
        assert " and ".join(f"{values[name]:,.0f}" for name in noisy) in text
    assert f"that is {averaged['Elo game']:,.0f} after" in text
    assert f"0.99 gives {averaged['Triangular game']:,.0f}" in text
    chances = load_game(shared / "games" / "Elo game.npy").probabilities
    assert f"{np.count_nonzero(chances > 0.99):,} ordered pairs" in text
    cut = np.clip(chances, 0.01, 0.99)
    assert f"and {random_regret(np.log(cut / (1.0 - cut)).mean(axis=1)):,.0f} if all" in text


def test_only_averaging_the_seats_of_one_game_parts_the_two_truths(shared):
    for game in (*ELO_GAMES, *MELO_GAMES):
        made = load_game(shared / "games" / f"{game.name}.npy", average_seats=True)
        best = np.flatnonzero(made.mean_scores > made.mean_scores.max() - 1e-9)
        assert (made.top() == best.tolist()) == (game.name != "Elo game + noise=0.01")
        if game.name == "Elo game + noise=0.01":
            first, second = np.sort(made.ratings)[:-3:-1]
            assert f"leads by {first - second:.3f} nats" in " ".join(PAGE.split())
            chances = (np.load(shared / "games" / f"{game.name}.npy") + 1.0) / 2.0
            soft = np.clip(np.where(chances % 1.0 == 0.0, 0.98 * chances + 0.01, chances), 0.0, 1.0)
            assert np.log(soft / (1.0 - soft)).mean(axis=1).argmax() == best[0]


def test_transitive_games_have_a_player_that_beats_all_others(shared):
    for game in ELO_GAMES:
        made = load_game(shared / "games" / f"{game.name}.npy", average_seats=True)
        [top] = sink_players(made.probabilities)
        assert (np.delete(made.probabilities[top], top) > 0.5).all()
        assert (made.top() == [top]) == (game.name != "Elo game + noise=0.01")
    star = load_game(shared / "games" / "AlphaStar.npy")
    [top] = sink_players(star.probabilities)
    assert np.argsort(-star.ratings)[1] == top


def test_two_games_called_transitive_have_cycles(shared):
    in_cycles = {}
    for game in ELO_GAMES:
        made = load_game(shared / "games" / f"{game.name}.npy", average_seats=True)
        reach = made.probabilities > 0.5
        for middle in range(made.n_players):  # Warshall's closure
            reach |= np.outer(reach[:, middle], reach[middle])
        in_cycles[game.name] = int(np.count_nonzero(reach.diagonal()))
    found = {name: n for name, n in in_cycles.items() if n}
    assert found == {"Elo game + noise=0.05": 3, "Elo game + noise=0.1": 36}


def test_the_default_batch_is_rounded_and_not_cut():
    players = (4, 21, 64)
    assert [check_batch_size(None, n_players) for n_players in players] == [3, 15, 45]
    assert [math.floor(0.7 * n_players) for n_players in players] == [2, 14, 44]


@pytest.mark.parametrize("step_size", [0.5, 10.0])
def test_the_first_step_is_along_the_fit(step_size):
    rng = np.random.default_rng(0)
    scale = 0.8
    scheduler = MaxIn(Elo(6, scale), rng=rng, batch_size=30, step_size=step_size)
    for _ in range(30):
        scheduler.tell(Result(scheduler.ask(), float(rng.random() < 0.7)))
    step = step_size / scale**2 * scheduler.anchor
    length = np.linalg.norm(step)
    expected = scheduler.anchor + step * min(1.0, 2.0 / length)
    np.testing.assert_allclose(scheduler.iterate[:, 0], expected, atol=1e-6)
    assert length > 0.1


def test_a_mean_rr_of_sixty_percent_does_not_bound_the_rank():
    strengths = np.arange(100.0)
    ranked = [strengths] * 3 + [-strengths] * 2  # the best is first three times, and last twice
    assert np.mean([reciprocal_rank(ratings, strengths) for ratings in ranked]) >= 0.6


def test_the_batch_of_the_theory_grows_faster_than_the_players():
    def size(n_players):
        """With constants so small that only the term for the fit counts."""
        return batch_size(
            n_players, 1000, near_curvature=0.1, far_curvature=0.05,
            information=2.0 / (n_players - 1), convexity=0.05, constants=(1e-9, 1e-9),
        )  # fmt: skip

    assert size(4000) / size(2000) == pytest.approx(4.0, rel=0.01)


def test_given_the_past_the_next_pair_is_certain():
    """So it is not independent of the past, and its expected matrix then has rank 1."""
    rng = np.random.default_rng(0)
    made = [MaxIn(Elo(6), rng=np.random.default_rng(seed), batch_size=15) for seed in (1, 2)]
    first_batch = [Match(*pair) for pair in combinations(range(6), 2)]
    for n_told in range(60):
        [match] = first_batch[n_told : n_told + 1] or {each.ask() for each in made}
        score = float(rng.random() < 0.5)
        for each in made:
            each.tell(Result(match, score))


def test_no_information_about_players_outside_the_candidates():
    candidates = [Match(*pair) for pair in combinations(range(5), 2)]
    assert algebraic_connectivity(candidates, 5) > 1.0
    assert algebraic_connectivity(candidates, 6) == pytest.approx(0.0, abs=1e-12)


@pytest.mark.parametrize("n_players", [2, 10, 100])
def test_no_ratings_allow_both_tau_and_alpha(n_players):
    for lead in np.linspace(0.0, 50.0, 101):
        ratings = np.zeros(n_players)
        ratings[0] = lead
        information = 2.0 / (n_players - 1)  # the largest possible
        assert lead < 4.0 * math.sqrt(2.0) / (curvature(ratings, 3.0) * information)


class ProofRecorder(MaxIn):
    """MaxIn-Elo that records, for each match, widths in V_t and in V of the batch's start."""

    def __init__(self, n_players, best, rng):
        super().__init__(Elo(n_players), rng=rng, batch_size=100, exploration=20.0, alone="self")
        self.best, self.at_start, self.record, self.widest = best, np.empty(0), [], 0.0

    def ask(self):
        """See `Scheduler.ask`."""
        if self.n_told < self.batch_size:
            return super().ask()
        now = self.uncertainty.widths()
        if self.n_told % self.batch_size == 0:
            self.at_start = now
        self.widest = max(self.widest, now.max())
        match = super().ask()
        if self.best in self.candidates():
            other = self.at_start[self.best, match.first]
            self.record.append((self.n_told, now[match], self.at_start[match], other))
        return match


@pytest.fixture(scope="module")
def proof_run():
    """A run whose first batch connects all players well, as the proofs assume."""
    rng = np.random.default_rng(0)
    game = make_game("elo:n_players=20", rng)
    scheduler = ProofRecorder(20, game.top()[0], rng)
    simulation = Simulation(game, scheduler, rng)
    simulation.advance(1000)
    assert algebraic_connectivity(simulation.matches[:100], 20) >= 1.0
    return scheduler


def test_widths_are_at_most_root_two_after_a_good_first_batch(proof_run):
    assert 0.0 < proof_run.widest <= math.sqrt(2.0)


def test_two_steps_of_the_proof_of_theorem_1_fail_on_a_run(proof_run):
    told, now, at_start, of_best = np.array(proof_run.record).T
    assert (of_best > at_start).mean() > 0.1  # s.931: the pair played is not the widest in V_jtau+1
    starts = told // 100 * 100
    before, after = ([g1(t, 20, 1000, 0.1) for t in times] for times in (starts, told))
    assert np.dot(before, at_start) > np.dot(after, now)  # s.959
    assert np.dot(before, at_start) <= 100 * np.dot(after, now)  # s.952, with the factor tau
