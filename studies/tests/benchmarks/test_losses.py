"""The tables of losses and of rating errors, against values worked out by hand."""

import numpy as np
import pytest

from maxin_studies.benchmarks import bench_plots, questions
from maxin_studies.benchmarks.losses import loss_section, ratings_section
from maxin_studies.benchmarks.questions import LOSS, Arena, check_contestants
from maxin_studies.benchmarks.races import RaceCurves, game_of, race_rounds
from studies.tests.helpers.pictures import leave_picture

FIELD = Arena("five", "field:n_players=5", 50)
ROUNDS = race_rounds(FIELD.rounds)


def race(early, late):
    """A race whose loss is `early` in the first 5 matches and `late` from then on."""
    loss = np.where(ROUNDS < 5, early, late).astype(np.float32)
    found = (loss == 0.0).astype(np.float32)
    return RaceCurves(found, found, np.cumsum(loss), found, found, loss, loss)


@pytest.fixture
def races():
    return {
        (FIELD, "top-two"): [race(2.0, 1.0 + 0.01 * seed) for seed in range(20)],
        (FIELD, "random"): [race(2.0, 0.0)] * 20,
    }


def test_the_loss_is_read_after_n_3n_and_10n_matches(races, tmp_path):
    section = loss_section(races, tmp_path)
    first, second = section.rows
    assert first[:4] == ["five", "5", "top-two", "20"]
    assert first[4:8] == [*["1.09 ± 0.01"] * 3, "190 / 190 / 190"]
    assert second[4:] == [*["0.00 ± 0.00"] * 3, "0 / 0 / 0", *["1.00 / 1.00 / 1.00"] * 2]
    assert (tmp_path / "bench-loss.png").stat().st_size > 5000


def test_a_note_says_where_another_scheduler_has_less_loss_beyond_noise(
    races, tmp_path, monkeypatch
):
    behind = loss_section(races, tmp_path).notes[-1]
    monkeypatch.setattr(bench_plots, "write_picture", leave_picture)
    assert "less loss than `top-two` in 3 of 3 comparisons: five after n (random, 1.09" in behind
    ahead = dict(reversed(races.items()))
    assert "in 0 of 3 comparisons: nowhere." in loss_section(ahead, tmp_path).notes[-1]
    alone = {(FIELD, "random"): races[FIELD, "random"]}
    assert len(loss_section(alone, tmp_path).notes) == 1


def test_races_that_end_before_10n_matches_leave_the_cell_empty(tmp_path):
    short = Arena("short", "field:n_players=5", 20)
    curve = np.ones(len(race_rounds(20)), dtype=np.float32)
    section = loss_section({(short, "random"): [RaceCurves(*[curve] * 7)]}, tmp_path)
    assert section.rows[0][4:8] == ["1.00", "1.00", "", "174 / 174"]


def test_errors_are_read_at_the_end_too(races, tmp_path):
    section = ratings_section(races, tmp_path)
    assert section.rows[1][:3] == ["five", "random", "20"]
    assert section.rows[1][3:7] == ["0.00 ± 0.00"] * 4
    assert section.rows[1][-1] == "50"
    assert (tmp_path / "bench-ratings.png").stat().st_size > 5000


def test_the_standard_races_end_after_10n_matches(monkeypatch):
    sizes = {}

    def note_size(game, seed):
        made = game_of(game, seed)
        sizes[game] = made.n_players
        return made

    monkeypatch.setattr(questions, "game_of", note_size)
    check_contestants(LOSS, ["top-two"])
    for arena in LOSS.arenas:
        assert arena.rounds == 10 * sizes[arena.game]
