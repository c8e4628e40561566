"""Every claim about Figures 1 to 3 holds on numbers made to fit it, and fails on others."""

from dataclasses import replace

import pytest

from maxin_studies.reproduction.claims import Study, claims
from studies.tests.helpers.small_paper import grows_to, made_study, outcome, rises_at, verdict

BASELINES = ("Random", "RG-UCB", "DBGD", "MaxInP")
SLOW = outcome(0.4, grows_to(1000.0))
FAST = outcome(rises_at(10), grows_to(5.0, by_half=1.0))
POOR = outcome(0.3, grows_to(2000.0))
SIX = ("Kuhn-poker", "AlphaStar", "tic_tac_toe", "hex(board_size=3)", "Blotto", "5,3-Blotto")
FIVE = (
    "Elo game",
    "Elo game + noise=0.01",
    "Elo game + noise=0.05",
    "Elo game + noise=0.1",
    "Transitive game",
)


def panel(ours, **others):
    return {**dict.fromkeys(BASELINES, SLOW), **others, "MaxIn-Elo": ours}


def figure1():
    return {"2 Good, 2 Bad": {**panel(FAST), "alpha-IG": SLOW}}


def figure2():
    games = {name: panel(FAST) for name in FIVE}
    dbgd = outcome(rises_at(5), grows_to(500.0))
    games["Triangular game"] = panel(FAST, MaxInP=outcome(rises_at(15), 4.0), DBGD=dbgd)
    return games


def figure3():
    games = {name: {**dict.fromkeys(BASELINES, SLOW), "MaxIn-mElo": FAST} for name in SIX}
    games["Blotto"]["MaxIn-mElo"] = outcome(0.7, grows_to(5.0, by_half=1.0))
    return games


@pytest.mark.parametrize(
    ("name", "panels"), [("figure1", figure1()), ("figure2", figure2()), ("figure3", figure3())]
)
def test_everything_holds_where_the_numbers_fit(name, panels):
    found = list(claims(made_study(name, panels)))
    assert {claim.text: claim.evidence for claim in found if claim.holds is not True} == {}
    assert all(claim.place.startswith("s.") for claim in found)


@pytest.mark.parametrize(
    ("text", "name", "run"),
    [
        ("RR converges fastest", "alpha-IG", outcome(rises_at(5), 1000.0)),
        ("regret converges fastest", "RG-UCB", outcome(0.4, 1000.0)),
        ("lowest regret", "DBGD", outcome(0.4, grows_to(4.0))),
        ("close to 0", "MaxIn-Elo", outcome(1.0, grows_to(11.0, by_half=1.0))),
    ],
)
def test_claims_about_figure_1_can_fail(text, name, run):
    panels = figure1()
    panels["2 Good, 2 Bad"][name] = run
    assert verdict("figure1", panels, text) is False


@pytest.mark.parametrize(
    ("text", "game", "name", "run"),
    [
        ("five stochastic games, not counting MaxInP", "Elo game", "MaxIn-Elo", POOR),
        ("highest RR on the five", "Elo game", "MaxIn-Elo", POOR),
        ("(RR at most 0.05 below", "Triangular game", "MaxIn-Elo", outcome(0.9, 5.0)),
        ("(regret below 1.5 times", "Triangular game", "MaxIn-Elo", outcome(1.0, 6.5)),
        ("RR converges to 1 on four games", "Elo game", "MaxIn-Elo", outcome(0.9, 5.0)),
        ("reaches 0.6 on Transitive", "Transitive game", "MaxIn-Elo", outcome(0.55, 5.0)),
        ("reaches 0.8 on Elo", "Elo game + noise=0.1", "MaxIn-Elo", outcome(0.75, 5.0)),
        ("first or second", "Transitive game", "MaxIn-Elo", outcome(0.4, 5.0)),
        ("after half of the rounds", "Elo game", "MaxIn-Elo", outcome(1.0, grows_to(5.0, 0.85))),
        ("S has only the top", "Elo game", "MaxIn-Elo", FAST._replace(n_candidates=0)),
        ("S has only the top", "Elo game", "MaxIn-Elo", FAST._replace(keeps_best=False)),
        ("no longer grows", "Elo game", "MaxIn-Elo", outcome(1.0, grows_to(5.0))),
        ("DBGD finds the best player first", "Triangular game", "DBGD", outcome(rises_at(20), 9.0)),
        ("DBGD has a large regret", "Triangular game", "DBGD", outcome(1.0, 4.5)),
    ],
)
def test_claims_about_figure_2_can_fail(text, game, name, run):
    panels = figure2()
    panels[game][name] = run
    assert verdict("figure2", panels, text) is False


def test_two_at_1_in_every_run_do_not_outperform_each_other():
    panels = figure2()
    panels["Elo game"]["MaxInP"] = outcome(1.0, 1000.0)
    assert verdict("figure2", panels, "highest RR on the five") is None


def test_maxinp_can_be_left_out_of_the_comparison():
    panels = figure2()
    panels["Elo game"]["MaxInP"] = outcome(0.4, 1.0)
    found = list(claims(made_study("figure2", panels)))
    verdicts = [claim.holds for claim in found if "significantly lower" in claim.text]
    assert verdicts == [False, True]


def test_one_run_in_which_the_top_player_is_third_decides():
    panels = figure2()
    panels["Transitive game"]["MaxIn-Elo"] = [outcome(0.9, 5.0)] * 5 + [outcome(1 / 3, 5.0)]
    assert verdict("figure2", panels, "first or second") is False


def test_regret_may_grow_while_there_are_several_candidates():
    panels = figure2()
    growing = outcome(1.0, grows_to(5.0), n_candidates=2)
    panels["Elo game"]["MaxIn-Elo"] = [FAST] * 5 + [growing]
    assert verdict("figure2", panels, "no longer grows") is True
    for panel in panels.values():
        panel["MaxIn-Elo"] = growing
    assert verdict("figure2", panels, "no longer grows") is None  # there is no such run


@pytest.mark.parametrize(
    ("text", "game", "name", "run"),
    [
        ("all six games, not counting MaxInP", "AlphaStar", "MaxIn-mElo", POOR),
        ("highest RR on all six", "AlphaStar", "MaxIn-mElo", POOR),
        ("converges to 1 on all games except Blotto", "AlphaStar", "MaxIn-mElo", POOR),
        ("does not reach 1 on Blotto", "Blotto", "MaxIn-mElo", FAST),
        ("On Blotto, MaxIn-mElo still has a higher RR", "Blotto", "DBGD", outcome(0.8, 1000.0)),
        ("On Blotto, MaxIn-mElo still has a lower regret", "Blotto", "DBGD", outcome(0.4, 1.0)),
    ],
)
def test_claims_about_figure_3_can_fail(text, game, name, run):
    panels = figure3()
    panels[game][name] = run
    assert verdict("figure3", panels, text) is False


def test_s_is_judged_on_the_games_that_the_paper_names():
    panels = figure2()
    for name in ("Transitive game", "Triangular game", "Elo game + noise=0.1"):
        panels[name]["MaxIn-Elo"] = outcome(1.0, grows_to(5.0), keeps_best=False)
    for text in ("S has only the top player", "no longer grows"):
        assert verdict("figure2", panels, text) is True


def test_two_at_1_in_every_run_are_both_highest():
    panels = figure3()
    panels["AlphaStar"]["DBGD"] = outcome(1.0, 1000.0)
    assert verdict("figure3", panels, "highest RR on all six") is True


def test_claims_about_s_leave_out_games_whose_scripts_have_another_best_player():
    """Under `as-printed` a game with two truths is judged by mean score, and S is about x*."""
    study = made_study("figure2", figure2(), protocol="as-printed")
    name = study.experiment.games[0].name
    both = (*study.experiment.games, replace(study.experiment.games[0], truth="score"))
    split = Study(replace(study.experiment, games=both), study.lines)
    labels = [panel.label for panel in study.rated_panels("as-printed")]
    assert name in labels
    assert [panel.label for panel in split.rated_panels("as-printed")] == labels[1:]
