"""The report: sections of words, tables and pictures, as Markdown, CSV and one HTML page."""

from __future__ import annotations

import base64
import csv
import html
import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np

from maxin.core import InvalidInput
from maxin.evaluation import sink_players
from maxin.experiments.reproduction.claims import Claim, EndPoints, Study, claims, printed_regrets
from maxin.experiments.reproduction.complexity import PRINTED, Growth
from maxin.experiments.reproduction.plots import save_figure
from maxin.experiments.reproduction.theory import TheoryCheck
from maxin.games import Game
from maxin.ratings import hodge

Rows = list[list[str]]


@dataclass
class Section:
    """A heading with what belongs under it."""

    name: str
    title: str
    words: list[str] = field(default_factory=list)
    pictures: list[tuple[str, Path]] = field(default_factory=list)
    header: list[str] = field(default_factory=list)
    rows: Rows = field(default_factory=list)


MAXINP_NOTE = (
    "MaxInP is another matter here than in the print: it fits the whole history with a Gaussian "
    "prior of one nat on every rating, and ends with a fraction of the printed regret. The print "
    "does not say how its maximum likelihood, which need not exist, was kept finite."
)
DBGD_NOTE = (
    "DBGD on 5,3-Blotto is printed at 1320, above the 1313 that pairs drawn blindly cost on "
    "average; a winner who stays cannot cost that much on this game."
)
SCORE_NOTE = (
    "RR asks for the player with the largest mean score, regret for the one with the largest "
    "rating; on Elo game + noise=0.01 these are two players."
)


def notes(study: Study, printed: EndPoints) -> list[str]:
    """What explains differences from the print, where there is a print to differ from."""
    names = [game.name for game in study.experiment.games if printed_regrets(game, printed)]
    if study.experiment.name not in ("figure2", "figure3") or not names:
        return []
    blotto = [DBGD_NOTE] if "5,3-Blotto" in names else []
    noisy = [SCORE_NOTE] if "Elo game + noise=0.01" in names else []
    return [MAXINP_NOTE, *blotto, *noisy]


def figure_section(study: Study, printed: EndPoints, folder: Path) -> Section:
    """A figure: its claims, its pictures, and its end points beside the printed ones."""
    section = Section(study.experiment.name, study.experiment.title)
    section.words = [_sentence(claim) for claim in claims(study, printed)]
    section.words += notes(study, printed)
    for protocol in study.protocols:
        path = save_figure(study.experiment, study.lines, protocol, folder)
        section.pictures.append((f"{study.experiment.title}, {protocol}", path))
    section.header, section.rows = _end_table(study, printed)
    return section


VERDICTS = {True: "Holds", False: "Does not hold", None: "Cannot be told"}


def _sentence(claim: Claim) -> str:
    verdict = VERDICTS[claim.holds]
    return f"**{verdict}** ({claim.protocol}): {claim.text}. {claim.evidence}."


def _end_table(study: Study, printed: EndPoints) -> tuple[list[str], Rows]:
    """Where the lines end: regret and RR, or the top-k measures, per game and algorithm."""
    names = ("regret", "reciprocal_rank")
    if study.experiment.shows == "top-k":
        names = ("hit_ratio", "ndcg")
    header = ["game", "algorithm", "settings"]
    for protocol in study.protocols:
        header += [f"{_short(name)}, {protocol}" for name in names]
    if len(study.protocols) == 2:
        header.append(f"gap in {_short(names[1])}")
    has_print = any(printed_regrets(game, printed) for game in study.experiment.games)
    has_print = has_print and study.experiment.name in ("figure2", "figure3")
    header += ["regret, printed", "RR, printed"] if has_print else []
    rows = []
    for game in study.experiment.games:
        for line in study.experiment.algorithms:
            ends = [study.of(game, protocol)[line.name] for protocol in study.protocols]
            row = [game.name, line.name, str(len(line.settings))]
            row += [_mean_and_spread(*end.end(name), name) for end in ends for name in names]
            if len(ends) == 2:
                gap = ends[0].end(names[1])[0] - ends[1].end(names[1])[0]
                row.append(f"{gap:+.2f}" if len(line.settings) > 1 else "")
            if has_print:
                regret, rank = printed.get((game.name, game.rounds, line.name), (None, None))
                row += [
                    "" if regret is None else f"{regret:.0f}",
                    "" if rank is None else f"{rank:.2f}",
                ]
            rows.append(row)
    return header, rows


def _short(name: str) -> str:
    return {"reciprocal_rank": "RR", "hit_ratio": "hit ratio@10", "ndcg": "NDCG@10"}.get(name, name)


def _mean_and_spread(mean: float, spread: float, name: str) -> str:
    return f"{mean:.0f} ± {spread:.0f}" if name == "regret" else f"{mean:.2f} ± {spread:.2f}"


def growth_section(measured: Sequence[Growth]) -> Section:
    """Table 1: exponents of time and memory."""
    section = Section("table1", "Table 1. Time and memory, measured")
    section.words = [
        "Exponents of the cost of a whole run in rounds T and players n, fitted on a log-log "
        "scale. MaxInP keeps counts of pairs instead of the history, so neither its time nor its "
        "memory grows with T as the paper's does; MaxIn-Elo brings few widths up to date in a "
        "round, so it grows slower with n; RG-UCB keeps a count for every pair.",
    ]
    section.header = ["algorithm", "time in T", "time in n", "memory in T", "memory in n",
                      "printed: time", "printed: memory", "printed: regret"]  # fmt: skip
    for row in measured:
        regret, duration, memory = PRINTED[row.algorithm]
        numbers = [f"{value:.2f}" for value in row[1:]]
        section.rows.append([row.algorithm, *numbers, duration, memory, regret])
    return section


TOP_SINKS = {  # the printed column |Top SSCC|
    "Transitive game": 1, "Triangular game": 1, "Elo game": 1, "Elo game + noise=0.01": 1,
    "Elo game + noise=0.05": 1, "Elo game + noise=0.1": 1, "Kuhn-poker": 64, "AlphaStar": 1,
    "tic_tac_toe": 2, "hex(board_size=3)": 2, "Blotto": 99, "5,3-Blotto": 18,
}  # fmt: skip


def games_section(games: dict[str, Game]) -> Section:
    """Table 2: statistics of the games."""
    section = Section("table2", "Table 2. The games")
    section.header = ["game", "players", "in sink components", "printed", "transitive share"]
    for name, top in TOP_SINKS.items():
        if name in games:
            chances = games[name].probabilities
            share = hodge(np.log(chances / (1.0 - chances))).transitive_share
            sinks = len(sink_players(chances))
            row = [name, str(games[name].n_players), str(sinks), str(top), f"{share:.2f}"]
            section.rows.append(row)
    agree = sum(row[2] == row[3] for row in section.rows)
    section.words = [f"{agree} of {len(section.rows)} rows agree with the printed sizes."]
    return section


def theory_section(checks: Sequence[TheoryCheck]) -> Section:
    """Lemma 1 and Theorem 1 along runs."""
    section = Section("theory", "Lemma 1 and Theorem 1 along runs of MaxIn-Elo")
    fit = [check.lemma_holds for check in checks if check.connectivity >= 1.0]
    unfit = [check.lemma_holds for check in checks if check.connectivity < 1.0]
    below = sum(check.regret <= check.regret_bound for check in checks)
    section.words = [
        "Lemma 1 assumes that the first batch connects all players well (connectivity of at least "
        f"1). It did in {len(fit)} of {len(checks)} runs, and the inequality held in {sum(fit)} of "
        f"those; of the other {len(unfit)}, where widths between unconnected players are near "
        f"1000, it held in {sum(unfit)}.",
        f"The regret was within the bound of Theorem 1 in {below} of {len(checks)} runs; the bound "
        "is huge, for its constant 1 / c_1 grows with the exponential of the largest rating "
        "difference.",
    ]
    section.header = ["game", "tau", "connectivity", "sum of widths", "lemma's bound",
                      "lemma holds", "regret", "theorem's bound"]  # fmt: skip
    section.rows = [
        [
            check.game,
            str(check.batch_size),
            f"{check.connectivity:.2f}",
            f"{check.sum_of_widths:.1f}",
            f"{check.lemma_bound:.1f}",
            "yes" if check.lemma_holds else "no",
            f"{check.regret:.0f}",
            f"{check.regret_bound:.2g}",
        ]
        for check in checks
    ]
    return section


def read_end_points(path: Path) -> EndPoints:
    """The printed end points: columns game, horizon, algorithm, regret_end, rr_end of a .csv."""
    try:
        with path.open(newline="") as file:
            return {
                (row["game"], int(row["horizon"]), row["algorithm"]): (
                    float(row["regret_end"]),
                    float(row["rr_end"]),
                )
                for row in csv.DictReader(file)
            }
    except (KeyError, TypeError, ValueError) as error:
        raise InvalidInput(
            f"{str(path)!r} should hold printed end points, with columns game, horizon, "
            f"algorithm, regret_end and rr_end: {error!r}"
        ) from error


def write_report(title: str, intro: list[str], sections: Iterable[Section], folder: Path) -> Path:
    """Write report.md, report.html and a .csv per table; returns the path of the page."""
    sections = list(sections)
    (folder / "tables").mkdir(exist_ok=True)
    for section in sections:
        if section.rows:
            with (folder / "tables" / f"{section.name}.csv").open("w", newline="") as file:
                csv.writer(file).writerows([section.header, *section.rows])
    (folder / "report.md").write_text(markdown(title, intro, sections, folder))
    page = folder / "report.html"
    page.write_text(_page(title, intro, sections))
    return page


def markdown(title: str, intro: list[str], sections: list[Section], folder: Path) -> str:
    """The report as Markdown whose pictures stand in `folder`."""
    parts = [f"# {title}", *intro]
    for section in sections:
        parts.append(f"## {section.title}")
        if section.words:
            parts.append("\n".join(f"- {word}" for word in section.words))
        for caption, path in section.pictures:
            parts.append(f"![{caption}]({path.relative_to(folder).as_posix()})")
        if section.rows:
            table = [section.header, ["---"] * len(section.header), *section.rows]
            parts.append("\n".join(f"| {' | '.join(row)} |" for row in table))
    return "\n\n".join(parts) + "\n"


STYLE = """
body { font: 15px/1.5 system-ui, sans-serif; max-width: 1100px; margin: 2rem auto; }
img { max-width: 100%; } table { border-collapse: collapse; font-size: 13px; margin: 1rem 0; }
th, td { border-bottom: 1px solid #ddd; padding: 3px 10px; text-align: right; }
th:first-child, td:first-child, th:nth-child(2), td:nth-child(2) { text-align: left; }
figure { margin: 1.5rem 0; } figcaption { color: #555; font-size: 13px; }
b.True { color: #0a5; } b.False { color: #b30; } b.None { color: #777; }
.scroll { overflow-x: auto; }
"""


def _page(title: str, intro: list[str], sections: list[Section]) -> str:
    """One HTML page that needs nothing else: pictures are inside it."""
    body = [f"<h1>{html.escape(title)}</h1>", *(f"<p>{_rich(text)}</p>" for text in intro)]
    for section in sections:
        body.append(f'<h2 id="{html.escape(section.name)}">{html.escape(section.title)}</h2>')
        if section.words:
            body.append("<ul>" + "".join(f"<li>{_rich(w)}</li>" for w in section.words) + "</ul>")
        for caption, path in section.pictures:
            data = base64.b64encode(path.read_bytes()).decode()
            alt = html.escape(caption)
            body.append(
                f'<figure><img alt="{alt}" src="data:image/png;base64,{data}">'
                f"<figcaption>{alt}</figcaption></figure>"
            )
        if section.rows:
            body.append(_html_table(section))
    return (
        '<!doctype html><html lang="en"><head><meta charset="utf-8">'
        f"<title>{html.escape(title)}</title><style>{STYLE}</style></head><body>"
        + "\n".join(body)
        + "</body></html>\n"
    )


def _rich(text: str) -> str:
    """Escaped words, with verdicts and `code` set off."""
    escaped = re.sub("`(.*?)`", r"<code>\1</code>", html.escape(text))
    for holds, verdict in VERDICTS.items():
        mark = f'<b class="{holds}">{verdict}</b>'
        escaped = escaped.replace(f"**{verdict}**", mark)
    return escaped


def _html_table(section: Section) -> str:
    def row(cells: list[str], tag: str) -> str:
        return "<tr>" + "".join(f"<{tag}>{html.escape(c)}</{tag}>" for c in cells) + "</tr>"

    rows = "".join(row(cells, "td") for cells in section.rows)
    return f'<div class="scroll"><table>{row(section.header, "th")}{rows}</table></div>'
