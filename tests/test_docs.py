"""The docs are true: examples run, links lead somewhere, names exist, and the help is current.

Run as a script, it writes the pages that are made from the code: of commands, API and config file.
"""

import doctest
import html
import io
import os
import pkgutil
import re
import subprocess
import sys
import tomllib
from contextlib import ExitStack, contextmanager
from pathlib import Path
from unittest.mock import patch

import pytest
from _pytest.doctest import _get_checker, get_optionflags  # for NUMBER, which is pytest's own

import maxin
from maxin import Tournament
from maxin.cli.app import make_app
from tests.helpers.command import right
from tests.helpers.judge_service import KEY, judge_service
from tests.helpers.reference_pages import api_page, config_page
from tests.helpers.uci import STOCKFISH

ROOT = Path(__file__).resolve().parents[1]
PAGES = sorted(ROOT.glob("*.md"))
PAGES += sorted((ROOT / "docs").rglob("*.md"))
PAGES += [ROOT / "studies" / "README.md", *sorted((ROOT / "studies" / "docs").rglob("*.md"))]

GALLERY = ROOT / "docs" / "gallery"  # `tests/examples/test_gallery.py` runs its scripts
START = sorted((ROOT / "docs" / "start").glob("*.md"))  # run as they are written, shell too
ELSEWHERE = (
    "pip ",
    "apt ",
    "maxin serve ",
)  # commands that a test has no use for, or tests elsewhere
TRACKERS = ROOT / "docs" / "how-to" / "trackers.md"  # needs large packages
COMMANDS = ["", "init", "plan", "run", "show", "report", "export", "import", "verify", "backup"]
COMMANDS += ["start", "ask", "tell", "fail", "void", "retract", "request", "players", "players add"]
COMMANDS += ["players edit", "players remove", "players pause", "players resume"]
COMMANDS += ["players retire", "players list"]
COMMANDS += ["serve", "token", "token add", "token list", "token revoke"]
COMMANDS += ["items", "invite", "work"]
COMMANDS += ["rank", "games", "games show", "simulate", "plugins", "doctor"]
STUDIES = ["paper", "bench"]  # commands of a plug-in
CLI_PAGES = {
    ROOT / "docs" / "reference" / "cli.md": COMMANDS,
    ROOT / "studies" / "docs" / "cli.md": STUDIES,
}

MADE = {  # the other pages made from the code
    ROOT / "docs" / "reference" / "http-api.md": api_page,
    ROOT / "docs" / "reference" / "configuration.md": config_page,
}

FENCE = re.compile(r"^```([\w{}-]*)\n(.*?)^```$", re.MULTILINE | re.DOTALL)
LINK = re.compile(r"\[[^\]]*\]\(([^)\s]+)\)")
REFERENCE = re.compile(r"^\[[^\]]+\]: (\S+)$", re.MULTILINE)  # the link of a [name] in the text
PLAIN = {"NO_COLOR": "1", "TERM": "dumb", "COLUMNS": "100"}  # a terminal
DOTTED = re.compile(r"`((?:maxin|maxin_studies)(?:\.\w+)+)")


def each_page(pages):
    return pytest.mark.parametrize("page", pages, ids=lambda page: str(page.relative_to(ROOT)))


def python_blocks(page):
    """Line number and text of each Python block of a page."""
    text = page.read_text()
    return [
        (text.count("\n", 0, block.start(2)), block[2])
        for block in FENCE.finditer(text)
        if block[1] == "python"
    ]


@each_page(
    [
        page
        for page in PAGES
        if python_blocks(page) and page not in (TRACKERS, *START) and page.parent != GALLERY
    ]
)
def test_examples_run(page, pytestconfig, monkeypatch, tmp_path):
    """Blocks of a page share their names; those without `>>>` are simply run."""
    monkeypatch.chdir(tmp_path)
    run_with_services(page, pytestconfig, monkeypatch)


@each_page(START)
def test_start_pages_run_as_written(page, pytestconfig, monkeypatch, tmp_path):
    """First their Python, then their shell, which prints what their blocks of text show."""
    if "stockfish" in page.read_text() and not STOCKFISH:
        pytest.skip("needs stockfish")
    monkeypatch.chdir(tmp_path)
    (tmp_path / "examples").symlink_to(ROOT / "examples")
    run_with_services(page, pytestconfig, monkeypatch)
    blocks = [(block[1], block[2]) for block in FENCE.finditer(page.read_text())]
    lines = "".join(text for kind, text in blocks if kind == "sh").splitlines()
    script = "\n".join(line for line in lines if not line.startswith(ELSEWHERE))
    path = f"{Path(sys.executable).parent}:{os.environ['PATH']}:/usr/games"  # with Debian's engines
    done = subprocess.run(
        ["bash", "-euc", script],
        env={**os.environ, **PLAIN, "PATH": path},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    for line in "".join(text for kind, text in blocks if kind == "text").splitlines():
        assert line in done.stdout


def run_with_services(page, pytestconfig, monkeypatch):
    """Run the examples of a page, with the services that it names."""
    with ExitStack() as stack:
        if "JUDGE_URL" in page.read_text():
            service = stack.enter_context(judge_service())
            monkeypatch.setenv("JUDGE_URL", service.address)
            monkeypatch.setenv("JUDGE_KEY", KEY)
        if "SERVICE_URL" in page.read_text():
            monkeypatch.setenv("SERVICE_URL", stack.enter_context(served_tournament()))
        run_examples(page, pytestconfig)


@contextmanager
def served_tournament():
    """The URL of a service with a tournament of three players."""
    pytest.importorskip("starlette", reason="the server needs the extra 'web'")
    from maxin.service.service import Service
    from tests.helpers.serving import serving

    with (
        Tournament(["anna", "bo", "cy"], seed=1) as tournament,
        serving(Service.of(tournament, budget=20)) as served,
    ):
        yield served.url


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore")  # of these packages
def test_recipes_of_trackers_run_offline(pytestconfig, monkeypatch, tmp_path):
    pytest.importorskip("wandb", reason="install the group 'recipes'")
    pytest.importorskip("mlflow", reason="install the group 'recipes'")
    monkeypatch.chdir(tmp_path)
    run_examples(TRACKERS, pytestconfig)
    [run] = (tmp_path / "wandb").glob("offline-run-*/*.wandb")
    assert b"rating/anna" in run.read_bytes()


def run_examples(page, pytestconfig):
    names = {"__name__": page.stem}
    failures = io.StringIO()
    flags = get_optionflags(pytestconfig)
    runner = doctest.DocTestRunner(checker=_get_checker(), verbose=False, optionflags=flags)
    for line, block in python_blocks(page):
        if ">>>" in block:
            test = doctest.DocTestParser().get_doctest(block, names, page.name, str(page), line)
            runner.run(test, out=failures.write, clear_globs=False)
            names.update(test.globs)  # the parser made a copy
        else:
            exec(compile("\n" * line + block, str(page), "exec"), names)
    if failures.getvalue():
        pytest.fail(failures.getvalue(), pytrace=False)


def anchors(page):
    """The headings of a page, as links name them."""
    headings = re.findall(r"^#+ (.*)$", FENCE.sub("", page.read_text()), re.MULTILINE)
    return {re.sub(r"[^\w -]", "", title.lower()).replace(" ", "-") for title in headings}


@each_page(PAGES)
def test_relative_links_lead_somewhere(page):
    prose = FENCE.sub("", page.read_text())
    missing = []
    links = LINK.findall(prose) + REFERENCE.findall(prose)
    for link in (link for link in links if "://" not in link):
        path, _, anchor = link.partition("#")
        target = page.parent / path if path else page
        if not target.exists() or (anchor and anchor not in anchors(target)):
            missing.append(link)
    assert not missing


@each_page(PAGES)
def test_names_exist(page):
    for name in sorted(set(DOTTED.findall(page.read_text()))):
        try:
            pkgutil.resolve_name(name)
        except (ImportError, AttributeError) as error:
            pytest.fail(f"{page.name} names {name}: {error}")


def test_pages_are_short():
    """Up to 250 lines, but for generated ones."""
    pages = (page for page in (ROOT / "docs").rglob("*.md") if page not in {*CLI_PAGES, *MADE})
    long = [page.name for page in pages if len(page.read_text().splitlines()) > 250]
    assert not long


def test_pages_start_with_what_the_reader_will_have():
    starts = ("In ten minutes", "At the end of this page", "This page lists", "After this")
    pages = [page for page in (ROOT / "docs").rglob("*.md") if page.parent.name != "docs"]
    assert [page.name for page in pages if not first_line(page).startswith(starts)] == []


def first_line(page):
    """The first line below the title."""
    return page.read_text().split("\n", 3)[2]


def test_the_sidebar_of_the_site_has_every_page():
    sections = tomllib.loads((ROOT / "docs" / "sidebar.toml").read_text()).values()
    paths = [re.sub(r"^.* <(.*)>$", r"\1", path) for section in sections for path in section]
    listed = [(ROOT / "docs" / f"{path}.md").resolve() for path in paths]
    first = {ROOT / "README.md", ROOT / "docs" / "index.md"}
    assert sorted(listed) == sorted(set(PAGES) - first)


def test_every_fence_is_closed_and_says_its_language():
    for page in PAGES:
        fences = re.findall(r"^```(\S*)", page.read_text(), re.MULTILINE)
        assert all(fences[0::2]), f"{page.name} has a block without a language"
        assert not any(fences[1::2]), f"{page.name} has a block that is not closed"


@each_page(PAGES)
def test_files_exist(page):
    """A path in code style is that of a file here, or in the package."""
    paths = re.findall(r"`((?:\w+/)+\w+\.\w+)`", page.read_text())
    places = (ROOT, ROOT / "maxin", page.parent, page.parents[1])
    missing = [path for path in paths if not any((place / path).exists() for place in places)]
    assert not missing


def shell_lines(page):
    """The calls of `maxin` in the shell blocks of a page, without comments and pipes."""
    for block in FENCE.finditer(page.read_text()):
        for line in block[2].replace("\\\n", "").splitlines() if block[1] == "sh" else []:
            if line.startswith("maxin "):
                yield line.partition("  #")[0].partition(" | ")[0]


@each_page([page for page in PAGES if any(shell_lines(page))])
def test_shell_examples_name_commands_and_options_that_exist(page):
    sections = "\n".join(page.read_text() for page in CLI_PAGES).split("\n## ")
    helps = {section.partition("`\n")[0].strip("`"): section for section in sections}
    for line in shell_lines(page):
        words = line.split()
        command = " ".join(words[:3] if " ".join(words[:3]) in helps else words[:2])
        assert command in helps, f"{page.name}: there is no command for {line!r}"
        for option in re.findall(r"(?<= )--[a-z-]+", line.replace("--seed {seed}", "")):
            assert option in helps[command], f"{page.name}: {command} has no {option}"


def test_the_recipe_of_the_paper_is_the_same_run_from_the_shell_and_in_python():
    page = ROOT / "docs" / "how-to" / "use-a-scheduler.md"
    [line] = [line for line in shell_lines(page) if "alone=self" in line]
    regret, rank = re.search(r"^\((\d+), (\d+)\)$", page.read_text(), re.MULTILINE).groups()
    [row] = [row for row in right(*line.split()[1:]).out.splitlines() if " │  1,000 │ " in row]
    assert row.split("│")[3:5] == [f"{regret:>7} ", f"{rank + '.00':>18} "]


def test_the_readme_has_the_numbers_of_the_benchmarks():
    from scripts.pictures import BENCHMARKS, CLAIM, describe, read_counts

    counts = read_counts(BENCHMARKS.read_text())
    description = describe(counts)
    readme = (ROOT / "README.md").read_text()
    assert f"![{description}](docs/figures/{CLAIM.name})" in readme
    ours, rival = counts["30 players", "top-two"], counts["30 players", "round-robin:cycles=none"]
    for count in (ours, rival):
        more = "more than " if count.is_high_capped else ""
        assert f"{count.low:,} to {more}{count.high:,})" in readme
    assert description in html.unescape(CLAIM.read_text()), "draw it again: scripts/pictures claim"


def test_the_explanations_tell_the_tournament_that_is_played():
    from scripts.explanation_pictures import played

    pairs, looks = played()
    choosing, stopping, intervals = (
        (ROOT / "docs" / "explanation" / f"{name}.md").read_text()
        for name in ("choosing", "stopping", "intervals")
    )
    best_two = sum({"ann", "bea"} == set(pair) for pair in pairs)
    assert f"met in {best_two} of the {len(pairs)} matches" in choosing
    assert f"here after {len(pairs)} matches" in stopping
    assert f"*{looks[-1].top.sentence()}*" in " ".join(intervals.split())


def help_of(command):
    """What `maxin COMMAND --help` prints, whatever terminal this runs in."""
    only_own = ExitStack() if command else patch("maxin.cli.app.plugins_of", lambda group: {})
    with patch.dict(os.environ, PLAIN), only_own:
        return plain(right(*command.split(), "--help").out)


def plain(text):
    """The text without spaces at the ends of lines."""
    return "\n".join(line.rstrip() for line in text.strip().splitlines())


def cli_page(commands):
    """A page of commands, one of `CLI_PAGES`."""
    intro = "This page lists commands and their options. It is made from `--help`."
    parts = ["# The command", intro]
    for command in commands:
        title = f"maxin {command}".strip()
        parts.append(f"## `{title}`\n\n```text\n{help_of(command)}\n```")
    return "\n\n".join(parts) + "\n"


@pytest.mark.parametrize("page", CLI_PAGES, ids=lambda page: page.parts[-3])
def test_cli_page_is_current(page):
    """Made in a process of its own, in which no other test has called a command."""
    code = f"from tests.test_docs import cli_page; print(cli_page({CLI_PAGES[page]}), end='')"
    made = subprocess.run(
        [sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True, check=True
    )
    assert page.read_text() == made.stdout, "write it again: python tests/test_docs.py"


@each_page(MADE)
def test_made_pages_are_current(page):
    assert page.read_text() == MADE[page](), "write it again: python tests/test_docs.py"


def test_the_reference_of_python_has_every_name():
    page = (ROOT / "docs" / "reference" / "python.md").read_text()
    listed = re.findall(r"^\.\. auto\w+:: maxin\.(\w+)$", page, re.MULTILINE)
    assert sorted(listed) == sorted(set(maxin.__all__) - {"__version__"})


def test_the_command_as_a_process_prints_the_same_help():
    run = "import sys; sys.argv[0] = 'maxin'; from maxin.cli import main; main()"
    call = [sys.executable, "-c", run, "run", "--help"]
    done = subprocess.run(
        call, env={**os.environ, **PLAIN}, capture_output=True, text=True, check=True
    )
    assert plain(done.stdout) == help_of("run")


def test_cli_page_has_every_command():
    app = make_app(has_summaries=False)
    names = {name: app[name] for name in app if not name.startswith("-")}
    below = [
        f"{name} {inner}" for name in names for inner in names[name] if not inner.startswith("-")
    ]
    assert {"", *names, *below} == set(COMMANDS)


if __name__ == "__main__":
    for page, commands in CLI_PAGES.items():
        page.write_text(cli_page(commands))
    for page, make in MADE.items():
        page.write_text(make())
