"""The constants and bounds of the paper's regret analysis, and its lemmas, checked on runs."""

from maxin_studies.theory.bounds import (
    algebraic_connectivity,
    batch_size,
    curvature,
    exploration,
    g1,
    g2,
    lemma1_bound,
    proposition1_batch,
    regret_bound,
)
from maxin_studies.theory.lemmas import (
    Lemma1,
    Lemma2,
    Lemma3,
    RequiredLead,
    best_lead,
    check_lemma1,
    check_lemma2,
    check_lemma3,
    lemma3_assumption,
    lemma3_constant,
    lemma3_convexity,
)

__all__ = [
    "Lemma1",
    "Lemma2",
    "Lemma3",
    "RequiredLead",
    "algebraic_connectivity",
    "batch_size",
    "best_lead",
    "check_lemma1",
    "check_lemma2",
    "check_lemma3",
    "curvature",
    "exploration",
    "g1",
    "g2",
    "lemma1_bound",
    "lemma3_assumption",
    "lemma3_constant",
    "lemma3_convexity",
    "proposition1_batch",
    "regret_bound",
]
