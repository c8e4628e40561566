import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from maxin.views.formats import (
    MINUS,
    SPACE,
    chance,
    columns,
    exact,
    expected_score,
    on_page,
    points,
    setting,
    share,
    signed,
    tenths,
    whole,
)


@given(st.floats(0.0, 1.0))
def test_no_chance_reads_as_certain_or_impossible(probability):
    assert chance(probability) not in ("0 %", "0.0 %", "100 %", "100.0 %")


@given(st.sampled_from([chance, exact, share, tenths]), st.floats(0.0, 1.0))
def test_every_per_cent_has_a_space_which_a_page_does_not_break(written, part):
    assert re.fullmatch(r"(< )?[\d.]+(e-\d+)? %", written(part))
    assert on_page(written)(part) == written(part).replace(" ", SPACE)


def test_a_number_stays_with_its_unit():
    text = "99.2 % sure, give or take 10 Elo; < 0.1 % of 3 Elos, ± 10 Elo"
    assert whole(text).replace(SPACE, "_") == (
        "99.2_% sure, give or take 10_Elo; <_0.1_% of 3 Elos, ±_10_Elo"
    )


@pytest.mark.parametrize("most", [4, 6])
@pytest.mark.parametrize("n_items", range(1, 13))
def test_no_item_is_alone_in_its_row(n_items, most):
    count = columns(n_items, most)
    assert 1 <= count <= most
    assert n_items % count != 1 or n_items == 1 or count == 1


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
    assert [setting(value) for value in (True, 3, "top-two")] == ["yes", "3", "top-two"]
    chess = '{"opening_plies": 8, "draw": {"score": 10, "move": 34}, "max_plies": 400}'
    assert setting(f"uci: {chess}") == "uci: opening plies 8, draw score 10, move 34, max plies 400"
    assert setting("uci: {}") == "uci"
    assert setting("command: {a} {b}") == "command: {a} {b}"
    assert setting("command: {" * 2) == "command: {" * 2
