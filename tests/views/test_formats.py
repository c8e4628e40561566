from hypothesis import given
from hypothesis import strategies as st

from maxin.views.formats import MINUS, SPACE, chance, expected_score, points, setting, signed


@given(st.floats(0.0, 1.0))
def test_no_chance_reads_as_certain_or_impossible(probability):
    assert chance(probability).replace(SPACE, "") not in ("0%", "0.0%", "100%", "100.0%")


@given(st.integers(-3000, 3000))
def test_elo_points_keep_their_sign(elo):
    assert signed(elo).startswith("+" if elo > 0 else MINUS if elo < 0 else "0")
    assert int(signed(elo).replace(MINUS, "-").replace(",", "")) == elo


@given(st.integers(0, 500))
def test_half_points_are_written_with_a_half(half_points):
    whole = half_points // 2
    wanted = str(whole) if half_points % 2 == 0 else f"{whole or ''}½"
    assert points(half_points / 2) == wanted


@given(st.floats(-2000.0, 2000.0))
def test_two_players_share_one_point(elo):
    assert abs(expected_score(elo) + expected_score(-elo) - 1.0) < 1e-12


def test_settings_are_words():
    assert [setting(value) for value in (True, 3, "top-two")] == ["yes", 3, "top-two"]
