"""The whole reproduction in small, from Python and as a command."""

import importlib
import os
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import NamedTuple

import numpy as np
import pytest

from maxin.core import InvalidInput
from maxin_studies import reproduce
from maxin_studies.estimates import FEWEST_SEEDS
from maxin_studies.reproduction.complexity import QUICK
from maxin_studies.reproduction.figures import FIGURES, load_games
from maxin_studies.reproduction.page import paper_plots
from maxin_studies.reproduction.reproduce import Reproduction
from studies.tests.helpers.pictures import leave_picture
from tests.helpers.markup import Page


@pytest.fixture(scope="module", autouse=True)
def made_once(paper_games):
    """Games from rules, which take seconds to make, are shared by the calls of this file."""
    module = importlib.import_module("maxin_studies.reproduction.reproduce")

    def find_games(folder):
        return paper_games if folder is None else load_games(folder)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(module, "load_games", find_games)
        yield


@pytest.fixture(scope="module")
def payoffs(paper_games, tmp_path_factory):
    """A folder with the payoffs of a game of Figure 1 and one of Figure 2, for processes."""
    folder = tmp_path_factory.mktemp("payoffs")
    for figure in ("figure1", "figure2"):
        name = FIGURES[figure].games[0].name
        np.save(folder / f"{name}.npy", paper_games[name].payoffs)
    return folder


def test_it_writes_tables_pictures_and_one_page(tmp_path, monkeypatch):
    small = {"seeds": 1, "rounds": 10, "out": tmp_path}
    report = reproduce(["figure1", "table2"], **small, workers=2)
    page = report.path.read_text()
    assert page.count("data:image/png;base64,") == 3
    assert 'src="figures' not in page
    folder = report.path.parent
    text = (folder / "report.md").read_text()
    assert "| s.533 | MaxIn-Elo has the lowest regret | ? " in text
    assert (folder / "figures" / "figure1-held-out.svg").is_file()
    assert {claim.protocol for claim in report.claims} >= {"hindsight", "held-out"}
    cells = (folder / "tables" / "cells.csv").read_text()
    table = (folder / "tables" / "figure1.csv").read_text()
    assert "as-printed,1," in cells
    monkeypatch.setattr(paper_plots, "write_picture", leave_picture)
    again = reproduce(["figure1", "table2"], **small, workers=1)
    assert again == report
    assert (folder / "tables" / "figure1.csv").read_text() == table


class Interrupted(NamedTuple):
    """A small reproduction that was interrupted once, and the calls of its progress."""

    report: Reproduction
    before: list[tuple[str, int, int]]
    after: list[tuple[str, int, int]]


@pytest.fixture(scope="module")
def interrupted(tmp_path_factory):
    """One study for several tests, in a folder that has a whole report already."""
    folder = tmp_path_factory.mktemp("interrupted")
    (folder / "report.html").write_text("the whole")
    small = {"protocols": ["hindsight"], "seeds": 1, "rounds": 20, "out": folder, "workers": 1}
    before, after = [], []

    def interrupt(name, done, total):
        before.append((name, done, total))
        if done >= 400:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        reproduce(["figure1", "table2"], **small, progress=interrupt)
    report = reproduce(["figure1", "table2"], **small, progress=lambda *call: after.append(call))
    return Interrupted(report, before, after)


def test_a_smaller_report_replaces_no_larger_one(interrupted):
    """Only all parts, protocols, seeds and rounds go to the folder itself; runs are shared."""
    folder = interrupted.report.path.parents[1]
    paths = [
        reproduce(["table2"], out=folder).path,
        reproduce(["table2"], out=folder, quick=True).path,
        interrupted.report.path,
    ]
    assert [path.parent.name for path in paths] == [
        "table2",
        "table2-quick",
        "figure1-table2-hindsight-1seeds-20rounds",
    ]
    assert (folder / "report.html").read_text() == "the whole"
    assert list((folder / "runs").glob("*.parquet"))


def test_the_first_screen_comes_first(interrupted):
    report = interrupted.report
    page, text = report.path.read_text(), (report.path.parent / "report.md").read_text()
    places = [
        text.index(words)
        for words in (
            "Fewer than 5 seeds decide no difference",
            "## What holds",
            "2 Good, 2 Bad: regret below 1% of Random",
            "## What our prior does",
            "MaxIn-Elo has the lowest regret",
            "## Still open",
            "## How it was measured",
        )
    ]
    assert places == sorted(places)
    names = {attrs["href"][1:] for tag, attrs in Page(page).elements if tag == "a"}
    headings = {attrs.get("id") for tag, attrs in Page(page).elements if tag == "h2"}
    assert {"screen", "method", "figure1", "table2"} <= names <= headings


def test_a_first_look_has_enough_seeds_for_verdicts():
    for figure in FIGURES.values():
        quick = figure.smaller(quick=True)
        assert min(quick.n_seeds, quick.n_fresh) >= FEWEST_SEEDS
    assert min(QUICK.repeats, QUICK.regret_seeds) >= FEWEST_SEEDS


@pytest.mark.slow
def test_a_first_look_is_short_and_leaves_out_the_authors_scripts(tmp_path):
    """Both first looks together take about two minutes of processor time, at 10,000 rounds/s."""
    sizes = {}
    report = reproduce(
        quick=True, out=tmp_path, progress=lambda name, done, total: sizes.update({name: total})
    )
    assert report.path.parent.name == "quick"
    assert sum(sizes.values()) < 1_500_000
    assert not any("as-printed" in name or "scripts" in name for name in sizes)
    both = {"hindsight", "held-out"}
    assert {claim.protocol for claim in report.claims} == both | {f"{one}, 1 nat" for one in both}
    assert "add `--protocol as-printed` for them" in report.summary[-1]
    given = reproduce(["figure1"], quick=True, rounds=10, protocols=["as-printed"], out=tmp_path)
    assert {claim.protocol for claim in given.claims} == {"as-printed"}


def test_progress_counts_the_rounds_of_each_part(interrupted):
    _, before, after = interrupted
    assert {name for name, _, _ in before + after} == {"figure1, tuning"}
    assert before[0] == before[1] == after[0]  # announced
    assert [done for _, done, _ in before[1:]] == list(range(0, 401, 20))
    total = before[0][2]
    resumed = [*range(400, total + 1, 20), total]  # the table of priors reads the runs again
    assert [done for _, done, _ in after[1:]] == resumed


def test_an_interrupt_keeps_what_is_done(interrupted):
    assert interrupted.after[1][1] == interrupted.before[-1][1] == 400


def test_games_without_file_and_rules_are_skipped(tmp_path):
    small = {"protocols": ["hindsight"], "seeds": 1, "rounds": 10, "out": tmp_path, "workers": 1}
    assert reproduce(["figure3"], **small, quick=True).skipped == ("AlphaStar",)


@pytest.mark.parametrize(
    ("wrong", "message"),
    [
        ({"parts": ["figure9"]}, "there is no part named 'figure9'"),
        ({"protocols": ["luck"]}, "there is no protocol named 'luck'"),
        ({"parts": []}, "at least one part"),
        ({"protocols": []}, "at least one protocol"),
        ({"games": Path("nowhere")}, "there is no folder 'nowhere'"),
        ({"seeds": 0}, "seeds must be from 1 to 1000; got 0"),
        ({"rounds": 9}, "rounds must be at least 10; got 9"),
        ({"out": Path(sys.executable)}, "cannot create the folder"),
    ],
)
def test_an_invalid_request_is_refused_before_anything_runs(tmp_path, wrong, message):
    with pytest.raises(InvalidInput, match=message):
        reproduce(**{"parts": ["table2"], "out": tmp_path} | wrong)
    assert not list(tmp_path.iterdir())


def command(*arguments):
    return [sys.executable, "-m", "maxin", "paper", *arguments]


def start(*arguments, cwd):
    """The command as if started from a terminal.

    A shell that starts a job in the background ignores interrupts there, and so would the command.
    """
    return subprocess.Popen(
        command(*arguments), cwd=cwd, start_new_session=True, stdout=subprocess.PIPE,
        stderr=subprocess.PIPE, text=True,
        preexec_fn=lambda: signal.signal(signal.SIGINT, signal.default_int_handler),
    )  # fmt: skip


KILLED = """
import sys
from pathlib import Path
from maxin_studies import archive, reproduce
archive.HOLD = 0.0  # store every run at once
small = {"protocols": ["hindsight"], "seeds": 1, "rounds": 50, "games": Path(sys.argv[1])}
reproduce(["figure1"], **small, out=Path("here"), workers=1)
"""


def test_a_killed_reproduction_resumes_where_it_stopped(payoffs, tmp_path):
    out = tmp_path / "here"
    with subprocess.Popen([sys.executable, "-c", KILLED, payoffs], cwd=tmp_path) as process:
        while process.poll() is None and len(stored_keys(out / "runs")) < 3:
            time.sleep(0.01)
        process.kill()
    kept = stored_keys(out / "runs")
    calls = []
    small = {"protocols": ["hindsight"], "seeds": 1, "rounds": 50, "games": payoffs, "workers": 1}
    reproduce(["figure1"], **small, out=out, progress=lambda *call: calls.append(call))
    keys = stored_keys(out / "runs")
    assert calls[1][1] == 50 * len(kept) > 0
    assert len(keys) == len(set(keys)) == calls[1][2] // 50
    assert set(kept) < set(keys)


def test_an_interrupted_command_stops_with_its_own_exit_code(payoffs, tmp_path):
    options = ("figure2", "--protocol=hindsight", "--workers=2", "--out=here", f"--games={payoffs}")
    with start(*options, cwd=tmp_path) as process:
        assert "figure2, tuning" in process.stdout.readline()  # it is running
        os.killpg(process.pid, signal.SIGINT)
        errors = process.stderr.read()
    assert process.returncode == 130
    assert errors == "interrupted; run the same command again to continue\n"


def stored_keys(folder: Path):
    import pyarrow.parquet

    paths = sorted(folder.glob("*.parquet"))
    return [key for path in paths for key in pyarrow.parquet.read_table(path)["key"].to_pylist()]
