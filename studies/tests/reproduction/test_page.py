"""The page of the reproduction is what the code gives today."""

import ast
import csv
import shutil
import sys
from dataclasses import replace
from pathlib import Path

import pytest

from maxin_studies.reproduction import stamp
from maxin_studies.reproduction.figures import FIGURES, load_games, run_of
from maxin_studies.reproduction.game_tables import games_section

PAGE = (stamp.DOCS / "reproduction.md").read_text()


def table_of(title):
    """The rows of the page's table in the section that starts with `title`, by column."""
    section = PAGE.split(f"## {title}")[1].split("\n## ")[0]
    rows = [line.strip("| ").split(" | ") for line in section.splitlines() if line.startswith("|")]
    header = [cell.strip() for cell in rows[0]]
    return [dict(zip(header, (cell.strip() for cell in row), strict=False)) for row in rows[2:]]


# The stamp.


def test_the_page_was_made_from_the_present_code():
    changed = stamp.changed(stamp.STAMP)
    assert not changed, stamp.STALE.format(files=", ".join(changed))


@pytest.fixture
def copy(tmp_path):
    """A copy of the sources, and a stamp of it."""
    for name in stamp.SOURCES:
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(stamp.ROOT / name, tmp_path / name)
    path = tmp_path / "stamp.json"
    stamp.write(path)
    return tmp_path


SCHEDULER = "maxin/schedulers/paper/maxin.py"
KERNEL = "kernels/schedulers/widths.cpp"


@pytest.mark.parametrize(
    ("name", "old", "new"),
    [
        (SCHEDULER, "radius: float = 2.0", "radius: float = 3.0"),
        (SCHEDULER, "self.step_size / self.n_batches * gradient", "self.step_size * gradient"),
        (KERNEL, "return", "return 2 *"),
    ],
)
def test_a_change_of_a_scheduler_is_noticed(copy, name, old, new):
    file = copy / name
    assert old in file.read_text()
    file.write_text(file.read_text().replace(old, new, 1))
    assert stamp.changed(copy / "stamp.json", root=copy) == [name]


def test_words_alone_are_no_change(copy):
    scheduler, kernel = copy / SCHEDULER, copy / KERNEL
    text = scheduler.read_text().replace(
        '"""MaxIn: of the players', '"""Other words: of the players'
    )
    scheduler.write_text(text.replace("# theta-tilde", "# another remark") + "\n# the end\n")
    kernel.write_text("// a remark\n\n" + kernel.read_text())
    assert text != (stamp.ROOT / SCHEDULER).read_text()
    assert stamp.changed(copy / "stamp.json", root=copy) == []


def test_stored_runs_of_other_code_are_removed(copy, tmp_path, monkeypatch):
    runs = tmp_path / "runs"
    stamp.prepare(runs)
    (runs / "some.parquet").touch()
    stamp.prepare(runs)
    assert (runs / "some.parquet").exists()
    monkeypatch.setattr(stamp, "digests", lambda root=None: dict.fromkeys(stamp.SOURCES, "other"))
    stamp.prepare(runs)
    assert not (runs / "some.parquet").exists()


def called(games):
    """The files of ours whose functions some runs call."""
    files = set()

    def follow(frame, event, _):
        if event == "call":
            files.add(frame.f_code.co_filename)

    for figure in FIGURES.values():
        for line in (*figure.algorithms, *figure.printed):
            game = replace(figure.games[0], rounds=120)
            run = run_of(game, games, line.settings[-1], seed=0)
            sys.setprofile(follow)
            try:
                run.run()
            finally:
                sys.setprofile(None)
    ours = (Path(file) for file in files if file.startswith(str(stamp.ROOT)))
    names = {path.relative_to(stamp.ROOT).as_posix() for path in ours}
    return {name for name in names if not name.startswith(".venv")}


def test_the_stamp_has_every_file_that_a_run_calls(paper_games):
    found = called(paper_games)
    assert found - set(stamp.SOURCES) - set(stamp.CARRIERS) == set()
    assert SCHEDULER in found


def kernels_of(name):
    """The rooms of the kernels that a module imports."""
    tree = ast.parse((stamp.ROOT / name).read_text())
    for node in ast.walk(tree):
        if isinstance(node, ast.ImportFrom) and (node.module or "").startswith("maxin.kernels"):
            room = node.module.removeprefix("maxin.kernels").strip(".")
            yield from [room] if room else [one.name for one in node.names]


def test_the_stamp_has_the_kernels_and_what_they_include():
    python = [name for name in stamp.SOURCES if name.endswith(".py")]
    rooms = {room for name in python for room in kernels_of(name)}
    files = {Path(name).stem for name in stamp.SOURCES if name.endswith(".cpp")}
    assert rooms - files == set()
    included = set()
    for name in stamp.SOURCES:
        if name.endswith("pp"):
            lines = (stamp.ROOT / name).read_text().splitlines()
            included |= {line.split('"')[1] for line in lines if line.startswith('#include "')}
    known = {name.removeprefix("kernels/") for name in stamp.SOURCES}
    assert included - known == {"core/bindings.hpp", "rooms.hpp"}  # they carry arguments


# Cells, computed again.


@pytest.fixture(scope="module")
def shared_games(shared):
    return load_games(shared / "games")


def test_a_cell_of_maxin_and_one_of_maxinp_per_figure_are_as_on_the_page(shared_games):
    cells = stamp.sample(stamp.read_cells(), per_figure=1)
    assert len({cell["figure"] for cell in cells}) == 8
    assert any("maxinp" in cell["settings of first"] for cell in cells)
    assert list(stamp.differences(cells, shared_games)) == []


def test_a_check_stamps_the_page_again_only_if_no_cell_changed(shared, tmp_path, monkeypatch):
    made, cells = tmp_path / "made-from.json", stamp.read_cells()
    monkeypatch.setattr(stamp, "STAMP", made)
    monkeypatch.setattr(stamp, "sample", lambda cells, per_figure: cells[:1])
    monkeypatch.setattr(stamp, "read_cells", lambda: [cells[0] | {"regret of first": "1.0"}])
    with pytest.raises(stamp.InvalidInput, match="1 of 1 cells changed, so the page must be made"):
        stamp.check(shared / "games", tmp_path / "runs")
    assert not made.exists()
    monkeypatch.setattr(stamp, "read_cells", lambda: cells)
    stamp.check(shared / "games", tmp_path / "runs")
    assert stamp.changed(made) == []


def test_sizes_of_games_are_as_printed_on_the_page(shared_games):
    page = {row["game"]: row for row in table_of("Table 2.")}
    section = games_section(shared_games)
    for cells in section.rows:
        row = dict(zip(section.header, cells, strict=True))
        assert page[row["game"]] == row


# The page itself.


@pytest.mark.parametrize("part", ["Figure 1.", "Figure 4.", "Table 1.", "The printed end points"])
def test_the_page_has_every_part(part):
    assert f"## {part}" in PAGE


def test_the_page_begins_with_a_dozen_claims_and_five_sentences():
    start = PAGE.split("\n## What our prior does")[0]
    assert 12 <= len(table_of("What holds")) <= 14
    assert start.split("## In words")[1].count("\n- ") == 5
    assert len(PAGE.split()) < 8000


def test_the_files_beside_the_page_have_its_evidence():
    with (stamp.CELLS.parent / "statements.csv").open(newline="") as file:
        rows = list(csv.DictReader(file))
    assert {row["verdict"] for row in rows} <= {"Holds", "Does not hold", "Cannot be decided"}
    assert all(row["evidence"] for row in rows)
    assert sum(row["place"] == "s.132" for row in rows) >= 2 * 3
