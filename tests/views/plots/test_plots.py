"""Plots: a notebook shows each at the end of a cell, and all say what they show."""

import struct
import sys
from itertools import pairwise

import numpy as np
import pytest

from maxin.core import InvalidInput, MissingExtra
from maxin.tournament import Tournament
from tests.helpers.leagues import NAMES, alphabet, crowd

pytest.importorskip("matplotlib")

PLOTS = ["leaderboard", "history", "crosstable", "chances"]
SIGNATURE = b"\x89PNG\r\n\x1a\n"


@pytest.fixture(scope="module")
def tournament():
    made = Tournament([*NAMES, "$evil$_{x}"], seed=1)
    made.run(alphabet, budget=30, confidence=None)
    made.retire("dee")
    return made


@pytest.fixture(scope="module")
def large():
    return crowd([f"checkpoints/a-run/with-a-long-name/step-{n:03}.pt" for n in range(60)], 900)


def labels(axis):
    return [label.get_text() for label in axis.get_ticklabels()]


@pytest.mark.parametrize("plot", PLOTS)
def test_a_notebook_shows_every_plot(tournament, plot):
    picture = getattr(tournament, plot)().plot()._repr_png_()
    assert picture.startswith(SIGNATURE)
    width, height = struct.unpack(">II", picture[16:24])
    assert 500 < width < 1600
    assert 250 < height < 1600


@pytest.mark.parametrize("plot", PLOTS)
def test_every_plot_can_be_drawn_into_given_axes(tournament, plot):
    from matplotlib.figure import Figure

    figure = Figure()
    axes = figure.subplots()
    assert getattr(tournament, plot)().plot(axes) is figure
    assert axes.has_data()
    figure.savefig("/dev/null", format="png")  # all of it can be drawn, names like formulas too


@pytest.mark.parametrize("plot", PLOTS)
def test_every_plot_without_matplotlib_says_how_to_install_it(tournament, plot, monkeypatch):
    view = getattr(tournament, plot)()
    for module in ("matplotlib", "matplotlib.figure"):
        monkeypatch.setitem(sys.modules, module, None)
    with pytest.raises(MissingExtra, match="plots need matplotlib: pip install matplotlib"):
        view.plot()


@pytest.mark.parametrize("plot", PLOTS)
def test_a_number_of_players_below_one_is_refused(tournament, plot):
    view = getattr(tournament, plot)()
    with pytest.raises(InvalidInput, match="top, the players that a plot shows, must be at least"):
        view.plot(top=0)
    with pytest.raises(InvalidInput, match="top must be a whole number"):
        view.plot(top="all")


@pytest.mark.parametrize("plot", PLOTS)
def test_axes_that_are_none_are_refused(tournament, plot):
    with pytest.raises(InvalidInput, match=r"axes must be axes of matplotlib, .*; got 'ratings'"):
        getattr(tournament, plot)().plot("ratings")


def test_pairs_of_nobody_have_no_plot():
    tournament = Tournament(["anna", "bo"], seed=1)
    for name in tournament.names:
        tournament.retire(name)
    with pytest.raises(InvalidInput, match="a plot of pairs needs a player who is not retired"):
        tournament.chances().plot()


@pytest.mark.parametrize("plot", ["leaderboard", "crosstable", "chances"])
def test_plots_of_many_players_show_the_best_and_say_so(large, plot):
    axes, *_ = getattr(large, plot)().plot().axes
    assert axes.get_title(loc="left") == (
        "the best 50 of 60 players; … is checkpoints/a-run/with-a-long-name/step-"
    )
    best = large.leaderboard()[0].player.removeprefix("checkpoints/a-run/with-a-long-name/step-")
    first = labels(axes.yaxis)[0]
    assert first.split()[0] == f"…{best}"
    assert len(labels(axes.yaxis)) == 50
    axes, *_ = getattr(large, plot)().plot(top=3).axes
    assert len(labels(axes.yaxis)) == 3


def test_retired_players_are_grey(tournament):
    (axes,) = tournament.leaderboard().plot().axes
    active, retired = axes.containers
    assert len(active[0].get_xdata()) == 4
    assert retired[0].get_ydata().tolist() == [4]  # the last row
    assert active[0].get_color() != retired[0].get_color()


def test_a_history_has_the_ratings_the_interval_and_the_candidates(tournament):
    history = tournament.history()
    above, below = history.plot().axes
    lines = {tuple(line.get_ydata()[-1:].round(6)): line for line in above.lines}
    assert len(above.lines) == 5
    assert {key[0] for key in lines} == set(history.ratings[-1].round(6))
    assert above.lines[0].get_xdata().tolist() == history.after
    best = tournament.leaderboard()[0].player
    assert above.texts[0].get_text() == best.replace("$", r"\$")
    (band,) = above.collections
    leader = history.ratings[-1].max()
    bounds = band.get_paths()[0].get_extents()
    assert bounds.y0 <= leader - history.margin[-1] <= leader + history.margin[-1] <= bounds.y1
    assert below.lines[0].get_ydata().tolist() == history.n_candidates.tolist()
    assert below.get_xlabel() == "matches"
    assert repr(history) == "<History of 5 players in 30 matches>"


def test_names_at_the_ends_of_lines_do_not_overlap(large):
    above, _ = large.history().plot().axes
    low, high = above.get_ylim()
    places = [text.xy[1] for text in above.texts]
    assert len(places) == 7
    assert all(one - other > (high - low) / 18.0 for one, other in pairwise(places))


def test_a_long_history_says_that_its_axis_is_logarithmic():
    tournament = Tournament(NAMES[:2])
    tournament.add_results([("anna", "bo", float(n % 3 > 0)) for n in range(150)])
    above, below = tournament.history().plot().axes
    assert above.get_xscale() == below.get_xscale() == "log"
    assert below.get_xlabel() == "matches, on a log scale"


def test_a_history_of_no_matches_can_be_drawn():
    assert Tournament(NAMES).history().plot()._repr_png_().startswith(SIGNATURE)


def test_cells_of_a_crosstable_are_the_points_and_their_colour_the_share(tournament):
    table = tournament.crosstable()
    axes, bar = table.plot().axes
    assert bar.get_ylabel() == "share of points of the row against the column"
    (image,) = axes.images
    shares = image.get_array().filled(np.nan)
    assert np.isnan(np.diag(shares)).all()
    met = table.n_met > 0
    assert np.isfinite(shares[met]).all()
    assert np.isnan(shares[~met]).all()
    texts = {text.get_text() for text in axes.texts}
    assert texts == {table.cell(i, j) for i, j in np.argwhere(met)}
    assert str(table).splitlines()[1].startswith(f"1 {table.names[0]}")
    assert table.names == tuple(row.player for row in tournament.leaderboard())


def test_chances_are_those_of_the_ratings(tournament):
    found = tournament.chances()
    assert "dee" not in found.names  # who has retired
    assert found.names[0] == tournament.leaderboard()[0].player
    np.testing.assert_allclose(found.chances + found.chances.T, 1.0)
    belief = tournament.belief()
    numbers = np.array([belief.names.index(name) for name in found.names])
    np.testing.assert_array_equal(found.chances, belief.fit.chances(numbers))
    axes, _ = found.plot().axes
    assert f"{100 * found.chances[0, 1]:.0f} %" in {text.get_text() for text in axes.texts}
    assert f"{100 * found.chances[0, 1]:.0f} %" in str(found)
    assert found._repr_html_().count("<tr>") == 5
