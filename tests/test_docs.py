"""The docs are true: examples run, links lead somewhere, names exist, and the help is current.

Run as a script, it writes `docs/cli.md` anew from the command's help.
"""

import doctest
import io
import os
import pkgutil
import re
import subprocess
import sys
from pathlib import Path

import pytest
from _pytest.doctest import _get_checker, get_optionflags  # for NUMBER, which is pytest's own

ROOT = Path(__file__).resolve().parents[1]
PAGES = [ROOT / "README.md", ROOT / "CONTRIBUTING.md", ROOT / "CHANGELOG.md"]
PAGES += sorted((ROOT / "docs").rglob("*.md"))

CLI_PAGE = ROOT / "docs" / "cli.md"
COMMANDS = ["", "init", "plan", "run", "show", "report", "export", "import", "verify"]
COMMANDS += ["start", "ask", "tell", "void", "demand", "add", "pause", "resume", "retire"]
COMMANDS += ["rank", "games", "games show", "simulate", "paper", "bench"]

FENCE = re.compile(r"^```(\w*)\n(.*?)^```$", re.MULTILINE | re.DOTALL)
LINK = re.compile(r"\[[^\]]*\]\(([^)\s]+)\)")
DOTTED = re.compile(r"`(maxin(?:\.\w+)+)")


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


@each_page([page for page in PAGES if python_blocks(page)])
def test_examples_run(page, pytestconfig):
    """Blocks of a page share their names; those without `>>>` are simply run."""
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


@each_page(PAGES)
def test_relative_links_lead_somewhere(page):
    prose = FENCE.sub("", page.read_text())
    links = [link.partition("#")[0] for link in LINK.findall(prose) if "://" not in link]
    missing = [link for link in links if link and not (page.parent / link).exists()]
    assert not missing


@each_page(PAGES)
def test_names_exist(page):
    for name in sorted(set(DOTTED.findall(page.read_text()))):
        try:
            pkgutil.resolve_name(name)
        except (ImportError, AttributeError) as error:
            pytest.fail(f"{page.name} names {name}: {error}")


def test_every_fence_is_closed_and_says_its_language():
    for page in PAGES:
        fences = re.findall(r"^```(\w*)", page.read_text(), re.MULTILINE)
        assert all(fences[0::2]), f"{page.name} has a block without a language"
        assert not any(fences[1::2]), f"{page.name} has a block that is not closed"


def help_of(command):
    """What `maxin COMMAND --help` prints, whatever terminal this runs in."""
    plain = {"TYPER_USE_RICH": "0", "NO_COLOR": "1", "TERM": "dumb", "COLUMNS": "100"}
    run = "import sys; sys.argv[0] = 'maxin'; from maxin.cli import main; main()"
    call = [sys.executable, "-c", run, *command.split(), "--help"]
    done = subprocess.run(
        call, env={**os.environ, **plain}, capture_output=True, text=True, check=True
    )
    return "\n".join(line.rstrip() for line in done.stdout.strip().splitlines())


def cli_page():
    """The text of `docs/cli.md`."""
    parts = ["# The command", "Made from `--help` by `tests/test_docs.py`."]
    for command in COMMANDS:
        title = f"maxin {command}".strip()
        parts.append(f"## `{title}`\n\n```text\n{help_of(command)}\n```")
    return "\n\n".join(parts) + "\n"


def test_cli_page_is_current():
    assert CLI_PAGE.read_text() == cli_page(), "write it anew: python tests/test_docs.py"


def test_cli_page_has_every_command():
    import typer.main

    from maxin.cli.app import app

    def commands(group, path=()):
        for name, command in getattr(group, "commands", {}).items():
            yield " ".join((*path, name))
            yield from commands(command, (*path, name))

    assert {"", *commands(typer.main.get_command(app))} == set(COMMANDS)


if __name__ == "__main__":
    CLI_PAGE.write_text(cli_page())
