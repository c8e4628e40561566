"""The sections of the theory: what they say follows from the checks."""

import numpy as np
import pytest

from maxin.games import elo_game
from maxin.simulation.pool import TaskPool
from maxin_studies.reproduction import theory_sections
from maxin_studies.reproduction.theory_checks import TheoryCheck, TheorySettings, even_game
from maxin_studies.reproduction.theory_sections import lemmas_section, theorem_section
from maxin_studies.theory import RequiredLead

GAME = even_game(2, 0.5)
GOOD = TheoryCheck(
    GAME,
    TheorySettings(1000, 100, 5.0, True),
    connectivity=3.0,
    sum_of_widths=1.0,
    lemma1_bound=2.0,
    lemma1_holds=True,
    lemma2_ratio=0.01,
    lemma2_holds=True,
    best_share=1.0,
    best_stays=True,
    assumption=RequiredLead(0.5, 3000.0, False),
    regret=100.0,
    regret_bound=1e6,
)
LOST = GOOD._replace(best_share=0.5, best_stays=False, regret=400.0)


def verdicts(section):
    return [note.split("**")[1] for note in section.notes if note.startswith("**")]


def test_lemmas_hold_only_if_they_hold_in_all_runs():
    assert verdicts(lemmas_section([[GOOD, GOOD]])) == ["Holds", "Holds", "Not tested"]
    bad = LOST._replace(lemma1_holds=False, lemma2_holds=False, lemma2_ratio=2.0)
    section = lemmas_section([[GOOD], [GOOD, bad]])
    assert verdicts(section) == ["Does not hold", "Does not hold", "Not tested"]
    assert section.rows[1][5:10] == ["1 of 2", "1 of 2", "2", "75%", "1 of 2"]


def test_lemma_1_is_not_judged_without_a_connected_first_batch():
    loose = GOOD._replace(connectivity=0.0, lemma1_holds=False)
    assert verdicts(lemmas_section([[loose]])) == ["Holds", "Not tested"]
    assert verdicts(lemmas_section([[loose, GOOD]])) == ["Holds", "Holds", "Not tested"]


def test_the_lemmas_say_that_the_settings_miss_the_hypotheses():
    section = lemmas_section([[GOOD]])
    assert "these runs do not test the theorem" in section.notes[-1]
    assert section.rows[0][2:4] == ["2e+04", "4e+01"]


def test_a_stable_step_size_is_not_counted_among_those_that_eq_tau_allows():
    stable = LOST._replace(settings=GOOD.settings._replace(convexity=100.0))
    assert verdicts(theorem_section([[GOOD], [stable]])) == ["Holds", "Holds"]
    section = theorem_section([[GOOD, LOST], [stable]])
    assert verdicts(section) == ["Holds", "Does not hold"]
    assert "was above Random's in 1 of 1" in section.notes[2]
    assert section.rows[0][6:9] == ["100, 400", "250", "500"]


def test_the_theory_is_checked_on_the_elo_games_and_on_small_ones(monkeypatch):
    calls, reports = [], []

    def check(game, settings, seed):
        calls.append((game.name, settings.batch_size, seed))
        return GOOD._replace(game=game, settings=settings)

    monkeypatch.setattr(theory_sections, "check_theory", check)
    games = {"Elo game": elo_game(np.random.default_rng(0), n_players=10)}
    pool = TaskPool(1, lambda *report: reports.append(report))
    first, second = theory_sections.theory_sections(games, quick=True, pool=pool)
    assert [len(first.rows), len(second.rows)] == [2, 2]
    assert [call[:2] for call in calls[:2]] == [("elo", 7), ("elo", 50)]
    total = theory_sections.theory_rounds(games, quick=True)
    assert [report[1] for report in reports[:2]] == [1000, 2000]
    assert reports[-1] == ("theory", total, total)
    [only] = theory_sections.theory_sections({}, quick=True, pool=pool)
    assert only.name == "theorem1"


@pytest.mark.parametrize("quick", [True, False])
def test_small_games_end_with_a_stable_step_size(quick):
    cases = list(theory_sections._small_cases(quick))
    *others, (_, last) = cases
    assert last.convexity == last.batch_size
    assert all(settings.convexity < 0.01 * settings.batch_size for _, settings in others)
    assert all(settings.is_lemma3_exploration for _, settings in cases)
