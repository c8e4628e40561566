"""The printed end points of Figures 2 and 3 against ours, on five seeds as in the paper."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from maxin_studies.document import Section
from maxin_studies.reproduction.claims import EndPoints, Study
from maxin_studies.reproduction.claims.printed_ends import NEAR, EndPair, end_pair

COMPARED = {  # the paper shows the seeds that chose its settings
    "hindsight": "the text with our prior",
    "as-printed": "the scripts",
}
MOVED = ("Elo game", "MaxIn-Elo")  # the line that ties of widths have moved most
BEFORE = 1.46  # its ratio under `as-printed` before a change of how widths are rounded


def printed_points(studies: Sequence[Study], printed: EndPoints) -> dict[str, list[EndPair]]:
    """Our end points and the printed ones, by protocol; the first panel of a game counts."""
    found: dict[str, list[EndPair]] = {}
    for protocol in COMPARED:
        pairs = [
            pair
            for study in studies
            if study.name in ("figure2", "figure3")
            for panel in study.panels(protocol)
            if not panel.is_second or protocol == "as-printed"
            for line in panel.lines.values()
            if (pair := end_pair(line, printed))
        ]
        if pairs:
            found[protocol] = pairs
    return found


def points_section(points: Mapping[str, Sequence[EndPair]]) -> Section:
    """How many end points agree, and which do not."""
    section = Section("printed", "The printed end points of Figures 2 and 3")
    section.notes = [_agreement(COMPARED[name], pairs) for name, pairs in points.items()]
    moved = [p for p in points.get("as-printed", ()) if (p.game, p.algorithm) == MOVED]
    section.notes += [
        "Exact ties of widths: several pairs are often as wide as each other, and rounding decides "
        "which of them plays. A change that rounds widths differently and alters no equation moves "
        f"a cell as far as other seeds do: {MOVED[1]} of the scripts on {MOVED[0]} ends with "
        f"{pair.ratio:.2f} times the printed regret, and ended with {BEFORE} times before such a "
        "change."
        for pair in moved
    ]
    section.notes.append("`reproduction/end-points.csv` has all of them, on five seeds.")
    return section


def points_table(points: Mapping[str, Sequence[EndPair]]) -> Section:
    """Every printed end point next to ours, for a file."""
    section = Section("end-points", "The printed end points of Figures 2 and 3")
    section.header = ["game", "algorithm"]
    names = [COMPARED[protocol] for protocol in points]
    for measure in ("regret", "RR"):
        section.header += [f"{measure}, paper", *(f"{measure}, {name}" for name in names)]
    by_line = [{(pair.game, pair.algorithm): pair for pair in pairs} for pairs in points.values()]
    for place in dict.fromkeys(place for here in by_line for place in here):
        pairs = [here.get(place) for here in by_line]
        first = next(pair for pair in pairs if pair)
        row = [*place, f"{first.printed_regret:.0f}"]
        row += [f"{pair.regret} ({pair.ratio:.2f})" if pair else "" for pair in pairs]
        row += [f"{first.printed_rr:.2f}", *(f"{pair.rr:.2f}" if pair else "" for pair in pairs)]
        section.rows.append(row)
    return section


def _agreement(name: str, pairs: Sequence[EndPair]) -> str:
    """How many end points agree, and which regrets do not."""
    apart = [pair for pair in pairs if not pair.agrees_in_regret]
    noisy = [pair for pair in apart if pair.is_within_noise]
    apart = [pair for pair in apart if not pair.is_within_noise]
    n_ranks = sum(pair.agrees_in_rr for pair in pairs)
    ratios = ", ".join(f"{pair.algorithm} on {pair.game} {pair.ratio:.2f}" for pair in apart)
    return (
        f"With {name}, {len(pairs) - len(apart) - len(noisy)} of {len(pairs)} printed regrets are "
        f"within {NEAR:.0%} of ours, and {len(noisy)} more within the noise of two such means; "
        f"ours / printed of the others: {ratios or 'none'}. Of the printed RRs, {n_ranks} are "
        f"within {NEAR:g}."
    )
