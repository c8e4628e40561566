"""The leaderboard: made of result files that are complete and of this set."""

import json
from pathlib import Path

import numpy as np
import pytest

from maxin.core import InvalidInput
from maxin_studies.benchmarks.entries.entry_race import CLASS, EntryNumbers
from maxin_studies.benchmarks.entries.frozen_set import HALVES, SET
from maxin_studies.benchmarks.entries.leaderboard import (
    OURS,
    leaderboard,
    listed_files,
    read_results,
    write_leaderboard,
)
from maxin_studies.benchmarks.entries.result_file import EntryResult, file_name
from maxin_studies.estimates import wilson

FEW = SET.smaller(2, 20)
STUDIES = Path(__file__).resolve().parents[3]


def numbers(loss, stop=100, is_wrong=False):
    return EntryNumbers((loss, loss, loss), float(loss == 0.0), stop, is_wrong)


def result(entry, loss, stop=100):
    """An entry whose losses grow with the seed, by game and half."""
    runs = {
        (game, half): [numbers(loss + seed % 5, stop) for seed in range(FEW.n_seeds)]
        for game in FEW.games
        for half in HALVES
    }
    return EntryResult.of(entry, FEW, runs)


def test_a_result_that_is_written_is_read_again(tmp_path):
    written = result("package:Scheduler", 12.5, stop=None)
    path = written.write(tmp_path)
    assert path.name == "package-Scheduler.json"
    assert EntryResult.read(path, FEW) == written


def test_the_summary_has_every_measure_with_its_interval():
    one = result("random", 10.0)
    some = one.runs[FEW.games[0], "public"]
    some[:3] = [numbers(0.0, None), numbers(0.0, 40, is_wrong=True), numbers(0.0, 400)]
    summary = one.summary([FEW.games[0]])
    losses = one.losses(FEW.games[0])
    reach = 2.0227 * losses.std(ddof=1) / np.sqrt(40)  # Student's t with 39 degrees
    assert summary["loss"]["low"] == pytest.approx(losses.mean() - reach, abs=0.06)
    assert summary["loss"]["high"] == pytest.approx(losses.mean() + reach, abs=0.06)
    assert summary["matches"]["mean"] == pytest.approx((37 * 100 + 2000 + 40 + 400) / 40, abs=0.1)
    low, high = wilson(1, 39)
    assert summary["wrong_stops"] == pytest.approx(
        {"mean": 1 / 39, "low": low, "high": high}, abs=1e-4
    )
    assert summary["stopped"]["mean"] == pytest.approx(39 / 40)
    assert summary["found"]["mean"] == pytest.approx(3 / 40)


def test_the_page_is_sorted_by_loss_and_has_paired_differences(tmp_path):
    for one in (result("random", 30.0), result("top-two", 10.0), result("a:B", 20.0)):
        one.write(tmp_path)
    write_leaderboard(tmp_path, tmp_path / "leaderboard.md", FEW)
    page = (tmp_path / "leaderboard.md").read_text()
    assert listed_files(page) == ["top-two.json", "a-B.json", "random.json"]
    rows = [row.split(" | ") for row in page.splitlines() if "../leaderboard/" in row]
    assert [row[-1] for row in rows] == [" |", "+10.0 ± 0.0 |", "+20.0 ± 0.0 |"]
    assert FEW.hash in page
    assert "numbers of matches: n, 3n and 10n, for n players" in page
    assert "| top-two | random | -0.115 | 0.000 | 2 of 2 | < 0.001 | < 0.001 | yes |" in page


def test_only_complete_files_of_this_set_are_read(tmp_path):
    path = result("random", 10.0).write(tmp_path)
    document = json.loads(path.read_text())

    def refuses(words, change):
        changed = json.loads(json.dumps(document))
        change(changed)
        path.write_text(json.dumps(changed))
        with pytest.raises(InvalidInput, match=words):
            read_results([path], FEW)

    refuses("measure the entry again", lambda one: one["set"].update(hash="0"))
    refuses("measure the entry again", lambda one: one["first_seeds"].update(own=7))
    refuses("measure the entry again", lambda one: one["summary"]["loss"].update(mean=1.0))
    refuses("measure the entry again", lambda one: one.update(entry="swiss"))
    refuses("measure the entry again", lambda one: one["games"].append(one["games"][0]))
    refuses("is not a result file", lambda one: one.pop("games"))
    refuses("is not a result file", lambda one: one["games"].pop())
    refuses("impossible numbers", lambda one: one["games"][0]["own"]["stop"].__setitem__(0, 2001))
    refuses("impossible numbers", lambda one: one["games"][0]["own"]["found"].__setitem__(0, 2))
    refuses("is not a result file", lambda one: one["games"][0]["own"]["found"].pop())
    path.write_text("[1, 2")
    with pytest.raises(InvalidInput, match=r"random\.json is not a result file"):
        read_results([path], FEW)
    with pytest.raises(InvalidInput, match="there is no result file"):
        read_results([], FEW)


def test_the_page_is_what_its_files_say():
    """A file of a package may be new: it enters the page when `scripts/leaderboard` runs next."""
    page = (STUDIES / "docs" / "leaderboard.md").read_text()
    names = listed_files(page)
    again = leaderboard(read_results([STUDIES / "leaderboard" / name for name in names]))
    assert page == again, "write it again: scripts/leaderboard"
    assert set(map(file_name, OURS)) <= set(names)


@pytest.mark.parametrize(
    "path", sorted((STUDIES / "leaderboard").glob("*")), ids=lambda one: one.name
)
def test_every_file_is_an_entry_of_maxin_or_of_a_package(path):
    entry = EntryResult.read(path, SET).entry
    assert entry in OURS or CLASS.fullmatch(entry)
