"""Shared by every room: matches, results, entrants, errors and input checks."""

from maxin.core.checks import (
    check_confidence,
    check_keywords,
    check_lease,
    check_match,
    check_n_matches,
    check_n_players,
    check_name,
    check_positive,
    check_result,
    check_whole,
)
from maxin.core.errors import InvalidInput, MaxinError, MissingExtra, UnknownName
from maxin.core.stop import (
    CONFIDENCE,
    AskTerms,
    BudgetTerms,
    DecisionTerms,
    PlanTerms,
    Sprt,
    Stop,
    StopTerms,
)
from maxin.core.values import Entrant, Match, Result

__all__ = [
    "CONFIDENCE",
    "AskTerms",
    "BudgetTerms",
    "DecisionTerms",
    "Entrant",
    "InvalidInput",
    "Match",
    "MaxinError",
    "MissingExtra",
    "PlanTerms",
    "Result",
    "Sprt",
    "Stop",
    "StopTerms",
    "UnknownName",
    "check_confidence",
    "check_keywords",
    "check_lease",
    "check_match",
    "check_n_matches",
    "check_n_players",
    "check_name",
    "check_positive",
    "check_result",
    "check_whole",
]
