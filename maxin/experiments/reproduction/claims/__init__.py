"""The paper's statements of results, each with a verdict that follows from the runs."""

from maxin.experiments.reproduction.claims.base import VERDICTS, Claim, Study, all_hold
from maxin.experiments.reproduction.claims.every import claims
from maxin.experiments.reproduction.claims.overall import overall_claims
from maxin.experiments.reproduction.claims.printed_ends import EndPoints, printed_regrets

__all__ = [
    "VERDICTS",
    "Claim",
    "EndPoints",
    "Study",
    "all_hold",
    "claims",
    "overall_claims",
    "printed_regrets",
]
