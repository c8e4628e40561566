"""Printed end points: which of ours agree with them."""

import pytest

from maxin_studies.reproduction.claims import claims
from studies.tests.helpers.small_paper import made_study, outcome, verdict

PRINTED = {
    ("Elo game", 60, "Random"): (100.0, 0.4),
    ("Elo game", 60, "MaxInP"): (80.0, 0.4),
    ("Elo game", 60, "MaxIn-Elo"): (10.0, 1.0),
}


def panels(random=110.0, random_rr=0.5, ours=9.0):
    lines = {
        "Random": outcome(random_rr, random),
        "RG-UCB": outcome(0.4, 1.0),
        "DBGD": outcome(0.4, 1.0),
        "MaxInP": outcome(0.4, 80.0),
        "MaxIn-Elo": outcome(1.0, ours),
    }
    return {"Elo game": lines}


@pytest.mark.parametrize("protocol", ["hindsight", "as-printed"])
@pytest.mark.parametrize(
    ("regret", "rr", "agree"),
    [(114.0, 0.54, (True, True)), (116.0, 0.4, (False, True)), (84.0, 0.56, (False, False))],
)
def test_end_points_agree_within_15_percent_and_15_hundredths(protocol, regret, rr, agree):
    made = panels(regret, rr)
    options = {"printed": PRINTED, "protocol": protocol}
    assert (
        verdict("figure2", made, "Random's final regret is within 15%", **options),
        verdict("figure2", made, "Random's final RR", **options),
    ) == agree


def test_the_place_of_maxin_is_that_among_the_printed_lines():
    text = "same place"
    assert verdict("figure2", panels(), text, PRINTED) is True  # RG-UCB and DBGD are not printed
    assert verdict("figure2", panels(ours=90.0), text, PRINTED) is False


@pytest.mark.parametrize(
    ("figure", "options", "printed"),
    [
        ("figure2", {"protocol": "held-out"}, PRINTED),  # the paper's are in hindsight
        ("figure2", {"truth": "score"}, PRINTED),  # the paper's truth is the rating
        ("figure1", {}, PRINTED),
        ("figure2", {}, {("Elo game", 1000, "Random"): (1.0, 1.0)}),  # other rounds
    ],
)
def test_other_ends_are_not_compared(figure, options, printed):
    study = made_study(figure, panels(), **options)
    found = list(claims(study, printed))
    assert found
    assert all(claim.place.startswith("s.") for claim in found)
