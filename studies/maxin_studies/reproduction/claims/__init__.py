"""The paper's statements of results, each with a verdict that follows from the runs."""

from maxin_studies.reproduction.claims.base import Claim, Study, all_hold, judged
from maxin_studies.reproduction.claims.every import claims, overall_claims
from maxin_studies.reproduction.claims.printed_ends import EndPoints, printed_regrets

__all__ = [
    "Claim",
    "EndPoints",
    "Study",
    "all_hold",
    "claims",
    "judged",
    "overall_claims",
    "printed_regrets",
]
