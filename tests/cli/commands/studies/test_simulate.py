import pytest

from tests.helpers.command import call, right


@pytest.fixture(autouse=True)
def folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("COLUMNS", "80")
    return tmp_path


def test_the_same_seed_gives_the_same_run():
    first, again, other = (
        right("simulate", "elo:n_players=20", "--rounds", 150, "--seed", seed).out
        for seed in (1, 1, 2)
    )
    assert first == again
    assert first != other
    assert "rank of the truly best player" in first


@pytest.mark.parametrize("suffix", ["png", "svg"])
def test_a_picture_is_drawn(folder, suffix):
    pytest.importorskip("matplotlib", reason="the extra 'plot' is not installed")
    right(
        "simulate", "blotto", "--scheduler", "random+melo", "--scheduler", "knockout",
        "--rounds", 60, "--picture", f"curves.{suffix}",
    )  # fmt: skip
    assert (folder / f"curves.{suffix}").stat().st_size > 5000


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["--scheduler", "randm"], "did you mean 'random'"),
        (["--scheduler", "maxin:batch_size=0"], "at least 1; got 0"),
        (["--picture", "curves.bmp"], "a picture must end in .png, .svg, .pdf"),
        (["--picture", "no/where.png"], "there is no folder 'no'"),
        (["--scheduler", "random", "--scheduler", "random"], "give every --scheduler once"),
        (["--rounds", "0"], "--rounds must be a whole number of at least 1; got 0"),
        (["--seed", "-1"], "--seed must be a whole number of at least 0; got -1"),
    ],
)
def test_mistakes_are_one_line(arguments, words):
    done = call("simulate", "elo", *arguments)
    assert (done.code, done.out) == (2, "")
    assert words in done.err
    assert done.err.count("\n") == 1
