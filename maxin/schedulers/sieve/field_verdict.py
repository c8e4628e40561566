"""When to stop in a large field: by the contenders, if hardly anybody else can be better."""

from __future__ import annotations

from typing import Literal, NamedTuple

from maxin.core import Stop
from maxin.core.units import ELO_PER_NAT
from maxin.evaluation import Verdict, top_verdict
from maxin.ratings.sparse.contenders import Contenders

OUTSIDE_PART = 5.0  # the outsiders' doubt must be this many times below 1 - confidence
MOST_SHOWN = 10_000  # players, up to which simulations have shown that stops keep their promise


class FieldVerdict(NamedTuple):
    """The verdict on a large field.

    Args:
        verdict: it is decided if that on the contenders is, and the doubt outside is small.
        outside: the summed probabilities of everyone else to be better.
        obstacle: what prevents a decision, in one sentence; empty if nothing does.
    """

    verdict: Verdict
    outside: float
    obstacle: str


def field_verdict(contenders: Contenders, stop: Stop = Stop()) -> FieldVerdict:
    """Whether the best of a large field is known; as `maxin.evaluation.top_verdict`.

    That verdict on the contenders must be decided, and the doubt of everyone else must be at most
    (1 - confidence) / 5. Nothing is decided where simulations have not shown that such stops are
    right: see docs/explanation/notes/sieve.md.
    """
    posterior, outside = contenders.posterior, float(contenders.outside_doubts().sum())
    inside = top_verdict(posterior.ratings(), posterior.covariance(), stop, k=contenders.k)
    obstacle = _obstacle(contenders, inside, outside, stop)
    kind: Literal["decided", "undecided"] = "undecided" if obstacle else "decided"
    named = tuple(contenders.contenders[list(inside.players)].tolist())
    odds = max(0.0, inside.odds - outside)
    return FieldVerdict(inside._replace(kind=kind, players=named, odds=odds), outside, obstacle)


def _obstacle(contenders: Contenders, inside: Verdict, outside: float, stop: Stop) -> str:
    """What prevents a decision, if anything does."""
    n_players, n_contenders = contenders.graph.n_players, len(contenders.contenders)
    if inside.kind == "undecided":
        return (
            f"among the {n_contenders} contenders, the shortfall expected is "
            f"{ELO_PER_NAT * inside.shortfall:.2g} Elo, and a decision needs "
            f"{ELO_PER_NAT * inside.needed:.2g}"
        )
    if outside > stop.risk / OUTSIDE_PART:
        return (
            f"the doubt outside the {n_contenders} contenders is {outside:.2g}; a "
            f"decision needs {stop.risk / OUTSIDE_PART:.2g} at most"
        )
    if n_players > MOST_SHOWN:
        return (
            f"the contenders are told apart, but simulations have shown that a stop is "
            f"right for up to {MOST_SHOWN:,} players only, and there are {n_players:,}"
        )
    if contenders.k > 1:
        return (
            f"the contenders are told apart, but stops of a sieve were simulated for the "
            f"best player only, and k is {contenders.k}"
        )
    return ""
