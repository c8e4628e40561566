"""The reproduction, called from the command line.

What it computes is tested in studies/tests/reproduction.
"""

import numpy as np
import pytest

from tests.helpers.command import call, right


def test_a_part_writes_a_report_and_its_table(tmp_path):
    done = right("paper", "table2", "--out", tmp_path)
    assert done.out.strip().endswith(f"Report: {tmp_path / 'table2' / 'report.html'}")
    assert (tmp_path / "table2" / "report.html").is_file()
    (table,) = (tmp_path / "table2" / "tables").glob("*.csv")
    assert len(table.read_text().splitlines()) > 5


def test_claims_are_printed_with_their_protocol(tmp_path):
    np.save(tmp_path / "Elo game.npy", np.sign(np.subtract.outer(range(4), range(4))))
    few = ("--seeds", 1, "--rounds", 10, "--workers", 1, "--protocol", "held-out")
    out = right("paper", "gamma", *few, "--games", tmp_path, "--out", tmp_path).out
    assert "Transitive game is not among the games; skipped" in out
    assert "gamma, held-out: " in out  # a line of progress, since this is not a terminal
    claims = [line for line in out.splitlines() if ", held-out) " in line]
    assert claims
    assert all(line.startswith(("holds", "does not hold", "cannot be decided")) for line in claims)


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["figure9"], "PARTS must be 'figure1', 'figure2'"),
        (["--protocol", "both"], "'hindsight', 'held-out' or 'as-printed'; got 'both'"),
        (["--seeds", "0"], "--seeds must be a whole number from 1 to 1,000; got 0"),
        (["--rounds", "9"], "--rounds must be a whole number of at least 10; got 9"),
        (["--workers", "0"], "--workers must be a whole number of at least 1; got 0"),
    ],
)
def test_mistakes_are_one_line(tmp_path, monkeypatch, arguments, words):
    monkeypatch.chdir(tmp_path)
    done = call("paper", *arguments)
    assert (done.code, done.out) == (2, "")
    assert words in done.err
    assert done.err.count("\n") == 1
    assert not list(tmp_path.iterdir())
