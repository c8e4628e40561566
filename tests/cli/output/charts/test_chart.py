import numpy as np

from maxin.cli.output.charts.chart import side_by_side, trace_dots
from tests.helpers.consoles import console, printed


def test_a_curve_has_a_dot_in_every_column_it_covers():
    dots = trace_dots(np.array([0.0, 3.0, 1.0, 2.0]), 4, top=3.0, bottom=0.0, width=8, height=8)
    assert dots.any(axis=0).all()
    assert dots[7, 0] == 1
    assert dots[0, 3] == 1
    half = trace_dots(np.array([0.0, 3.0]), 4, top=3.0, bottom=0.0, width=8, height=8)
    assert half.any(axis=0).tolist() == [True] * 4 + [False] * 4


def test_charts_show_scale_names_and_length():
    curves = {"one": np.arange(1.0, 101.0), "two": np.full(40, 7.0)}
    panels = {"regret": curves, "rank of the best": curves}
    for colours in (True, False):
        where = console(colours)
        text = printed(side_by_side(panels, where), where)
        assert "100" in text
        assert "round 100" in text
        assert "one" in text
        assert "two" in text
    assert "aaa" in text  # letters where there are no colours


def test_charts_survive_flat_and_empty_curves():
    where = console(False)
    assert printed(
        side_by_side({"regret": {"none": np.array([]), "flat": np.ones(3)}}, where), where
    )
