import numpy as np
import pytest
from scipy.special import expit

from maxin.core import InvalidInput, Match, Result, Stop
from maxin.evaluation import Verdict, top_verdict
from maxin.ratings.fitting.pairs import Pairs
from maxin.schedulers import SieveTopTwo, TopTwo, make_scheduler
from maxin.schedulers.sieve import field_verdict
from maxin.testing import SCHEDULER_CHECKS

N = 240
SIZES = {"k": 1, "n_contenders": 32}


@pytest.mark.parametrize("check", SCHEDULER_CHECKS, ids=lambda check: check.__name__)
@pytest.mark.parametrize(("k", "n_contenders"), [(1, 512), (1, 4), (2, 4)])
def test_it_keeps_the_contract(k, n_contenders, check):
    check(lambda n_players, rng: SieveTopTwo(n_players, rng=rng, k=k, n_contenders=n_contenders))


class Arena:
    """Players with known strengths, who play what a scheduler asks."""

    def __init__(self, scheduler, seed=0, spread=1.0, n_flying=1):
        self.scheduler, self.rng = scheduler, np.random.default_rng(seed)
        self.strengths = spread * self.rng.standard_normal(scheduler.n_players)
        self.log, self.flying, self.n_flying = [], [], n_flying

    def play(self, n_matches):
        for _ in range(n_matches):
            while len(self.flying) < self.n_flying:
                self.flying.append(self.scheduler.ask())
            match = self.flying.pop(int(self.rng.integers(len(self.flying))))
            lead = self.strengths[match.first] - self.strengths[match.second]
            self.log.append(Result(match, float(self.rng.random() < expit(lead))))
            self.scheduler.tell(self.log[-1])
        return self


def new(**options):
    return SieveTopTwo(N, rng=np.random.default_rng(1), **{**SIZES, **options})


def replayed(log, **options):
    scheduler = new(**options)
    for result in log:
        scheduler.tell(result)
    return scheduler


@pytest.mark.parametrize("n_matches", [100, 500, 900])
@pytest.mark.parametrize("n_flying", [1, 40])
def test_a_replay_has_the_same_bits_and_asks_the_same(n_matches, n_flying):
    arena = Arena(new(), n_flying=n_flying).play(n_matches)
    for match in arena.flying:
        arena.scheduler.withdraw(match)
    copy = replayed(arena.log)
    np.testing.assert_array_equal(arena.scheduler.ratings(), copy.ratings())
    asked = [arena.scheduler.ask() for _ in range(60)], [copy.ask() for _ in range(60)]
    assert asked[0] == asked[1]


def test_the_best_is_found_and_the_verdict_is_that_of_the_exact_rule():
    arena = Arena(new(), seed=3, spread=1.5)
    scheduler = arena.scheduler
    assert scheduler.verdict().kind == "undecided"
    assert "the field is still screened: about 240 of 240 players" in scheduler.explanation()
    arena.play(1_000)
    while scheduler.verdict().kind != "decided" and scheduler.n_told < 8_000:
        assert "a decision needs" in scheduler.explanation()
        arena.play(100)
    verdict = scheduler.verdict()
    assert verdict.players == (int(arena.strengths.argmax()),)
    assert verdict.kind == "decided"
    assert "the doubt outside the contenders is only 0.00" in scheduler.explanation()
    posterior, doubts = scheduler._stage.posterior, scheduler.doubts()
    assert doubts.outside <= 0.05 / 5.0
    found = top_verdict(posterior.ratings(), posterior.covariance())
    assert (verdict.kind, verdict.shortfall, verdict.needed) == (found.kind, *found[3:])
    inside = top_verdict(posterior.ratings(), posterior.covariance(), Stop(tolerance=0.0))
    assert inside.odds == pytest.approx(1.0 - doubts.inside, abs=1e-9)
    assert verdict.odds == pytest.approx(found.odds - doubts.outside)


@pytest.fixture
def told_apart(monkeypatch):
    """A scheduler whose contenders are told apart; nobody else is in doubt."""
    scheduler = Arena(new(), seed=3, spread=1.5).play(900).scheduler
    assert not scheduler.is_screening
    decided = Verdict("decided", (0,), 1.0)
    monkeypatch.setattr(field_verdict, "top_verdict", lambda *_, **__: decided)
    monkeypatch.setattr(scheduler._stage, "outside_doubts", lambda: np.array([1e-9]))
    return scheduler


def test_no_verdict_while_the_contenders_are_not_told_apart():
    scheduler = Arena(new(), seed=3, spread=1.5).play(900).scheduler
    stop = Stop(confidence=0.999, tolerance=0.0)
    assert scheduler.verdict(stop).kind == "undecided"
    assert "among the 32 contenders, the shortfall expected is" in scheduler.explanation(stop)


def test_no_verdict_while_outsiders_have_more_than_their_part_of_the_doubt(monkeypatch, told_apart):
    monkeypatch.setattr(told_apart._stage, "outside_doubts", lambda: np.array([0.008, 0.012]))
    assert told_apart.verdict(Stop(confidence=0.95)).kind == "undecided"
    said = told_apart.explanation(Stop(confidence=0.95))
    assert "outside the 32 contenders is 0.02; a decision needs 0.01 at most" in said
    assert told_apart.verdict(Stop(confidence=0.85)).kind == "decided"


@pytest.mark.parametrize("what", ["a top of three", "more players"])
def test_no_verdict_where_no_stop_was_simulated(monkeypatch, told_apart, what):
    assert told_apart.verdict().kind == "decided"
    if what == "more players":
        monkeypatch.setattr(field_verdict, "MOST_SHOWN", N - 1)
    else:
        monkeypatch.setattr(told_apart._stage, "k", 3)
    assert told_apart.verdict().kind == "undecided"
    assert "the contenders are told apart, but" in told_apart.explanation()


def test_the_best_three_are_found():
    arena, best = Arena(new(k=3, n_contenders=48), seed=4), {5, 50, 150}
    arena.strengths[list(best)] = 5.0
    arena.play(1_500)
    assert set(np.argsort(-arena.scheduler.ratings())[:3].tolist()) == best
    assert set(arena.scheduler.verdict().players) == best


def test_outsiders_get_their_share_of_the_matches():
    arena = Arena(new(), seed=5).play(600)
    scheduler, stage = arena.scheduler, arena.scheduler._stage
    start, share = scheduler._plan_start, stage.share
    assert 0.0 < share < 1.0
    arena.play(scheduler._plan_end - scheduler.n_told - 1)
    since = arena.log[start:]
    planned = {frozenset(pair) for pair in scheduler._plan.pairs.tolist()}
    outside = [result for result in since if frozenset(result.match) in planned]
    assert abs(len(outside) - share * len(since)) <= 3


def test_all_matches_reach_the_graph():
    arena = Arena(new(), seed=6).play(600)
    arena.play(arena.scheduler._plan_end - arena.scheduler.n_told)
    graph = arena.scheduler.graph
    assert graph.n_told == arena.scheduler.n_told
    assert graph.state.played[: graph.state.counts[0]].sum() == graph.n_told


def test_many_in_flight_are_different_pairs():
    scheduler = new()
    pairs = {frozenset(scheduler.ask()) for _ in range(100)}
    assert len(pairs) == 100


def test_it_can_start_from_the_points_of_pairs():
    arena = Arena(new(), seed=7).play(1_000)
    log = [(*result.match, result.score) for result in arena.log]
    scheduler = new()
    scheduler.start_from(Pairs.of_log(*zip(*log, strict=True), n_players=N), 0.0)
    assert scheduler.n_told == 1_000
    assert not scheduler.is_screening
    assert np.corrcoef(scheduler.ratings(), arena.scheduler.ratings())[0, 1] > 0.98


def test_the_name_top_two_is_exact_up_to_2000_players():
    rng = np.random.default_rng(0)
    assert isinstance(make_scheduler("top-two", 2_000, rng), TopTwo)
    sieve = make_scheduler("top-two:k=200,kappa=0.5", 2_001, rng)
    assert isinstance(sieve, SieveTopTwo)
    assert (sieve.k, sieve.n_contenders) == (200, 800)


@pytest.mark.parametrize("k", [0, 501])
def test_a_top_that_is_too_large_is_refused(k):
    with pytest.raises(InvalidInput, match=f"from 1 to 500 with 3000 players; got {k}"):
        make_scheduler(f"top-two:k={k}", 3_000, np.random.default_rng(0))


def test_results_of_outsiders_nobody_asked_for_are_learnt_at_once():
    arena = Arena(new(), seed=8).play(600)
    scheduler = arena.scheduler
    outsider = next(x for x in range(N) if scheduler._stage.local(Match(x, x)) is None)
    before = scheduler.ratings()[outsider]
    scheduler.tell(Result(Match(outsider, int(scheduler._stage.contenders[0])), 1.0))
    assert scheduler.ratings()[outsider] > before
