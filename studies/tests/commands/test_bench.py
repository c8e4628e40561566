"""The bench, called from the command line.

What it computes is tested in studies/tests/benchmarks.
"""

import pytest

from tests.helpers.command import call, right


def test_a_question_writes_a_page_and_prints_its_table(tmp_path):
    few = ("--game", "field:n_players=4", "--seeds", 2, "--rounds", 20, "--workers", 1)
    schedulers = ("--scheduler", "top-two", "--scheduler", "random+bradley-terry")
    out = right("bench", "best", *few, *schedulers, "--out", tmp_path).out
    assert "best: " in out  # a line of progress, since this is not a terminal
    assert "random+bradley-terry" in out
    assert out.strip().endswith(f"Results: {tmp_path / 'benchmarks.md'}")
    assert "random+bradley-terry" in (tmp_path / "benchmarks.md").read_text()


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["bset"], "got 'bset'; did you mean 'best'?"),
        (["--confidence", "0.2"], "--confidence must be a number from 0.5 to below 1; got 0.2"),
        (["--tolerance", "-1"], "--tolerance must be a number of Elo points from 0 to 1000"),
        (["--first-seed", "5"], "--first-seed must be a whole number of at least 1000; got 5"),
        (["best", "--scheduler", "toptwo"], "did you mean 'top-two'"),
        (["best", "--game", "feild"], "did you mean 'field'"),
    ],
)
def test_mistakes_are_one_line(tmp_path, monkeypatch, arguments, words):
    monkeypatch.chdir(tmp_path)
    done = call("bench", *arguments)
    assert (done.code, done.out) == (2, "")
    assert words in done.err
    assert done.err.count("\n") == 1
