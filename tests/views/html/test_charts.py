import numpy as np
import pytest

from maxin.views.html.charts import Axis, Curve, bars, lines, spread, steps
from tests.helpers.markup import Page

HOSTILE = "</title><script>alert(1)</script>"


@pytest.mark.parametrize(("low", "high"), [(0.0, 1.0), (-3.0, 5000.0), (0.1, 0.11), (-1e-3, 7.0)])
def test_ticks_are_few_and_on_the_axis(low, high):
    ticks = Axis(low, high).ticks()
    assert 2 <= len(ticks) <= 7
    assert all(-1e-9 <= Axis(low, high).place(tick) <= 1.0 + 1e-9 for tick in ticks)


@pytest.mark.parametrize(
    ("low", "high"), [(2, 121), (5, 20_000), (12, 721), (6, 600), (7, 2000), (300, 18_001)]
)
def test_ticks_of_a_log_axis_are_few_and_on_the_axis(low, high):
    axis = Axis(low, high, is_log=True)
    assert 2 <= len(axis.ticks()) <= 7
    assert all(0.0 <= axis.place(tick) <= 1.0 for tick in axis.ticks())


def test_labels_never_overlap():
    wanted = np.random.default_rng(0).uniform(0.0, 300.0, 12).tolist()
    found = spread(wanted, 17.0, 300.0)
    assert (np.diff(np.sort(found)) >= 17.0 - 1e-9).all()
    assert max(found) <= 300.0
    assert np.argsort(found).tolist() == np.argsort(wanted).tolist()


def test_curves_skip_what_is_not_known():
    curve = Curve("anna", np.array([np.nan, 0.0, 1.0]), "s0", label="anna")
    page = Page(lines("Ratings", Axis(0.0, 2.0), Axis(0.0, 1.0), [0.0, 1.0, 2.0], [curve]))
    paths = [attrs["d"] for tag, attrs in page.elements if attrs.get("class") == "line s0"]
    assert paths == ["M500 1000L1000 0"]


def test_steps_hold_until_the_next_place():
    page = Page(
        steps("Count", Axis(0.0, 2.5), Axis(0.0, 4.0), [0, 1, 2], np.array([4.0, 2.0, 1.0]))
    )
    [line] = [attrs["d"] for tag, attrs in page.elements if attrs.get("class") == "line s0"]
    assert line == "M0 0H400V500H800V750H1000"


def test_the_parts_of_a_bar_add_up_to_its_height():
    page = Page(bars("Matches", [(3.0, 1.0), (2.0, 2.0)], ["anna", "bo"]))
    heights = [float(attrs["height"]) for tag, attrs in page.elements if tag == "rect"]
    assert heights == [750.0, 250.0, 500.0, 500.0]


def test_titles_names_and_labels_are_text():
    values, across, up = np.array([0.0, 1.0]), Axis(0.0, 1.0), Axis(0.0, 1.0)
    curve = Curve(HOSTILE, values, "s0", label=HOSTILE)
    for chart in (
        lines(HOSTILE, across, up, [0.0, 1.0], [curve]),
        steps(HOSTILE, across, up, [0.0, 1.0], values),
        bars(HOSTILE, [(1.0, 2.0)], [HOSTILE]),
    ):
        page = Page(chart)
        assert page.count("script") == 0
        assert HOSTILE in page.words["title"]
