"""The page that leads from the paper to the code: nothing is left out, and what it says is true."""

import ast
import re
from functools import cache
from pathlib import Path
from typing import NamedTuple

import pytest

ROOT = Path(__file__).resolve().parents[2]
DOCS = ROOT / "studies" / "docs"
PAGE = (DOCS / "paper-to-code.md").read_text()
HEADER = ["in the paper", "in the code", "verified by", "difference"]
LINES = re.compile(r"\bs\.(\d+)(?:-(\d+))?")  # s.173, or s.580-581
NODE = re.compile(r"`((?:studies/)?tests/[\w/]+\.py)::(\w+)`")
SECTION = re.compile(r"\[([^\]]+)\](?!\()")
# The lines of the paper with a result that the reproduction has to judge.
# s.302 on smoothness and s.806 give no measure, and are not judged.
JUDGED = [
    102, 103, 126, 132, 302, 386, 396, 397, 435, 533, 534, 536, 537, 538, 540, 580, 581, 585, 587,
    627, 798, 800, 801, 802, 805, 808,
]  # fmt: skip


class Row(NamedTuple):
    """A row of the page."""

    paper: str
    code: str
    verified: str
    difference: str

    @property
    def lines(self):
        """The lines of the paper that the row is about."""
        return lines_of(self.paper)


def lines_of(text):
    spans = ((int(first), int(last or first)) for first, last in LINES.findall(text))
    return {line for first, last in spans for line in range(first, last + 1)}


def cells(line):
    return [cell.strip() for cell in line.strip("|").split("|")]


def tables(text):
    """The cells of each line of each table."""
    blocks = re.findall(r"(?:^\|.*\n)+", text, re.MULTILINE)
    return [[cells(line) for line in block.splitlines()] for block in blocks]


@cache
def rows(heading=""):
    """All rows, or those below one heading."""
    part = PAGE if not heading else PAGE.split(f"\n## {heading}\n")[1].partition("\n## ")[0]
    return [Row(*line) for table in tables(part) for line in table[2:]]


# What the page promises about itself.


def test_every_table_has_the_four_columns_and_no_empty_cell():
    for table in tables(PAGE):
        assert table[0] == HEADER
        assert [line for line in table if len(line) != 4 or not all(line)] == []


def test_every_row_names_code_and_evidence_or_says_why_not():
    for row in rows():
        assert lines_of(row.paper), row
        assert "`" in row.code or row.code.startswith("no code: "), row
        is_checked = NODE.search(row.verified) or SECTION.search(row.verified)
        assert is_checked or row.verified.startswith("not checked: "), row


@cache
def functions(path):
    """The functions of a file, if there is one."""
    file = ROOT / path
    body = ast.parse(file.read_text()).body if file.is_file() else []
    return {node.name for node in body if isinstance(node, ast.FunctionDef)}


def test_every_test_named_exists():
    named = NODE.findall(PAGE)
    assert [f"{path}::{name}" for path, name in named if name not in functions(path)] == []


def test_every_section_named_has_a_link():
    defined = set(re.findall(r"^\[([^\]]+)\]: reproduction\.md#", PAGE, re.MULTILINE))
    named = {name for row in rows() for name in SECTION.findall(row.verified)}
    assert named == defined


@pytest.mark.parametrize("line", JUDGED)
def test_every_result_of_the_paper_is_judged_in_the_reproduction(line):
    """A row names a section of the reproduction, which has a verdict with this place."""
    assert any(SECTION.search(row.verified) for row in rows() if line in row.lines)
    page = (DOCS / "reproduction.md").read_text()
    verdicts = re.findall(r"\*\*(?:Holds|Does not hold|Not tested)\*\* \((.*?)\):", page)
    verdicts += re.findall(r"^\| (s\.\d+) \|.*[✓✗?] ", page, re.MULTILINE)
    assert any(re.search(rf"\bs\.{line}\b", verdict) for verdict in verdicts)


def test_it_begins_with_the_misprints_and_deviations_that_matter():
    """On one screen, each with its place in the paper."""
    start = PAGE.split("\n## ")[1]
    items = [line for line in start.splitlines() if line.startswith("- ")]
    assert start.startswith("Misprints and deviations that matter\n")
    assert 15 <= len(items) <= 25
    assert [item for item in items if not lines_of(item)] == []


# That nothing of the paper is left out.


@pytest.fixture(scope="module")
def paper(shared):
    """The lines of the paper; the first is `paper[1]`."""
    files = sorted((shared / "paper").glob("*.txt"))
    if not files:
        pytest.skip(f"the text of the paper is not in {shared / 'paper'}")
    return ["", *files[0].read_text().split("\n")]


def where(paper, pattern, first=1, last=None):
    """The numbers of the lines that match."""
    numbers = range(first, len(paper) if last is None else last)
    return [number for number in numbers if re.search(pattern, paper[number])]


def covered():
    return {line for row in rows() for line in row.lines}


def test_every_line_named_is_in_the_paper(paper):
    named = lines_of(PAGE)
    assert max(named) < len(paper)
    assert [line for line in sorted(covered()) if not paper[line].strip()] == []


def test_every_label_has_a_row(paper):
    labels = re.findall(r"\\label\{[\"']?([^}\"']+)[\"']?\}", "\n".join(paper))
    about = "\n".join(row.paper for row in rows())
    labels = [label for label in labels if not label.startswith(("sec:", "app:"))]
    assert len(labels) > 30
    assert [label for label in labels if f"`{label}`" not in about] == []


def steps_of(text, algorithm):
    """The numbers of an algorithm's lines that a cell names.

    >>> sorted(steps_of("Alg. 2, input (s.671), lines 1, 4 to 6 and 9: as before", 2))
    [1, 4, 5, 6, 9]
    """
    start = re.match(rf"Alg\. {algorithm}, (?:input \(s\.\d+\), )?lines? ([\d, toand]+)", text)
    spans = re.findall(r"(\d+)(?: to (\d+))?", start[1]) if start else []
    return {n for first, last in spans for n in range(int(first), int(last or first) + 1)}


def test_every_algorithm_line_has_a_row(paper):
    starts = where(paper, r"\\begin\{algorithmic\}")
    ends = where(paper, r"\\end\{algorithmic\}")
    assert len(starts) == 2
    for algorithm, (first, last) in enumerate(zip(starts, ends, strict=True), 1):
        steps = where(paper, r"\\(STATE|FOR|IF|ENDIF|ENDFOR)\b", first, last)
        for number, line in enumerate(steps, 1):
            found = [row for row in rows() if number in steps_of(row.paper, algorithm)]
            assert [line in row.lines for row in found] == [True], (algorithm, number)
        for line in where(paper, r"\\(REQUIRE|ENSURE)", first, last):
            assert line in covered()


def plain(latex):
    """A cell of a table without its markup."""
    without = re.sub(r"\\(textbf|text)\{([^}]*)\}", r"\2", latex)
    return re.sub(r"\\hline|[\\$|#]", "", without).strip()


def test_every_row_and_column_of_the_tables_has_a_row(paper):
    starts, ends = where(paper, r"\\begin\{tabular\}"), where(paper, r"\\end\{tabular\}")
    for table, (first, last) in enumerate(zip(starts, ends, strict=True), 1):
        head, *body = where(paper, "&", first, last)
        columns = [plain(cell.removesuffix(r"\\")) for cell in paper[head].split("&")]
        for column in columns[1 if table == 1 else 0 :]:
            assert has_row(f"Table {table}, column", head, column)
        for line in body:
            assert has_row(f"Table {table}, row", line, plain(paper[line].split("&")[0]))
    assert len(starts) == 2


def has_row(start, line, words="", heading=""):
    return any(
        row.paper.startswith(start) and words in row.paper and line in row.lines
        for row in rows(heading)
    )


def test_every_figure_and_table_has_a_row(paper):
    captions = [line for line in where(paper, r"\\caption\{") if "algorithm" not in paper[line - 1]]
    assert len(captions) == 9
    assert [line for line in captions if not {line, line + 1} & covered()] == []


def test_every_baseline_has_a_row(paper):
    [first], [last] = where(paper, r"\\subsection\{Baselines"), where(paper, r"\{Experiments sett")
    found = where(paper, r"^\\textbf", first, last)
    for line in found:
        name = re.match(r"\\textbf\{(.*?)\}", paper[line])[1].replace(r"$\alpha$", "alpha")
        assert has_row(name, line, heading="Baselines"), name
    assert len(found) == 7


def test_every_displayed_formula_has_a_row(paper):
    inside, formulas = None, []
    for number, line in enumerate(paper):
        begins = re.search(r"\\begin\{(equation|align)\*?\}", line)
        ends = re.search(r"\\end\{(equation|align)\*?\}", line)
        rule = line.count("$$") % 2 == 1
        if inside is None and (begins or rule):
            inside = number
        elif inside is not None and (ends or rule):
            formulas.append(set(range(inside, number + 1)))
            inside = None
        elif "$$" in line:
            formulas.append({number})
    assert len(formulas) > 25
    assert [min(lines) for lines in formulas if not lines & covered()] == []


def test_every_symbol_of_the_notation_has_a_row(paper):
    symbols = where(paper, r"^\$\\bullet\$")
    assert len(symbols) == 14
    assert [line for line in symbols if line not in covered()] == []


def test_every_sentence_up_to_the_proofs_has_a_row(paper):
    """All prose, so that no statement is left out; the tests above see to the rest."""
    [first], [last] = where(paper, r"\\begin\{abstract\}"), where(paper, r"\\newpage")
    commands = "section|subsection|paragraph|setlength|begin|end|label|balance|bibl|onec|appendix"
    hidden = set(where(paper, rf"^\\({commands})"))
    for name in ("figure", "table", "algorithm", "equation", "align"):
        starts = where(paper, rf"\\begin\{{{name}\*?\}}")
        ends = where(paper, rf"\\end\{{{name}\*?\}}")
        for start, end in zip(starts, ends, strict=True):
            hidden |= set(range(start, end + 1))
    prose = set(where(paper, r"[A-Za-z]", first, last)) - hidden
    assert len(prose) > 150
    assert sorted(prose - covered()) == []
