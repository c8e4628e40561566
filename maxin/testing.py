"""Checks that every scheduler and every game passes; run them on yours.

    @pytest.mark.parametrize("check", maxin.testing.SCHEDULER_CHECKS)
    def test_my_scheduler_keeps_the_contract(check):
        check(lambda n_players, rng: MyScheduler(n_players, rng=rng))

Each check is a function whose docstring states a law; it raises `AssertionError` if the law is
broken. `check_scheduler` and `check_game` run all of them.
"""

from __future__ import annotations

import functools
from collections.abc import Callable

import numpy as np

from maxin.core import InvalidInput, Match, Result
from maxin.games import Game, triangular
from maxin.schedulers import Scheduler

MakeScheduler = Callable[[int, np.random.Generator], Scheduler]

N_PLAYERS = 6  # in the schedulers under test


def check_scheduler(make: MakeScheduler) -> None:
    """Run every check on the schedulers that `make(n_players, rng)` returns.

    >>> from maxin.schedulers import make_scheduler
    >>> check_scheduler(lambda n_players, rng: make_scheduler("random", n_players, rng))
    """
    for check in SCHEDULER_CHECKS:
        check(make)


def check_game(game: Game) -> None:
    """Run every check on `game`.

    >>> check_game(Game("coin", [[0.0, 0.2], [-0.2, 0.0]]))
    """
    for check in GAME_CHECKS:
        check(game)


def asks_two_existing_players(make: MakeScheduler) -> None:
    """Every match asked names two different, existing players."""
    scheduler = _new(make)
    for result in _play(scheduler, 40):
        first, second = result.match
        assert 0 <= first < N_PLAYERS, f"{result.match} names an unknown player"
        assert 0 <= second < N_PLAYERS, f"{result.match} names an unknown player"
        assert first != second, f"{result.match} is a match of a player against itself"


def asks_different_pairs_while_pending(make: MakeScheduler) -> None:
    """Pending matches are not asked again without need: the first three are different pairs."""
    scheduler = _new(make)
    asked = [match for match in (scheduler.ask() for _ in range(3)) if match is not None]
    pairs = {frozenset(match) for match in asked}
    assert len(pairs) == len(asked), f"asked {asked} while all were pending"


def learns_nothing_from_asking(make: MakeScheduler) -> None:
    """Asking changes no rating: with and without it, the same results give the same ratings."""
    quiet, curious = _new(make), _new(make)
    for result in _log():
        quiet.tell(result)
        curious.ask()
        curious.tell(result)
    _assert_same_bits(quiet.ratings(), curious.ratings(), "ratings with asking in between")


def takes_results_nobody_asked_for(make: MakeScheduler) -> None:
    """Results that nobody asked for are learnt from, and `ask` still works."""
    scheduler = _new(make)
    for result in _log():
        scheduler.tell(result)
    assert np.isfinite(scheduler.ratings()).all(), f"ratings are {scheduler.ratings()}"
    scheduler.ask()


def can_be_rebuilt_from_its_log(make: MakeScheduler) -> None:
    """A new scheduler that is told the same log has the same ratings and asks the same matches."""
    scheduler = _new(make)
    log = _play(scheduler, 40)
    _assert_rebuilt(scheduler, make, log)


def can_be_rebuilt_after_parallel_play(make: MakeScheduler) -> None:
    """The same if several matches were pending at a time and their results came in any order."""
    scheduler = _new(make)
    rng, game = np.random.default_rng(3), _game()
    flying: list[Match] = []
    log: list[Result] = []
    for _ in range(60):
        match = scheduler.ask() if len(flying) < 4 else None
        if match is not None:
            flying.append(match)
        elif flying:
            back = flying.pop(int(rng.integers(len(flying))))
            log.append(Result(back, game.play(back, rng)))
            scheduler.tell(log[-1])
    for match in flying:
        scheduler.withdraw(match)
    _assert_rebuilt(scheduler, make, log)


def follows_matches_asked_elsewhere(make: MakeScheduler) -> None:
    """`ask` is `choose` and `expect`: a match asked by another process counts as asked here."""
    asking, following = _new(make), _new(make)
    for result in _play(asking, 12):
        following.tell(result)
    for _ in range(4):
        chosen, asked = asking.choose(), asking.ask()
        assert chosen == asked, f"chose {chosen}, then asked {asked}"
        if asked is not None:
            following.expect(asked)
    here, there = asking.choose(), following.choose()
    assert here == there, f"the asking one would ask {here} next, the following one {there}"


def asks_and_learns_many_at_once(make: MakeScheduler) -> None:
    """`ask_many` asks up to that many; `tell_many` is `tell` for each.

    If one result is invalid, none is learnt.
    """
    many, each = _new(make), _new(make)
    asked = many.ask_many(5)
    assert len(asked) <= 5, f"asked {len(asked)} matches instead of 5"
    for match in asked:
        many.withdraw(match)
    bad = [*_log(), Result(Match(0, 1), 1.5)]
    _assert_refused(functools.partial(many.tell_many, bad), "accepted a bad result among good ones")
    many.tell_many(_log())
    for result in _log():
        each.tell(result)
    _assert_same_bits(each.ratings(), many.ratings(), "ratings of many results at once")
    here, there = each.ask(), many.ask()
    assert here == there, f"after the same results {here} is asked, and {there} if told at once"


def forgets_withdrawn_matches(make: MakeScheduler) -> None:
    """A withdrawn match leaves no trace: it is the next one to be asked."""
    scheduler = _new(make)
    _play(scheduler, 12)
    match = scheduler.ask()
    if match is None:
        return
    before = scheduler.ratings().copy()
    scheduler.withdraw(match)
    _assert_same_bits(before, scheduler.ratings(), "ratings after withdrawing")
    again = scheduler.ask()
    assert again == match, f"{match} was withdrawn, then {again} was asked"


def refuses_to_withdraw_a_match_not_pending(make: MakeScheduler) -> None:
    """Withdrawing a match that is not pending is an error."""
    _assert_refused(lambda: _new(make).withdraw(Match(0, 1)), "withdrew a match that was not asked")


def refuses_invalid_results(make: MakeScheduler) -> None:
    """Unknown players, and scores that are NaN or outside [0, 1], are errors and change nothing."""
    scheduler = _new(make)
    _play(scheduler, 12)
    before = scheduler.ratings().copy()
    for match, score in [
        (Match(0, N_PLAYERS), 1.0),
        (Match(-1, 0), 1.0),
        (Match(0, 1), 1.5),
        (Match(0, 1), -0.1),
        (Match(0, 1), float("nan")),
    ]:
        bad = Result(match, score)
        _assert_refused(functools.partial(scheduler.tell, bad), f"accepted {bad}")
    _assert_same_bits(before, scheduler.ratings(), "ratings after invalid results")


def ignores_seats(make: MakeScheduler) -> None:
    """The seats change nothing: a score s of (a, b) is the same as a score 1 - s of (b, a)."""
    straight, swapped = _new(make), _new(make)
    for (first, second), score in _log():
        straight.tell(Result(Match(first, second), score))
        swapped.tell(Result(Match(second, first), 1.0 - score))
    np.testing.assert_allclose(straight.ratings(), swapped.ratings(), atol=1e-9)


def finds_a_clear_champion(make: MakeScheduler) -> None:
    """If the better player always wins, the best player gets the highest rating."""
    for seed in range(4):
        scheduler, game = make(N_PLAYERS, np.random.default_rng(seed)), _game()
        for _ in range(90):
            match = scheduler.ask()
            if match is None:
                break
            better = game.ratings[match.first] > game.ratings[match.second]
            scheduler.tell(Result(match, float(better)))
        found = int(scheduler.ratings().argmax())
        assert found == game.top()[0], f"seed {seed}: {found} on top, not {game.top()[0]}"


SCHEDULER_CHECKS: tuple[Callable[[MakeScheduler], None], ...] = (
    asks_two_existing_players,
    asks_different_pairs_while_pending,
    learns_nothing_from_asking,
    takes_results_nobody_asked_for,
    can_be_rebuilt_from_its_log,
    can_be_rebuilt_after_parallel_play,
    follows_matches_asked_elsewhere,
    asks_and_learns_many_at_once,
    forgets_withdrawn_matches,
    refuses_to_withdraw_a_match_not_pending,
    refuses_invalid_results,
    ignores_seats,
    finds_a_clear_champion,
)


def is_fair_to_both_seats(game: Game) -> None:
    """P + P' = 1, so that each player is even with itself, and no result is certain."""
    chances = game.probabilities
    np.testing.assert_array_equal(chances + chances.T, np.ones_like(chances))
    assert (chances > 0.0).all(), "a win is impossible"
    assert (chances < 1.0).all(), "a win is certain"


def rates_by_mean_log_odds(game: Game) -> None:
    """True ratings are the row means of logit P, and the top player has the largest one."""
    chances = game.probabilities
    expected = np.log(chances / (1.0 - chances)).mean(axis=1)
    np.testing.assert_allclose(game.ratings, expected, atol=1e-9)
    assert game.ratings[game.top()[0]] == game.ratings.max(), "the top player is not the best"


def plays_by_its_probabilities(game: Game) -> None:
    """Scores are in [0, 1], their mean is P, and playing does not change the game."""
    before = game.payoffs.copy(), game.probabilities.copy(), game.ratings.copy()
    rng = np.random.default_rng(0)
    first, second = rng.choice(game.n_players, size=2, replace=False).tolist()
    scores = np.array([game.play(Match(first, second), rng) for _ in range(2000)])
    assert ((scores >= 0.0) & (scores <= 1.0)).all(), "a score is outside [0, 1]"
    gap = abs(scores.mean() - game.probabilities[first, second])
    assert gap < 5.0 * 0.5 / np.sqrt(len(scores)), f"the mean score is off by {gap}"
    for then, now in zip(before, (game.payoffs, game.probabilities, game.ratings), strict=True):
        _assert_same_bits(then, now, "the game after playing")


def refuses_unknown_players(game: Game) -> None:
    """A player outside the field is an error."""
    rng = np.random.default_rng(0)
    _assert_refused(lambda: game.play(Match(0, game.n_players), rng), "played an unknown player")


GAME_CHECKS: tuple[Callable[[Game], None], ...] = (
    is_fair_to_both_seats,
    rates_by_mean_log_odds,
    plays_by_its_probabilities,
    refuses_unknown_players,
)


def _new(make: MakeScheduler) -> Scheduler:
    return make(N_PLAYERS, np.random.default_rng(1))


def _game() -> Game:
    return triangular(np.random.default_rng(2), n_players=N_PLAYERS)


def _play(scheduler: Scheduler, n_matches: int) -> list[Result]:
    """Ask, play and tell up to `n_matches` matches; returns the log."""
    rng, game = np.random.default_rng(3), _game()
    log: list[Result] = []
    for _ in range(n_matches):
        match = scheduler.ask()
        if match is None:
            break
        log.append(Result(match, game.play(match, rng)))
        scheduler.tell(log[-1])
    return log


def _log() -> list[Result]:
    """Thirty random matches with wins, draws and losses."""
    rng = np.random.default_rng(4)
    matches = [Match(*rng.choice(N_PLAYERS, size=2, replace=False).tolist()) for _ in range(30)]
    return [Result(match, float(rng.choice([0.0, 0.5, 1.0]))) for match in matches]


def _assert_rebuilt(scheduler: Scheduler, make: MakeScheduler, log: list[Result]) -> None:
    copy = _new(make)
    for result in log:
        copy.tell(result)
    _assert_same_bits(scheduler.ratings(), copy.ratings(), "ratings after a replay")
    asked = [scheduler.ask() for _ in range(5)], [copy.ask() for _ in range(5)]
    assert asked[0] == asked[1], f"asked {asked[0]}, after a replay {asked[1]}"


def _assert_same_bits(left: np.ndarray, right: np.ndarray, what: str) -> None:
    np.testing.assert_array_equal(left, right, err_msg=what, strict=True)


def _assert_refused(act: Callable[[], object], what: str) -> None:
    try:
        act()
    except InvalidInput:
        return
    raise AssertionError(what)
