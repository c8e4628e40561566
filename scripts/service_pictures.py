"""Make the pictures of the service: the live page, the page of voters, and that of one match.

The tournament is that of `examples/connect_four` after some matches, and the voter compares the
texts of `examples/arena`. Chromium is the system's.
"""

from __future__ import annotations

import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from PIL import Image, ImageOps
from playwright.sync_api import Page, sync_playwright

from maxin.service.arena.item_files import read_items
from maxin.service.arena.items import add_items
from maxin.service.arena.voters import Invite
from maxin.service.server import listen, serving
from maxin.service.service import Service
from maxin.tournament import Tournament
from maxin.tournament.tournament import session_of

ROOT = Path(__file__).resolve().parents[1]
LIVE = ROOT / "docs" / "figures" / "service-live.png"
VOTE = ROOT / "docs" / "figures" / "service-vote.png"
MATCH = ROOT / "docs" / "figures" / "service-match.png"
MATCHES = 150  # of the tournament on the live page: the race is open then
WIDTH, SCALE, COLOURS = 900, 2, 64
WRITERS = ["plain", "terse", "florid", "chatty"]
# What the picture shows: the headline, the best players and the ratings over time.
CUT = "section:nth-of-type(n + 3), footer, tbody tr:nth-child(n + 7) { display: none }"


def photograph(page: Page, path: Path, colours: int = COLOURS) -> None:
    """Save a picture of the page that is open, without a cut through anything."""
    with tempfile.TemporaryDirectory() as folder:
        shot = Path(folder, "shot.png")
        page.screenshot(path=shot, full_page=True)
        framed = ImageOps.expand(Image.open(shot).convert("RGB"), 2, "#d0d7de")
        framed.quantize(colours).save(path, optimize=True)


def live(page: Page, folder: str) -> None:
    """The live page after some matches."""
    store = f"sqlite:///{folder}/demo.db"
    game = "examples/connect_four/tournament.toml"
    command = [sys.executable, "-m", "maxin", "run", game, "--store", store, "--quiet"]
    subprocess.run([*command, "--budget", str(MATCHES)], cwd=ROOT, check=True)
    with (
        Tournament(store=store) as tournament,
        serving(Service.of(tournament), listen("127.0.0.1", 0)) as url,
    ):
        page.goto(url)
        page.wait_for_selector("#lamp[data-state=live]")
        page.evaluate(  # the page allows no styles of others in its text
            "cut => { const sheet = new CSSStyleSheet(); sheet.replaceSync(cut);"
            " document.adoptedStyleSheets = [sheet]; }",
            CUT,
        )
        photograph(page, LIVE)
        page.goto("about:blank")


def vote(page: Page, folder: str) -> None:
    """The page of voters with its first pair."""
    with Tournament(WRITERS, f"sqlite:///{folder}/arena.db", seed=3) as tournament:
        add_items(tournament, read_items(ROOT / "examples" / "arena" / "texts.jsonl"))
        with first_pair(page, tournament) as url:
            photograph(page, VOTE)
            page.keyboard.press("1")
            page.wait_for_selector("#progress:has-text('1 vote')")
            page.goto(f"{url}/matches/1")
            page.wait_for_selector("#lamp[data-state=live]")
            photograph(page, MATCH)


@contextmanager
def first_pair(page: Page, tournament: Tournament) -> Iterator[str]:
    """Serve a tournament at the yielded URL, and open the page of voters with its first pair."""
    ((_, _, token),) = session_of(tournament).answer(Invite(1))
    with serving(Service.of(tournament), listen("127.0.0.1", 0)) as url:
        page.set_viewport_size({"width": WIDTH, "height": 440})
        page.goto(f"{url}/vote#{token}")
        page.wait_for_selector("#vote[data-state=pair]")
        yield url
        page.goto("about:blank")


def photograph_vote(store: str, path: Path, colours: int) -> None:
    """Photograph the page of voters of a stored tournament."""
    with (
        browser_page() as page,
        Tournament(store=store) as tournament,
        first_pair(page, tournament),
    ):
        photograph(page, path, colours)


@contextmanager
def browser_page() -> Iterator[Page]:
    """An empty page of Chromium."""
    browser = shutil.which("chromium") or shutil.which("chromium-browser")
    if browser is None:
        sys.exit("the pictures of the service need chromium on the PATH")
    with sync_playwright() as driver:
        opened = driver.chromium.launch(executable_path=browser, args=["--no-sandbox"])
        size = {"width": WIDTH, "height": 600}
        yield opened.new_page(viewport=size, device_scale_factor=SCALE)
        opened.close()


def main() -> None:
    """Make all three."""
    with browser_page() as page, tempfile.TemporaryDirectory() as folder:
        live(page, folder)
        vote(page, folder)


if __name__ == "__main__":
    main()
