"""Which statements are about which figure."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping

from maxin.experiments.reproduction.claims.base import Claim, Study
from maxin.experiments.reproduction.claims.printed_ends import EndPoints, printed_claims
from maxin.experiments.reproduction.claims.sweeps import batch, dimension
from maxin.experiments.reproduction.claims.top_k import exploration, figure4
from maxin.experiments.reproduction.claims.top_one import figure1, figure2, figure3

CHECKS: Mapping[str, Callable[[Study, str], Iterator[Claim]]] = {
    "figure1": figure1,
    "figure2": figure2,
    "figure3": figure3,
    "figure4": figure4,
    "gamma": exploration,
    "dimension": dimension,
    "batch": batch,
}


def claims(study: Study, printed: EndPoints) -> Iterator[Claim]:
    """All statements about a figure, in the paper's order, each under all protocols in turn."""
    check = CHECKS[study.name]
    found = [claim for protocol in study.protocols for claim in check(study, protocol)]
    texts = list(dict.fromkeys(claim.text for claim in found))
    yield from sorted(found, key=lambda claim: texts.index(claim.text))
    yield from printed_claims(study, printed)
