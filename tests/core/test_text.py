"""Tables for people: long names lose what they have in common."""

import pytest

from maxin.core.text import Alike, table, width

STEPS = [f"checkpoints/run-3/step-{step:06}.pt" for step in (100, 200, 3000)]


@pytest.mark.parametrize(
    ("names", "start", "end"),
    [
        (STEPS, "checkpoints/run-3/step-", ".pt"),
        (["anna", "annabel"], "", ""),  # no whole part
        (["a/b.pt", "a/b.pt"], "", ""),  # the same name
        (["a/b.pt"], "", ""),
        ([], "", ""),
        (["run/", "run/a"], "run/", ""),
        (["x.pt", "y.pt", "stockfish"], "", ""),
        (["model-a-v2", "model-b-v2"], "model-", "-v2"),
        (["a-a", "a-a-a"], "a-", ""),  # nothing is cut twice
    ],
)
def test_names_have_whole_parts_in_common(names, start, end):
    assert Alike.of(names) == (start, end)
    short = Alike(start, end).shortened(names, 3)
    assert all(width(name) <= 3 for name in short)


def test_names_that_fit_stay_as_they_are():
    drawn = table(["player", "score"], [[name, "1"] for name in STEPS], words=[0], room=80)
    assert all(name in drawn for name in STEPS)
    assert "…" not in drawn


def test_what_is_left_out_is_said_below():
    drawn = table(["player", "score"], [[name, "1"] for name in STEPS], words=[0], room=30)
    assert drawn.splitlines() == [
        "player      score",
        "…000100.pt      1",
        "…000200.pt      1",
        "…003000.pt      1",
        "… is checkpoints/run-3/step-",
    ]


def test_names_stay_different_however_narrow_the_table():
    names = [f"checkpoints/run-3/step-{step}.pt" for step in range(100, 1000)]
    rows = [[name, "1"] for name in names]
    drawn = table(["player", "score"], rows, words=[0], room=13).splitlines()
    assert drawn[:2] == ["player  score", "…100…       1"]
    assert len(set(drawn[1:901])) == 900


def test_columns_lose_their_own_parts():
    rows = [[f"white/engine-{n}", f"black/engine-{n}", "1-0"] for n in (10, 20)]
    drawn = table(["first", "second", "score"], rows, words=[0, 1], room=24).splitlines()
    assert drawn[1:] == [
        "…10    …10       1-0",
        "…20    …20       1-0",
        "… is black/engine-",
        "… is white/engine-",
    ]
