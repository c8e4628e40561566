"""The paper's statements of results, each with a verdict that follows from the runs."""

from maxin_studies.reproduction.claims.base import (
    ALL_PROTOCOLS,
    Claim,
    Study,
    all_hold,
    judged,
    untested,
)
from maxin_studies.reproduction.claims.every import claims, overall_claims
from maxin_studies.reproduction.claims.printed_ends import EndPoints, printed_regrets

__all__ = [
    "ALL_PROTOCOLS",
    "Claim",
    "EndPoints",
    "Study",
    "all_hold",
    "claims",
    "judged",
    "overall_claims",
    "printed_regrets",
    "untested",
]
