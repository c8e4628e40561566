"""The pictures of the benchmark: lines that a reader can tell apart."""

import numpy as np
import pytest
from matplotlib.colors import to_rgb

from maxin_studies.benchmarks import bench_plots
from maxin_studies.benchmarks.bench_plots import save_goals, save_races, save_readings
from maxin_studies.benchmarks.questions import GOALS_OF, SCHEDULERS, Arena
from maxin_studies.benchmarks.races import RaceCurves, race_rounds

ARENA = Arena("tiny", "field:n_players=5", 1000)
APART = 0.2  # least distance of two colours, where black and white are 1.7 apart


@pytest.fixture
def drawn(monkeypatch):
    """The figures that are drawn, in place of their files."""
    figures = []
    monkeypatch.setattr(
        bench_plots, "write_picture", lambda figure, *_, **__: figures.append(figure)
    )
    return figures


def races(names):
    curve = np.linspace(0.0, 1.0, len(race_rounds(ARENA.rounds)), dtype=np.float32)
    return {(ARENA, name): [RaceCurves(*[curve] * 7)] * 2 for name in names}


def styles(axes):
    """By scheduler: its colour, its mark, and where the marks are."""
    handles, labels = axes.get_legend_handles_labels()
    lines = {label: handle.lines[0] for handle, label in zip(handles, labels, strict=True)}
    return {
        label: (to_rgb(line.get_color()), line.get_marker(), line.get_markevery())
        for label, line in lines.items()
    }


@pytest.mark.parametrize("names", [SCHEDULERS, [f"random+elo:step_size={k}" for k in range(9)]])
def test_nine_schedulers_have_nine_lines_that_differ_in_colour_and_mark(drawn, tmp_path, names):
    save_races(races(names), tmp_path)
    for axes in drawn[0].axes:
        found = styles(axes)
        assert list(found) == list(names)
        colours = np.array([colour for colour, _, _ in found.values()])
        gaps = np.linalg.norm(colours[:, None] - colours[None], axis=2) + np.eye(len(colours))
        assert gaps.min() > APART
        assert len({mark for _, mark, _ in found.values()}) == len(names) == 9
    assert len(drawn[0].legends[0].get_texts()) == 9


def test_a_scheduler_looks_the_same_in_every_figure(drawn, tmp_path):
    save_races(races(SCHEDULERS), tmp_path)
    save_readings(races(["mine", "swiss", "top-two"]), "loss", "loss", tmp_path / "a.png")
    goals = {goal: races(names) for goal, names in GOALS_OF.items()}
    save_goals(goals, {"top": "top", "ordered": "ranking"}, tmp_path)
    first, second, *others = [styles(figure.axes[0]) for figure in drawn]
    for found in (second, *others):
        assert all(found[name] == first[name] for name in found.keys() & first.keys())
    assert second["mine"] not in (second["swiss"], second["top-two"])


def test_marks_of_several_schedulers_are_at_different_points(drawn, tmp_path):
    save_races(races(SCHEDULERS[:4]), tmp_path)
    starts = [start for _, _, (start, _) in styles(drawn[0].axes[0]).values()]
    assert len(set(starts)) == 4
