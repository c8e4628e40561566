"""Games that end early, by the evaluations of the engines, or because an engine failed."""

import threading

import pytest

from maxin.core import InvalidInput
from maxin.runners import DrawRule, Job, MatchFailed, ResignRule, Uci
from maxin.runners.uci.adjudication import Adjudicator, check_rule
from tests.helpers.processes import is_alive
from tests.helpers.uci import BACK_AND_FORTH, FOOLS_MATE, fake, open_runner, played
from tests.helpers.waiting import LONG, wait_until, with_more_time

pytest.importorskip("chess", reason="python-chess is not installed")

pytestmark = pytest.mark.usefixtures("nothing_left")


def first_end(adjudicator, scores, start=1, noisy=()):
    """The ply at which a game with these evaluations ends, and how."""
    for n_plies, score in enumerate(scores, start=start):
        end = adjudicator.add(score, is_quiet=n_plies not in noisy, n_plies=n_plies)
        if end is not None:
            return n_plies, end
    return None


@pytest.mark.parametrize(
    ("scores", "found"),
    [
        ([5, -5] * 10, (8, "draw by adjudication")),  # not before move 4
        ([50] * 6 + [5] * 10, (10, "draw by adjudication")),  # two full moves in a row
        ([5, 5, 5, 50] * 5, None),
        ([5, None] * 10, None),
        ([10, -10] * 10, (8, "draw by adjudication")),
        ([11, -11] * 10, None),
    ],
)
def test_a_draw_needs_both_sides_near_zero_for_some_moves(scores, found):
    rule = DrawRule(movenumber=4, movecount=2, score=10)
    assert first_end(Adjudicator(rule, None), scores) == found


def test_captures_and_pawn_moves_start_the_count_again():
    rule = DrawRule(movenumber=0, movecount=2, score=10)
    assert first_end(Adjudicator(rule, None), [0] * 9) == (4, "draw by adjudication")
    assert first_end(Adjudicator(rule, None), [0] * 9, noisy=[3]) == (6, "draw by adjudication")


@pytest.mark.parametrize(
    ("scores", "twosided", "found"),
    [
        ([900, -700] * 5, False, (6, "resignation")),
        ([0, -700] * 5, False, (6, "resignation")),
        ([0, -700] * 5, True, None),
        ([900, -700] * 5, True, (6, "resignation")),
        ([-600, 0] * 5, False, (5, "resignation")),
        ([-599, 0] * 5, False, None),
        ([0, -700, 0, -700, 0, 0] * 5, False, None),
    ],
)
def test_a_player_resigns_after_some_lost_moves(scores, twosided, found):
    rule = ResignRule(movecount=3, score=600, twosided=twosided)
    assert first_end(Adjudicator(None, rule), scores) == found


@pytest.mark.parametrize(
    ("rule", "words"),
    [
        (DrawRule(movenumber=-1), "movenumber must be at least 0; got -1"),
        (DrawRule(movecount=2.5), "movecount must be a whole number; got 2.5"),
        (ResignRule(score=0), "score must be at least 1; got 0"),
        (ResignRule(twosided="yes"), "twosided must be true or false; got 'yes'"),
    ],
)
def test_invalid_rules_are_refused(rule, words):
    with pytest.raises(InvalidInput, match=f"here: {words}"):
        check_rule(rule, "here")


def scored(moves, white, black):
    """The moves of both sides, with the evaluations of each."""
    return [f"{move}@{black if place % 2 else white}" for place, move in enumerate(moves)]


def test_a_drawn_game_is_adjudicated():
    moves = scored(BACK_AND_FORTH, white=3, black=-4)
    player = fake("p", "plays", moves)
    rule = DrawRule(movenumber=2, movecount=2, score=5)
    outcome = played(player, player, opening_plies=0, draw=rule)
    assert (outcome.score, outcome.data["end"]) == (0.5, "draw by adjudication")
    assert outcome.data["plies"] == 4
    comments = outcome.data["comments"].split(", ")
    assert [text.split("/")[0] for text in comments] == ["+0.03", "-0.04", "+0.03", "-0.04"]


@pytest.mark.parametrize(("white", "black", "score"), [(-700, 700, 0.0), (700, -700, 1.0)])
def test_a_lost_game_is_adjudicated(white, black, score):
    player = fake("p", "plays", scored(BACK_AND_FORTH, white, black))
    rule = ResignRule(movecount=2, score=600, twosided=True)
    outcome = played(player, player, opening_plies=0, resign=rule)
    assert (outcome.score, outcome.data["end"], outcome.errors) == (score, "resignation", ())


def test_mate_on_the_board_comes_before_adjudication():
    player = fake("p", "plays", scored(FOOLS_MATE, white=0, black=-700))
    outcome = played(player, player, opening_plies=0, resign=ResignRule(movecount=2, score=600))
    assert (outcome.score, outcome.data["end"]) == (0.0, "checkmate")


# Engines that fail, and lose if asked for


@pytest.mark.parametrize(
    ("manner", "end", "reason"),
    [
        ("dies", "crash", "exit code: -11"),
        ("illegal", "illegal move", "illegal uci: 'e1e8'"),
        ("silent", "illegal move", "the engine returned no move"),
    ],
)
@pytest.mark.parametrize("is_white", [True, False])
def test_a_crash_or_an_illegal_move_loses_on_request(log, manner, end, reason, is_white):
    bad, good = fake("bad", manner), fake("good", "plays", FOOLS_MATE)
    pair = (bad, good) if is_white else (good, bad)
    with open_runner(opening_plies=0, on_crash="loss") as runner:
        outcome = runner.play(Job(1, *pair, seed=0))
        assert (outcome.score, outcome.data["end"]) == (0.0 if is_white else 1.0, end)
        (error,) = outcome.errors
        assert error.startswith("player 'bad': ")
        assert reason in error
        wait_until(lambda: sum(is_alive(pid) for pid in {pid for pid, _ in log()}) == 1)
        assert runner.play(Job(2, good, good, seed=0)).score == 0.0  # with the good one


def test_an_engine_that_hangs_loses_on_time_on_request():
    def test(timeout):
        with open_runner(opening_plies=0, on_crash="loss", timeout=timeout) as runner:
            good, bad = fake("good", "plays", FOOLS_MATE), fake("bad", "hangs")
            outcome = runner.play(Job(1, good, bad, seed=0))
        assert (outcome.score, outcome.data["end"]) == (1.0, "time")

    with_more_time(test, (0.5, 5.0, LONG))


@pytest.mark.parametrize(("on_crash", "end"), [("loss", "time"), ("retry", "checkmate")])
def test_a_move_after_its_time_loses_on_request(on_crash, end):
    slow = fake("slow", "slow", FOOLS_MATE, nodes=None, movetime="1ms")  # takes half a second
    outcome = played(fake("quick", "plays", FOOLS_MATE), slow, opening_plies=0, on_crash=on_crash)
    assert (outcome.score, outcome.data["end"]) == (1.0 if end == "time" else 0.0, end)


def test_a_stopped_game_is_not_a_loss(log):
    failures = []
    with open_runner(timeout=10 * LONG, on_crash="loss") as runner:

        def play():
            try:
                failures.append(runner.play(Job(1, fake("h", "hangs"), fake("i", "hangs"), seed=0)))
            except MatchFailed as failure:
                failures.append(str(failure))

        thread = threading.Thread(target=play)
        thread.start()
        wait_until(lambda: any(line.startswith("go") for _, line in log()))
        runner.kill()
        thread.join(LONG)
    assert failures == ["the game was stopped"]


def test_what_a_crash_means_is_checked():
    with pytest.raises(InvalidInput, match="on_crash must be retry or loss; got 'win'"):
        Uci(on_crash="win")
