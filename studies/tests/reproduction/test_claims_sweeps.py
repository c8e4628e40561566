"""Every claim about Figure 4 and the sweeps holds on numbers made to fit it, and can fail."""

import pytest

from maxin_studies.reproduction.claims import claims
from maxin_studies.reproduction.figures import ELO_GAMES
from maxin_studies.reproduction.grids import BATCHES, DIMENSIONS, EXPLORATIONS
from studies.tests.helpers.small_paper import made_study, outcome, verdict

NAMES = [game.name for game in ELO_GAMES]
BASELINES = ("Random", "RG-UCB", "DBGD", "MaxInP")


def tops(first, others):
    """An outcome by hit ratio@1 and by hit ratio@2..10."""
    return outcome(0.5, 1.0, hit=[first] + [others] * 9)


def figure4():
    return {
        name: {**dict.fromkeys(BASELINES, tops(0.5, 0.8)), "MaxIn-Elo": tops(0.9, 0.8)}
        for name in NAMES
    }


def gamma_line(gamma, name):
    """Top-1 is best at 0.6 (0.4 on Transitive game), top-k at 1 (0.4 on Transitive game)."""
    first = 0.2 if gamma < 0.6 else 1.1 - gamma / 2.0
    others = 0.5 + 0.4 * gamma if gamma <= 1.0 else 0.95 - 0.1 * gamma
    if name == "Transitive game" and gamma == 0.4:
        first, others = 1.0, 1.0
    run = tops(first, others)
    return run._replace(n_candidates=int(10 * gamma), keeps_best=gamma > 0.4)


def gammas():
    return {
        name: {f"gamma = {gamma:g}": gamma_line(gamma, name) for gamma in EXPLORATIONS}
        for name in NAMES
    }


def dimensions():
    rr = dict(zip(DIMENSIONS, [0.2, 0.4, 0.6, 0.9, 0.5], strict=True))
    lines = {f"2k = {size}": outcome(rr[size], 100.0 * (2 - rr[size])) for size in rr}
    return {"Kuhn-poker": lines}


def batches(name):
    rr = {0.5: 0.8, 0.7: 0.9, 0.9: 0.8, 1.0: 0.6}
    lines = {f"tau = {share:g} n": rr.get(share, 0.5) for share in BATCHES}
    made = {one: outcome(rank, 2 - rank) for one, rank in {"tau = 1": 0.2, **lines}.items()}
    return {name: made}


@pytest.mark.parametrize(
    ("name", "panels", "n_claims"),
    [
        ("figure4", figure4(), 2),
        ("gamma", gammas(), 13),
        ("dimension", dimensions(), 6),
        ("batch, Elo game", batches("Elo game"), 6),
        ("batch, Kuhn-poker", batches("Kuhn-poker"), 6),
    ],
)
def test_everything_holds_where_the_numbers_fit(name, panels, n_claims):
    found = list(claims(made_study(name, panels)))
    assert {claim.text: claim.evidence for claim in found if claim.holds is not True} == {}
    assert len(found) == len({claim.text for claim in found}) == n_claims


@pytest.mark.parametrize(("n_worse", "holds"), [(1, True), (2, True), (3, False)])
def test_comparable_on_most_games(n_worse, holds):
    panels = figure4()
    for name in NAMES[:n_worse]:
        panels[name]["MaxIn-Elo"] = tops(0.9, 0.6)
    assert verdict("figure4", panels, "comparable at top-k") is holds


def test_best_at_top_1_on_all_games():
    panels = figure4()
    panels["Elo game"]["DBGD"] = tops(1.0, 0.8)
    assert verdict("figure4", panels, "best at top-1") is False
    panels["Elo game"]["MaxIn-Elo"] = tops(1.0, 0.8)
    assert verdict("figure4", panels, "best at top-1") is True


@pytest.mark.parametrize(
    ("text", "names", "gamma", "run"),
    [
        ("better top-k performance on most games (", NAMES[:4], 0.2, tops(0.2, 3.0)),
        ("leaves fewer candidates", NAMES[:1], 0.2, tops(0.2, 0.5)._replace(n_candidates=99)),
        ("on most games up to gamma = 1", NAMES[:4], 0.2, tops(0.2, 3.0)),
        ("gamma = 1.2 is worse", NAMES[:4], 1.2, tops(0.5, 1.0)),
        ("gamma = 0.6 is best at top-1 on Elo game, its", ["Triangular game"], 1, tops(1.0, 0.9)),
        ("Top-1 drops", ["Elo game"], 2, tops(5.0, 0.5)),
        ("misidentifies", ["Elo game + noise=0.1"], 0.4, tops(0.9, 0.6)),
        ("On Elo game, gamma = 0.6 is best", ["Elo game"], 0.4, tops(1.0, 0.6)),
        ("On Elo game, gamma = 1 is best", ["Elo game"], 0.8, tops(0.7, 1.0)),
        ("balances", ["Elo game"], 0.8, tops(0.5, 0.8)),
        ("balances", ["Elo game"], 0.8, tops(0.7, 0.5)),
        ("On Transitive game, gamma = 0.4 is best at top-1", ["Transitive game"], 0.4, tops(0, 1)),
        ("On Transitive game, gamma = 0.4 is best at top-k", ["Transitive game"], 0.4, tops(1, 0)),
    ],
)
def test_claims_about_gamma_can_fail(text, names, gamma, run):
    panels = gammas()
    for name in names:
        panels[name][f"gamma = {gamma:g}"] = run
    assert verdict("gamma", panels, text) is False


def test_a_small_gamma_that_keeps_the_best_player_excludes_nobody():
    panels = gammas()
    for name in NAMES[:4]:
        for gamma, run in panels[name].items():
            panels[name][gamma] = run._replace(keeps_best=gamma in ("gamma = 0.2", "gamma = 0.4"))
    assert verdict("gamma", panels, "excludes x*") is False


@pytest.mark.parametrize(
    ("text", "line", "run"),
    [
        ("2k = 8 is best (mean RR", "2k = 4", outcome(1.0, 150.0)),
        ("2k = 8 is best (final regret", "2k = 4", outcome(0.6, 10.0)),
        ("up to 8 (slope per step of 2k; mean RR", "2k = 0", outcome(1.0, 150.0)),
        ("up to 8 (slope per step of 2k; final regret", "2k = 0", outcome(0.2, 1.0)),
        ("Performance drops at 2k = 16 (mean RR", "2k = 16", outcome(1.0, 150.0)),
        ("Performance drops at 2k = 16 (final regret", "2k = 16", outcome(0.5, 1.0)),
    ],
)
def test_claims_about_the_dimension_can_fail(text, line, run):
    panels = dimensions()
    panels["Kuhn-poker"][line] = run
    assert verdict("dimension", panels, text) is False


@pytest.mark.parametrize("game", ["Elo game", "Kuhn-poker"])
@pytest.mark.parametrize(
    ("text", "line", "run"),
    [
        ("tau = 1 is worse", "tau = 1", outcome(1.0, 0.5)),
        ("8 n are worse", "tau = 8 n", outcome(1.0, 0.5)),
        ("is best", "tau = 0.1 n", outcome(1.0, 0.5)),
    ],
)
def test_claims_about_tau_can_fail(game, text, line, run):
    panels = batches(game)
    panels[game][line] = run
    found = claims(made_study(f"batch, {game}", panels))
    verdicts = [claim.holds for claim in found if text in claim.text]
    assert verdicts == [False, False]  # by RR and by regret


def test_tau_of_n_is_good_on_the_elo_game_alone():
    for game, holds in (("Elo game", True), ("Kuhn-poker", False)):
        panels = batches(game)
        panels[game]["tau = 1 n"] = outcome(1.0, 0.5)
        text = "is best, by mean RR"
        assert verdict(f"batch, {game}", panels, text) is holds
