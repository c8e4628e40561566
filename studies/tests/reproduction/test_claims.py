"""Claims: how verdicts on games make one, and which games, lines and protocols they are about."""

from dataclasses import replace

import pytest

from maxin_studies.reproduction.claims import Study, claims, overall_claims
from maxin_studies.reproduction.figures import FIGURES
from maxin_studies.reproduction.grids import EXTRAS
from studies.tests.helpers.small_paper import made_study, outcome, verdict

LOWEST = "lowest regret"


def panel(ours, others, algorithm="MaxIn-Elo"):
    rivals = {name: outcome(0.5, others) for name in ("Random", "RG-UCB", "DBGD", "MaxInP")}
    return {**rivals, algorithm: outcome(1.0, ours)}


@pytest.mark.parametrize(("regret", "holds"), [(5.0, True), (15.0, False), (10.0, None)])
def test_a_verdict_follows_the_numbers(regret, holds):
    ours = [outcome(1.0, regret + 0.5), outcome(1.0, regret - 0.5)] * 3
    panels = {"2 Good, 2 Bad": {**panel(0.0, 10.0), "MaxIn-Elo": ours}}
    assert verdict("figure1", panels, LOWEST) is holds


def test_four_runs_decide_nothing():
    panels = {"2 Good, 2 Bad": {name: [x] * 4 for name, x in panel(0.0, 10.0).items()}}
    assert verdict("figure1", panels, LOWEST) is None


def test_evidence_has_every_game_and_how_many_hold():
    panels = {name: panel(5.0, 10.0) for name in ("Elo game", "Transitive game")}
    panels["Transitive game"]["DBGD"] = outcome(0.5, 1.0)
    found = claims(made_study("figure2", panels))
    claim = next(claim for claim in found if "lower regret" in claim.text)
    assert claim.evidence == (
        "1 of 2. Holds for Elo game (MaxIn-Elo 5.00 ± 0.00 against Random 10.00 ± 0.00). "
        "Does not hold for Transitive game (MaxIn-Elo 5.00 ± 0.00 against DBGD 1.00 ± 0.00)"
    )
    assert (claim.place, claim.protocol, claim.verdict) == ("s.534", "hindsight", "Does not hold")


def test_games_that_were_not_played_have_no_claims():
    study = made_study("figure2", {"Triangular game": panel(1.0, 10.0)})
    texts = [claim.text for claim in claims(study)]
    assert any("Triangular" in text for text in texts)
    assert not any("five" in text or "Transitive" in text for text in texts)


def test_baselines_that_the_paper_lacks_are_not_compared():
    extras = {line.name: outcome(1.0, 0.0) for line in EXTRAS}
    panels = {"2 Good, 2 Bad": {**panel(5.0, 10.0), **extras}}
    assert verdict("figure1", panels, LOWEST) is True


def test_a_second_panel_of_a_game_is_judged_under_its_title():
    one = made_study("figure2", {"Elo game": panel(5.0, 10.0)})
    other = made_study("figure2", {"Elo game": panel(15.0, 10.0)}, truth="score")
    both = Study(one.experiment, [*one.lines, *other.lines])
    claim = next(claim for claim in claims(both) if "lower regret" in claim.text)
    assert claim.evidence.startswith("1 of 2. Holds for Elo game (MaxIn-Elo 5.00")
    assert "Does not hold for Elo game (best by mean score) (MaxIn-Elo 15.00" in claim.evidence


def test_as_printed_panels_are_found_by_name():
    study = made_study("figure2", {"Elo game": panel(5.0, 10.0)}, "as-printed", truth="score")
    game = replace(study.lines[0].game, truth="rating")
    assert study.of(game, "as-printed").keys() == panel(5.0, 10.0).keys()
    assert study.of(game, "hindsight") == {}
    claim = next(claim for claim in claims(study) if "lower regret" in claim.text)
    assert claim.evidence == "Elo game: MaxIn-Elo 5.00 ± 0.00 against Random 10.00 ± 0.00"


def test_each_statement_is_listed_under_all_protocols_in_turn():
    games = {"2 Good, 2 Bad": panel(5.0, 10.0)}
    made = [made_study("figure1", games, name) for name in ("as-printed", "held-out", "hindsight")]
    study = Study(FIGURES["figure1"], [line for one in made for line in one.lines])
    found = [(claim.text, claim.protocol) for claim in claims(study)]
    assert [protocol for _, protocol in found[:3]] == ["hindsight", "held-out", "as-printed"]
    assert len({text for text, _ in found[:3]}) == 1
    assert len(set(found)) == len(found)


def all_studies(ours=5.0, melo=5.0):
    return [
        made_study("figure1", {"2 Good, 2 Bad": panel(ours, 10.0)}),
        made_study("figure2", {"Elo game": panel(5.0, 10.0)}),
        made_study("figure3", {"Blotto": panel(melo, 10.0, "MaxIn-mElo")}),
        made_study("figure4", {"Elo game": panel(5.0, 10.0)}),
    ]


@pytest.mark.parametrize(("ours", "melo", "holds"), [(5, 5, True), (15, 5, False), (5, 15, False)])
def test_regret_over_all_games(ours, melo, holds):
    found = overall_claims(all_studies(ours, melo))
    verdicts = {claim.text: claim.holds for claim in found if claim.place == "s.132"}
    where = "(games of Figures 1, 2, 3)"
    start = "MaxIn has a significantly lower regret than"
    assert verdicts == {
        f"{start} all baselines on all games {where}": holds,
        f"{start} MaxInP on all games {where}": holds,
    }


def test_convergence_over_all_games_is_judged_by_most_of_them():
    slow = panel(5.0, 10.0)
    slow["MaxIn-Elo"] = outcome(0.5, 5.0)
    slow["DBGD"] = outcome(1.0, 5.0)
    studies = all_studies()
    for n_slow, holds in ((0, True), (1, True), (2, False)):
        made = [made_study(study.name, {"Elo game": slow}) for study in studies[:n_slow]]
        found = overall_claims([*made, *studies[n_slow:]])
        assert [claim.holds for claim in found if claim.place == "s.103"] == [holds]


def test_no_figure_with_regret_no_claim_over_all_games():
    assert overall_claims(all_studies()[-1:]) == []
