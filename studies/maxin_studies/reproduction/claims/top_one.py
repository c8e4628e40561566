"""Claims about the best player and the regret: Figures 1 to 3."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from maxin_studies.estimates import Estimate
from maxin_studies.reproduction.claims.base import (
    Claim,
    Panel,
    Part,
    Study,
    claim_over,
    in_every_run,
)
from maxin_studies.reproduction.claims.measures import (
    CONVERGED,
    FINAL_RR,
    LATE_RR,
    REGRET,
    REGRET_ROUNDS,
    RR_IS_ONE,
    RR_ROUNDS,
    Measure,
    against,
    is_above_bar,
    leads,
    share_by_half,
)
from maxin_studies.reproduction.runs import reading_rounds

TRIANGULAR = "Triangular game"
STOCHASTIC = (
    "Elo game",
    "Elo game + noise=0.01",
    "Transitive game",
    "Elo game + noise=0.05",
    "Elo game + noise=0.1",
)
REACH_ONE = ("Elo game", "Elo game + noise=0.01", "Elo game + noise=0.05", TRIANGULAR)
EARLY = ("Elo game", "Elo game + noise=0.01", "Elo game + noise=0.05")
HARD = {"Transitive game": 0.6, "Elo game + noise=0.1": 0.8}  # the RR the paper gives
CLOSE_TO_0 = 0.01  # of Random's regret
SIMILAR_RR = 0.05
SIMILAR_REGRET = 1.5  # times the lowest: the paper calls its 1200 similar to MaxInP's 800
SECOND_HALF = "mean RR over the second half"
LAST_TENTH = "mean RR over the last tenth of the rounds"
STILL = 1e-3  # nats; curves are stored in single precision
SETTLED = "the round from which it stays at 1; the last round if it never does"


def figure1(study: Study, protocol: str) -> Iterator[Claim]:
    """The statements about 2 Good, 2 Bad."""
    panels = study.panels(protocol)
    text = f"MaxIn-Elo's RR converges fastest ({SETTLED})"
    yield from _leading("s.533", protocol, text, panels, "MaxIn-Elo", RR_ROUNDS)
    text = (
        f"MaxIn-Elo's regret converges fastest (the round by which {CONVERGED:.0%} of its final "
        "value is reached)"
    )
    yield from _leading("s.533", protocol, text, panels, "MaxIn-Elo", REGRET_ROUNDS)
    text = "MaxIn-Elo has the lowest regret"
    yield from _leading("s.533", protocol, text, panels, "MaxIn-Elo", REGRET)
    text = f"MaxIn-Elo's regret is close to 0 (below {CLOSE_TO_0:.0%} of Random's)"
    parts = [_is_close_to_0(panel) for panel in panels]
    yield from claim_over("s.533", protocol, text, parts)


def figure2(study: Study, protocol: str) -> Iterator[Claim]:
    """The statements about MaxIn-Elo on transitive games."""
    five = study.panels(protocol, STOCHASTIC)
    yield from _lowest_regret("s.534", protocol, "MaxIn-Elo", five, "the five stochastic games")
    text = f"MaxIn-Elo has the highest RR on the five stochastic games ({SECOND_HALF})"
    yield from _leading("s.534", protocol, text, five, "MaxIn-Elo", LATE_RR)
    yield from _similar(protocol, study.panels(protocol, [TRIANGULAR]))
    four = study.panels(protocol, REACH_ONE)
    yield from _reaches_one("s.536", protocol, "MaxIn-Elo", four, "four games")
    yield from _hard_games(study, protocol)
    text = (
        "MaxIn-Elo's regret is close to convergence after half of the rounds, 500 in the paper "
        f"(it has at least {CONVERGED:.0%} of its final value)"
    )
    parts = [_is_early(panel) for panel in study.panels(protocol, EARLY)]
    yield from claim_over("s.537", protocol, text, parts)
    named = [panel for panel in study.rated_panels(protocol) if panel.game.name in EARLY]
    yield from _candidates(protocol, named)
    yield from _no_growth(protocol, named)
    yield from _dbgd(study, protocol)


def figure3(study: Study, protocol: str) -> Iterator[Claim]:
    """The statements about MaxIn-mElo on intransitive games."""
    panels = study.panels(protocol)
    yield from _lowest_regret("s.580", protocol, "MaxIn-mElo", panels, "all six games")
    text = f"MaxIn-mElo has the highest RR on all six games ({SECOND_HALF}; 1 in every run counts)"
    yield from _leading("s.580", protocol, text, panels, "MaxIn-mElo", LATE_RR, ties=True)
    others = [panel for panel in panels if panel.game.name != "Blotto"]
    yield from _reaches_one("s.580", protocol, "MaxIn-mElo", others, "all games except Blotto")
    blotto = study.panels(protocol, ["Blotto"])
    text = f"MaxIn-mElo's RR does not reach 1 on Blotto (below {RR_IS_ONE}; {LAST_TENTH})"
    parts = [_stays_below(panel, RR_IS_ONE) for panel in blotto]
    yield from claim_over("s.580", protocol, text, parts)
    text = f"On Blotto, MaxIn-mElo still has a higher RR than all others ({SECOND_HALF})"
    yield from _leading("s.581", protocol, text, blotto, "MaxIn-mElo", LATE_RR)
    text = "On Blotto, MaxIn-mElo still has a lower regret than all others"
    yield from _leading("s.581", protocol, text, blotto, "MaxIn-mElo", REGRET)


def _leading(
    place: str,
    protocol: str,
    text: str,
    panels: Sequence[Panel],
    algorithm: str,
    measure: Measure,
    ties: bool = False,
) -> Iterator[Claim]:
    """Whether an algorithm is better than every other one on all panels."""
    parts = [leads(panel, algorithm, measure, ties=ties) for panel in panels]
    yield from claim_over(place, protocol, text, parts)


def _lowest_regret(
    place: str, protocol: str, algorithm: str, panels: Sequence[Panel], where: str
) -> Iterator[Claim]:
    """With and without MaxInP: the paper does not say how its fit stays finite."""
    for aside, tail in (((), ""), (("MaxInP",), ", not counting MaxInP")):
        parts = [leads(panel, algorithm, REGRET, aside) for panel in panels]
        text = f"{algorithm} has a significantly lower regret than all baselines on {where}{tail}"
        yield from claim_over(place, protocol, text, parts)


def _reaches_one(
    place: str, protocol: str, algorithm: str, panels: Sequence[Panel], where: str
) -> Iterator[Claim]:
    text = f"{algorithm}'s RR converges to 1 on {where} (at least {RR_IS_ONE}; {LAST_TENTH})"
    finals = [(panel.label, FINAL_RR.of(panel.lines[algorithm])) for panel in panels]
    parts = [Part(is_above_bar(rr, RR_IS_ONE), label, str(rr)) for label, rr in finals]
    yield from claim_over(place, protocol, text, parts)


def _stays_below(panel: Panel, bar: float) -> Part:
    found = FINAL_RR.of(panel.lines["MaxIn-mElo"])
    return Part(Estimate(bar, 0.0, found.n_seeds).is_above(found), panel.label, str(found))


def _is_close_to_0(panel: Panel) -> Part:
    ours, random = (REGRET.of(panel.lines[name]) for name in ("MaxIn-Elo", "Random"))
    holds = random.changed(CLOSE_TO_0).is_above(ours)
    return Part(holds, panel.label, against("MaxIn-Elo", ours, "Random", random))


def _similar(protocol: str, panels: Sequence[Panel]) -> Iterator[Claim]:
    """The two halves of "similar performance on Triangular game"."""
    rivals = [
        {name: line for name, line in panel.lines.items() if name != "MaxIn-Elo"}
        for panel in panels
    ]
    for measure in (LATE_RR, REGRET):
        parts = []
        for panel, lines in zip(panels, rivals, strict=True):
            values = {name: measure.of(line) for name, line in lines.items()}
            name = measure.best(values)
            ours, best = measure.of(panel.lines["MaxIn-Elo"]), values[name]
            is_rr = measure is LATE_RR
            bar = best.changed(plus=-SIMILAR_RR) if is_rr else best.changed(SIMILAR_REGRET)
            numbers = against("MaxIn-Elo", ours, name, best)
            parts.append(Part(measure.is_better(ours, bar), panel.label, numbers))
        limit = (
            f"RR at most {SIMILAR_RR} below the best baseline's; {SECOND_HALF}"
            if measure is LATE_RR
            else f"regret below {SIMILAR_REGRET} times the lowest of the baselines"
        )
        text = f"MaxIn-Elo performs like the best baseline on Triangular game ({limit})"
        yield from claim_over("s.534", protocol, text, parts)


def _hard_games(study: Study, protocol: str) -> Iterator[Claim]:
    """The RR of the two games on which it does not reach 1."""
    for name, bar in HARD.items():
        finals = [
            (panel.label, FINAL_RR.of(panel.lines["MaxIn-Elo"]))
            for panel in study.panels(protocol, [name])
        ]
        parts = [Part(is_above_bar(rr, bar), label, str(rr)) for label, rr in finals]
        text = f"MaxIn-Elo's RR reaches {bar} on {name} ({LAST_TENTH})"
        yield from claim_over("s.536", protocol, text, parts)
    parts = []
    for panel in study.panels(protocol, list(HARD)):
        found = [bool(rr >= 0.5) for rr in panel.lines["MaxIn-Elo"].curves("rr")[:, -1]]
        numbers = f"{sum(found)} of {len(found)} runs"
        parts.append(Part(in_every_run(found), panel.label, numbers))
    text = (
        "On Transitive game and Elo game + noise=0.1, MaxIn-Elo ranks the top player first or "
        "second at the end of every run"
    )
    yield from claim_over("s.536", protocol, text, parts)


def _is_early(panel: Panel) -> Part:
    rounds = reading_rounds(panel.game.rounds)
    shares = share_by_half(panel.lines["MaxIn-Elo"].curves("regret"), rounds)
    found = Estimate.of(shares)
    return Part(is_above_bar(found, CONVERGED), panel.label, str(found))


def _dbgd(study: Study, protocol: str) -> Iterator[Claim]:
    """What DBGD gains and pays on a deterministic game."""
    panels = [x for x in study.panels(protocol, [TRIANGULAR]) if "DBGD" in x.lines]
    text = f"On Triangular game, DBGD finds the best player first (by its RR: {SETTLED})"
    yield from _leading("s.540", protocol, text, panels, "DBGD", RR_ROUNDS)
    parts = []
    for panel in panels:
        compared = [name for name in ("MaxInP", "MaxIn-Elo", "DBGD") if name in panel.lines]
        values = {name: REGRET.of(panel.lines[name]) for name in compared}
        ours = values.pop("DBGD")
        rival = max(values, key=lambda name: values[name].mean)
        numbers = against("DBGD", ours, rival, values[rival])
        parts.append(Part(ours.is_above(values[rival]), panel.label, numbers))
    text = "On Triangular game, DBGD has a large regret (above those of MaxIn-Elo and MaxInP)"
    yield from claim_over("s.540", protocol, text, parts)


def _candidates(protocol: str, panels: Sequence[Panel]) -> Iterator[Claim]:
    """What S is at the end, on the games that the paper names."""
    parts = []
    for panel in panels:
        runs = panel.lines["MaxIn-Elo"].outcomes
        found = [run.n_candidates == 1 and run.keeps_best for run in runs]
        parts.append(Part(in_every_run(found), panel.label, f"{sum(found)} of {len(found)} runs"))
    text = "On the games of s.537, S has only the top player at the end of every run"
    yield from claim_over("s.538", protocol, text, parts)


def _no_growth(protocol: str, panels: Sequence[Panel]) -> Iterator[Claim]:
    """Whether regret stays constant once S has one player; it grows if that is not x*."""
    pooled: list[bool] = []
    for panel in panels:
        alone = [run for run in panel.lines["MaxIn-Elo"].outcomes if run.n_candidates == 1]
        pooled += [bool(run.regret[-1] - run.regret[-2] <= STILL) for run in alone]
    text = (
        "On the games of s.537, regret no longer grows in runs that end with one player in S "
        "(none between the last two readings)"
    )
    part = Part(in_every_run(pooled), "Runs", f"{sum(pooled)} of {len(pooled)} runs")
    yield from claim_over("s.538", protocol, text, [part] if panels else [])
