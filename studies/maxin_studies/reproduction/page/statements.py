"""The paper's statements as tables: one row each, with a verdict per protocol."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence

from maxin_studies.document import Rows, Section
from maxin_studies.reproduction.claims import ALL_PROTOCOLS, Claim
from maxin_studies.reproduction.tuning import ONE_NAT, PROTOCOLS

MARKS = {True: "✓", False: "✗", None: "?"}
LEGEND = (
    "✓ holds, ✗ does not hold, ? is open: Student's t at 95 % cannot separate the means. The "
    "number says on how many games a statement holds or, for one game, gives the means behind the"
    ' verdict. After "1 nat" stands the verdict with that scale of the prior, where it differs '
    "from that with a scale chosen like every other setting."
)
COLUMNS = {"hindsight": "text, hindsight", "held-out": "text, held-out", "as-printed": "scripts"}
ByProtocol = Mapping[str, Claim]


def by_statement(claims: Sequence[Claim]) -> dict[tuple[str, str], dict[str, Claim]]:
    """The claims by place and text, and then by protocol."""
    found: dict[tuple[str, str], dict[str, Claim]] = {}
    for claim in claims:
        found.setdefault((claim.place, claim.text), {})[claim.protocol] = claim
    return found


def verdict_cell(claims: ByProtocol, protocol: str) -> str:
    """The verdict and its number, with that of 1 nat where it is another.

    >>> one = Claim("hindsight", "", True, "", "", "5 of 6")
    >>> other = one._replace(protocol="hindsight, 1 nat", holds=False, number="1 of 6")
    >>> verdict_cell({claim.protocol: claim for claim in (one, other)}, "hindsight")
    '✓ 5 of 6; 1 nat: ✗ 1 of 6'
    """
    claim, plain = claims.get(protocol), claims.get(ONE_NAT.get(protocol, ""))
    if claim is None:
        return ""
    cell = f"{MARKS[claim.holds]} {claim.number}"
    has_other = plain is not None and plain.holds is not claim.holds
    return f"{cell}; 1 nat: {MARKS[plain.holds]} {plain.number}" if plain and has_other else cell


def statement_table(claims: Sequence[Claim]) -> tuple[list[str], Rows]:
    """One row per statement; a column for each protocol that was run."""
    protocols = [name for name in PROTOCOLS if any(claim.protocol == name for claim in claims)]
    header = ["place", "statement", *(COLUMNS[name] for name in protocols)]
    found = by_statement(claims)
    texts = without_repeats([text for _, text in found])
    rows = [
        [place, text, *(verdict_cell(here, name) for name in protocols)]
        for ((place, _), here), text in zip(found.items(), texts, strict=True)
    ]
    return header, rows


def without_repeats(texts: Sequence[str]) -> list[str]:
    """The texts with what is in brackets, such as the measure, only where it first occurs.

    Texts that differ by nothing else keep it.

    >>> without_repeats(["a leads (by RR)", "b leads (by RR)", "c leads (by regret)"])
    ['a leads (by RR)', 'b leads', 'c leads (by regret)']
    >>> without_repeats(["a (RR)", "b (RR)", "a (regret)", "b (regret)"])[1::2]
    ['b (RR)', 'b (regret)']
    """
    seen: set[str] = set()

    def shown(found: re.Match[str]) -> str:
        is_new = found[0] not in seen
        seen.add(found[0])
        return found[0] if is_new else ""

    short = [re.sub(r" \([^()]*\)", shown, text) for text in texts]
    return [
        text if short.count(brief) > 1 else brief for text, brief in zip(texts, short, strict=True)
    ]


def evidence_table(claims: Mapping[str, Sequence[Claim]]) -> Section:
    """Every verdict with all its numbers, for a file."""
    section = Section("statements", "All statements with their evidence")
    section.header = ["place", "about", "protocol", "verdict", "statement", "evidence"]
    section.rows = [
        [claim.place, about, claim.protocol, claim.verdict, claim.text, claim.evidence]
        for about, here in claims.items()
        for claim in here
    ]
    return section


def counts(claims: Sequence[Claim], protocol: str) -> str:
    """How many statements have each verdict under a protocol.

    >>> some = [Claim("held-out", "", holds, "", "") for holds in (True, None, True)]
    >>> counts(some, "held-out")
    '2 hold, 0 do not, 1 is open'
    """
    found = [claim.holds for claim in claims if claim.protocol == protocol]
    n_true, n_false, n_open = (found.count(holds) for holds in (True, False, None))
    return (
        f"{n_true} {'holds' if n_true == 1 else 'hold'}, "
        f"{n_false} {'does' if n_false == 1 else 'do'} not, "
        f"{n_open} {'is' if n_open == 1 else 'are'} open"
    )


def summary(claims: Sequence[Claim]) -> Iterator[str]:
    """The counts under each protocol, as sentences."""
    for protocol in ALL_PROTOCOLS:
        if any(claim.protocol == protocol for claim in claims):
            yield f"Statements under {protocol}: {counts(claims, protocol)}."


def open_section(claims: Mapping[str, Sequence[Claim]], seeds: Mapping[str, str]) -> Section:
    """The statements that stay open under the protocol with the most seeds, with the reason."""
    section = Section("open", "Still open")
    most = "held-out" if "held-out" in seeds else next(iter(seeds))
    section.notes = [
        "With the seeds that were run, Student's t at 95 % cannot separate the means: lines are "
        "compared seed by seed, as they share them. Seeds: "
        f"{'; '.join(f'{name}: {n}' for name, n in seeds.items())}. Here is what {most} leaves "
        "open, with the games on which it does or, for one game, the means. "
        "`reproduction/open-claims.csv` has everything that is marked ? above."
    ]
    section.header = ["statement", "where"]
    section.rows = [
        [claim.text.partition(" (")[0], open_where(claim.evidence)]
        for here in claims.values()
        for claim in here
        if claim.protocol == most and claim.holds is None
    ]
    return section


def open_table(claims: Mapping[str, Sequence[Claim]]) -> Section:
    """Where each of them is open, for a file."""
    section = Section("open-claims", "Still open")
    section.header = ["place", "statement", "open under", "where"]
    section.rows = [
        [claim.place, claim.text, claim.protocol, open_where(claim.evidence)]
        for here in claims.values()
        for claim in here
        if claim.holds is None
    ]
    return section


def open_where(evidence: str) -> str:
    """The games on which a claim is open or, if it is about one, its means.

    >>> open_where("1 of 2. Holds for go (1.0 ± 0.1). Cannot be decided for chess (1.0 ± 0.1)")
    'chess'
    >>> open_where("chess: ours 1.0 ± 0.1 against theirs 1.1 ± 0.1")
    'ours 1.0 ± 0.1 against theirs 1.1 ± 0.1'
    """
    _, mark, games = evidence.partition("Cannot be decided for ")
    if not mark:
        return evidence.partition(": ")[2]
    return re.sub(r" \([^()]*±[^()]*\)", "", games)
