"""All statements: those about each figure, and those over all games of Figures 1 to 3."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence

from maxin_studies.reproduction.claims.base import (
    ALL_PROTOCOLS,
    Claim,
    Panel,
    Part,
    Study,
    claim_over,
    most_hold,
)
from maxin_studies.reproduction.claims.measures import REGRET, RR_ROUNDS, leads
from maxin_studies.reproduction.claims.sweeps import batch, dimension
from maxin_studies.reproduction.claims.top_k import exploration, figure4
from maxin_studies.reproduction.claims.top_one import figure1, figure2, figure3

CHECKS: Mapping[str, Callable[[Study, str], Iterator[Claim]]] = {
    "figure1": figure1,
    "figure2": figure2,
    "figure3": figure3,
    "figure4": figure4,
    "gamma": exploration,
    "dimension": dimension,
    "batch": batch,
}
MAXIN = {"figure1": "MaxIn-Elo", "figure2": "MaxIn-Elo", "figure3": "MaxIn-mElo"}


def claims(study: Study) -> list[Claim]:
    """All statements about a figure, in the paper's order, each under all protocols in turn."""
    check = CHECKS[study.name]
    return _by_text([claim for name in study.protocols for claim in check(study, name)])


def _by_text(found: Sequence[Claim]) -> list[Claim]:
    """Claims of the same text next to each other, in the order of their first ones."""
    texts = list(dict.fromkeys(claim.text for claim in found))
    return sorted(found, key=lambda claim: texts.index(claim.text))


def overall_claims(studies: Sequence[Study]) -> list[Claim]:
    """The statements of the abstract and the introduction, over all games of these figures."""
    here = [study for study in studies if study.name in MAXIN]
    found = [claim for protocol in ALL_PROTOCOLS for claim in _over_games(here, protocol)]
    return _by_text(found)


def _over_games(studies: Sequence[Study], protocol: str) -> Iterator[Claim]:
    panels = [(MAXIN[study.name], x) for study in studies for x in study.panels(protocol)]
    names = ", ".join(study.name.removeprefix("figure") for study in studies)
    where = f"(games of Figures {names})" if len(studies) > 1 else f"(games of Figure {names})"
    text = f"MaxIn converges faster than all baselines on most games {where}: its RR stays at 1"
    parts = [leads(panel, name, RR_ROUNDS) for name, panel in panels]
    yield from claim_over("s.103", protocol, f"{text} from an earlier round on", parts, most_hold)
    text = f"MaxIn has a significantly lower regret than all baselines on all games {where}"
    parts = [leads(panel, name, REGRET) for name, panel in panels]
    yield from claim_over("s.132", protocol, text, parts)
    parts = [_against("MaxInP", name, panel) for name, panel in panels if "MaxInP" in panel.lines]
    text = f"MaxIn has a significantly lower regret than MaxInP on all games {where}"
    yield from claim_over("s.132", protocol, text, parts)

    parts = [_against("DBGD", name, panel) for name, panel in panels if "DBGD" in panel.lines]
    text = f"MaxIn has a significantly lower regret than DBGD on all games {where}"
    yield from claim_over("s.126", protocol, text, parts)
    text = f"MaxIn has a significantly lower regret than all baselines on most games {where}"
    parts = [leads(panel, name, REGRET) for name, panel in panels]
    yield from claim_over("s.627", protocol, text, parts, most_hold)


def _against(rival: str, name: str, panel: Panel) -> Part:
    return leads(panel, name, REGRET, [x for x in panel.lines if x not in (name, rival)])
