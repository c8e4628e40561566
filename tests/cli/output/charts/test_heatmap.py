import numpy as np

from maxin.cli.output.charts.heatmap import heatmap, shrink
from tests.helpers.consoles import console, printed


def test_heatmap_shows_small_and_large_matrices():
    for n in (3, 100, 300):
        matrix = np.sign(np.subtract.outer(np.arange(n), np.arange(n))).astype(float)
        for colours in (True, False):
            where = console(colours)
            assert len(printed(heatmap(matrix, where), where).splitlines()) >= n // 10


def test_shrinking_keeps_the_mean():
    matrix = np.random.default_rng(0).normal(size=(12, 12))
    assert np.isclose(shrink(matrix, 4).mean(), matrix.mean())
    np.testing.assert_array_equal(shrink(matrix, 12), matrix)
