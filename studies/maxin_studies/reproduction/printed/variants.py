"""The differences of the authors' scripts from the text, each undone on its own."""

from __future__ import annotations

from dataclasses import replace
from typing import NamedTuple

from maxin_studies.reproduction.figures import Experiment, spread
from maxin_studies.reproduction.grids import EXPLORATIONS, Algorithm, printed_settings


class Variant(NamedTuple):
    """One difference undone: the name of the line, the algorithm it changes, and its options."""

    name: str
    algorithm: str  # "MaxIn" or "MaxInP"
    changes: str


VARIANTS = (
    Variant("MaxIn, first fit with our prior", "MaxIn", ",divisor=0"),
    Variant("MaxIn, surprises with the ratings", "MaxIn", ",surprise=full"),
    Variant("MaxIn, a step on the first batch", "MaxIn", ",first_step=take"),
    Variant("MaxIn, candidates by the mean of c", "MaxIn", ",coordinates=mean"),
    Variant("MaxInP, fit not scaled", "MaxInP", ",divisor=0"),
)


def with_variants(printed: Experiment) -> Experiment:
    """An experiment of the protocol `as-printed` with a line per variant.

    A variant has as many settings as the line that it changes.
    """
    ratings = printed.algorithms[-1].settings[0].partition("+")[2]
    n_settings = {line.name: len(line.settings) for line in printed.algorithms}
    n_settings["MaxIn"] = len(printed.algorithms[-1].settings)
    lines = [
        Algorithm(variant.name, spread(_settings(variant, ratings), n_settings[variant.algorithm]))
        for variant in VARIANTS
        if ratings != "elo" or "coordinates" not in variant.changes
    ]
    return replace(printed, algorithms=(*printed.algorithms, *lines))


def _settings(variant: Variant, ratings: str) -> tuple[str, ...]:
    if variant.algorithm == "MaxIn":
        return printed_settings(ratings, variant.changes)
    return tuple(f"printed-maxinp:exploration={gamma:g}{variant.changes}" for gamma in EXPLORATIONS)
