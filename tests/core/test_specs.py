import pytest

from maxin.core import InvalidInput
from maxin.core.specs import make, parse


def pair(*, left: int = 1, right: float | None = 2.0) -> tuple[int, float | None]:
    return left, right


def test_an_option_may_be_given_once():
    with pytest.raises(InvalidInput, match="'n_players' twice"):
        parse("elo:n_players=5,n-players=7")


def test_values_get_the_types_that_the_builder_declares():
    assert make("pair:left=3,right=none", {"pair": pair}, "example") == (3, None)
    with pytest.raises(InvalidInput, match=r"example 'pair': left must be int; got '0\.5'"):
        make("pair:left=0.5", {"pair": pair}, "example")
    with pytest.raises(InvalidInput, match="right must be float or none; got 'x'"):
        make("pair:right=x", {"pair": pair}, "example")


@pytest.mark.parametrize("value", ["9" * 900, "1e9", "10**9", "0x10", "nan"])
def test_an_odd_number_is_refused_in_a_short_error(value):
    with pytest.raises(InvalidInput, match="left must be int; got") as caught:
        make(f"pair:left={value}x", {"pair": pair}, "example")
    assert len(str(caught.value)) < 200


def test_a_long_text_is_refused_in_a_short_error():
    with pytest.raises(InvalidInput, match=r"at most 1000 characters; 'pair:left=9+'.* has 5,010"):
        parse("pair:left=" + "9" * 5000)
