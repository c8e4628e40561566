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
