"""How alike players are by their features: matrices with a mean diagonal of 1."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from maxin.ratings.base import Array
from maxin.ratings.fitting.features.table import Features

LENGTHS = (0.3, 1.0, 3.0)  # over which a curve changes, in standard deviations of the feature
ONE = (1.0,)  # the length of combinations
MOST_ALONE = 6  # up to so many numbers, each is also tried alone


class Similarity(NamedTuple):
    """One way in which features may act on ratings.

    `way` groups those that differ only in length or smoothness: "curve", "line" and so on.
    """

    name: str
    matrix: Array
    way: str
    features: tuple[str, ...]


def similarities(features: Features, reference: Features | None = None) -> list[Similarity]:
    """All ways in which these features may act: smoothly, linearly, by category, and together.

    Numbers are standardised by those of the reference, or by themselves.

    >>> [found.name for found in similarities(Features({"step": [1.0, 2.0, 4.0]}))]
    ['smooth 0.3', 'rough 0.3', 'smooth 1', 'rough 1', 'smooth 3', 'rough 3', 'linear']
    """
    by = reference or features
    curved, straight = (
        standardised(features.numbers("number", kind), by.numbers("number", kind))
        for kind in ("smooth", "linear")
    )
    names = features.names_of("number", "smooth")
    found = [*_curves(curved, LENGTHS, names)]
    if straight.shape[1]:
        names_of_straight = features.names_of("number", "linear")
        found.append(Similarity("linear", linear(straight), "line", names_of_straight))
    if 1 < curved.shape[1] <= MOST_ALONE:
        for place, name in enumerate(names):
            found += _curves(curved[:, place : place + 1], ONE, (name,), f"{name} ")
    return found + _with_categories(features, found)


def _with_categories(features: Features, numeric: list[Similarity]) -> list[Similarity]:
    """Categories alone, and with each way in which numbers act; none if there are none."""
    codes, names = features.codes(), features.names_of("category")
    if not names:
        return []
    same = shared(codes)
    found = [Similarity("category", same, "category", names)]
    if codes.shape[1] > 1:
        found.append(Similarity("all categories", np.floor(same + 1e-9), "category", names))
    # A curve of each category's own, around a mean of its own.
    for word, combined in (("by", _by), ("and", _and)):
        found += [
            Similarity(
                f"{one.name} {word} category",
                combined(same, one.matrix),
                f"{one.way} {word} category",
                one.features + names,
            )
            for one in numeric
        ]
    return found


def _by(same: Array, other: Array) -> Array:
    return np.asarray(0.5 * same * (1.0 + other))


def _and(same: Array, other: Array) -> Array:
    return np.asarray(0.5 * (same + other))


def standardised(numbers: Array, reference: Array) -> Array:
    """Columns of which the reference's have mean 0 and variance 1; 0 if those are constant.

    >>> numbers = np.array([[1.0, 5.0], [3.0, 5.0]])
    >>> standardised(numbers, numbers)
    array([[-1.,  0.],
           [ 1.,  0.]])
    """
    means, deviations = reference.mean(axis=0), reference.std(axis=0)
    is_constant = deviations <= 1e-12 * np.abs(reference).max(axis=0, initial=0.0)
    scaled = (numbers - means) / np.where(is_constant, 1.0, deviations)
    return np.asarray(np.where(is_constant, 0.0, scaled))


def _curves(
    numbers: Array, lengths: tuple[float, ...], features: tuple[str, ...], prefix: str = ""
) -> list[Similarity]:
    """Smooth and rough curves over these numbers; none if there are no numbers."""
    if not numbers.shape[1]:
        return []
    apart = distances(numbers)
    return [
        Similarity(f"{prefix}{name} {length:g}", curve(apart / length), "curve", features)
        for length in lengths
        for name, curve in (("smooth", smooth), ("rough", rough))
    ]


def distances(numbers: Array) -> Array:
    """Distances between players: the root of the mean square over the features.

    >>> distances(np.array([[0.0, 0.0], [1.0, 1.0]]))[0]
    array([0., 1.])
    """
    squares = (numbers**2).sum(axis=1)
    found = squares[:, None] + squares - 2.0 * numbers @ numbers.T
    np.fill_diagonal(found, 0.0)
    return np.asarray(np.sqrt(np.maximum(found, 0.0) / numbers.shape[1]))


def smooth(apart: Array) -> Array:
    """The squared exponential: exp(-d^2 / 2).

    >>> smooth(np.array([0.0, 1.0]))
    array([1.   , 0.607])
    """
    return np.asarray(np.exp(-0.5 * apart * apart))


def rough(apart: Array) -> Array:
    """Matern's with 3/2: (1 + sqrt(3) d) exp(-sqrt(3) d), of curves that have only a slope.

    >>> rough(np.array([0.0, 1.0]))
    array([1.   , 0.483])
    """
    scaled = np.sqrt(3.0) * apart
    return np.asarray((1.0 + scaled) * np.exp(-scaled))


def linear(numbers: Array) -> Array:
    """x'y, with a mean diagonal of 1 for standardised numbers.

    >>> linear(np.array([[1.0], [-1.0]]))[0]
    array([ 1., -1.])
    """
    return np.asarray(numbers @ numbers.T / numbers.shape[1])


def shared(codes: NDArray[np.int64]) -> Array:
    """The share of the categories that two players have in common.

    >>> shared(np.array([[0, 1], [0, 2]]))[0]
    array([1. , 0.5])
    """
    total = np.zeros((len(codes), len(codes)))
    for column in codes.T:
        total += column[:, None] == column
    return np.asarray(total / codes.shape[1])
