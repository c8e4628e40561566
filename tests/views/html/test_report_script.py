"""The script of a report in a browser: search, sort, names of pairs, and the width of a phone."""

import html
import json
from collections import Counter

from maxin.core import Entrant
from maxin.tournament import Tournament
from maxin.views.formats import DASH
from maxin.views.html import report
from maxin.views.html.drawings import interval_title
from maxin.views.overview import Leaders
from maxin.views.standings import FOLD
from tests.helpers.leagues import crowd, league

N_PLAYERS = 30  # few enough for a table of pairs
PHONE = 360  # pixels

STEPS = """
window.onload = () => {
  const page = frame.contentDocument, root = page.documentElement;
  const rows = () => [...page.querySelectorAll("table.board tbody tr")];
  const name = (row) => row.querySelector("bdi").textContent;
  const names = () => rows().filter((row) => !row.hidden).map(name);
  const seen = { width: root.clientWidth, needed: root.scrollWidth, first: names() };
  const buttons = [...page.querySelectorAll("th button")];
  const head = (title) => buttons.find((one) => one.textContent === title);
  head("Matches").click();
  seen.matches = rows().map((row) => row.cells[6].textContent);
  seen.sorted = page.querySelector("th[aria-sort]").getAttribute("aria-sort");
  head("Player").click();
  seen.names = names();
  head("Player").click();
  seen.reversed = names();
  head("#").click();
  seen.ranks = names();
  const find = page.querySelector(".tools input");
  find.value = "NODES 7 player";
  find.dispatchEvent(new Event("input"));
  seen.found = names();
  seen.count = page.querySelector(".tools output").textContent;
  find.value = "";
  find.dispatchEvent(new Event("input"));
  seen.all = names().length;
  const lines = page.querySelectorAll(".pointed");
  for (const column of [2, 3]) {
    const cell = page.querySelector("table.cross").tBodies[0].rows[0].cells[column];
    cell.dispatchEvent(new PointerEvent("pointerdown", { bubbles: true }));
    seen[column === 2 ? "same" : "cell"] = lines[0].textContent;
  }
  const map = page.querySelector("svg.map"), box = map.getBoundingClientRect();
  const at = (place) => (place + 0.5) / seen.all;
  const point = { clientX: box.left + at(3) * box.width, clientY: box.top + at(1) * box.height };
  map.dispatchEvent(new PointerEvent("pointermove", { bubbles: true, ...point }));
  seen.pair = lines[1].textContent;
  result.textContent = JSON.stringify(seen);
};
"""


TURNS = """
window.onload = () => {
  const page = frame.contentDocument, root = page.documentElement;
  const rows = () => [...page.querySelectorAll("table.board tbody tr:not(.below)")];
  const names = () => rows().map((row) => row.querySelector("bdi").textContent);
  const [back, on] = page.querySelectorAll(".pages button");
  const where = page.querySelector(".pages output");
  const find = page.querySelector(".tools input");
  const type = (words) => { find.value = words; find.dispatchEvent(new Event("input")); };
  const buttons = [...page.querySelectorAll("th button")];
  const head = (title) => buttons.find((one) => one.textContent === title);
  const seen = { width: root.clientWidth, needed: root.scrollWidth, first: names(), pages: [] };
  for (let i = 0; i < 3; i++, on.click()) seen.pages.push([where.textContent, names()]);
  seen.isLast = on.disabled;
  back.click();
  seen.before = where.textContent;
  seen.text = rows()[0].textContent;
  seen.title = rows()[0].querySelector("svg title").textContent;
  type("number:77 nodes");
  seen.found = names();
  seen.options = rows()[0].querySelector(".options").textContent;
  seen.count = page.querySelector(".tools output").textContent;
  seen.isOne = page.querySelector(".pages").hidden;
  type("");
  head("Rating").click();
  seen.falling = names();
  head("Rating").click();
  seen.rising = names();
  head("#").click();
  seen.again = names();
  seen.below = page.querySelectorAll("tr.below").length;
  result.textContent = JSON.stringify(seen);
};
"""


def seen(window, page, folder, steps=STEPS):
    """What the steps found in the page, at the width of a phone."""
    path = folder / "outer.html"
    path.write_text(
        f'<!doctype html><meta charset="utf-8"><iframe id="frame" width="{PHONE}" height="800"'
        f' srcdoc="{html.escape(page)}"></iframe><pre id="result"></pre><script>{steps}</script>'
    )
    window.goto(path.as_uri())
    return json.loads(window.text_content("#result"))


def test_a_browser_searches_sorts_and_names_pairs_on_a_phone(kept_page, tmp_path):
    names = [f"player {number} with a name that is rather long" for number in range(N_PLAYERS)]
    players = [
        Entrant(name, {"nodes": number % 10, "model": "m" * 80})
        for number, name in enumerate(names)
    ]
    tournament = Tournament(players)
    pairs = [(names[i], names[(7 * i + 3) % N_PLAYERS]) for i in range(N_PLAYERS)]
    tournament.add_results([(*pair, 1.0) for pair in pairs if pair[0] != pair[1]])
    tournament.add_results([(names[0], name, 1.0) for name in names[1:20]])
    found = seen(kept_page, report(tournament), tmp_path)
    ranked = [row.player for row in tournament.leaderboard()]
    assert found["needed"] <= found["width"] <= PHONE
    assert found["first"] == found["ranks"] == ranked
    counts = [int(words) for words in found["matches"]]
    assert counts == sorted(counts, reverse=True)
    assert found["sorted"] == "descending"
    assert sorted(found["names"]) == sorted(names)
    assert found["reversed"] == found["names"][::-1]
    assert found["found"] == [name for name in ranked if names.index(name) % 10 == 7]
    assert found["count"] == f"{len(found['found'])} of {N_PLAYERS}"
    assert found["all"] == N_PLAYERS
    assert found["same"] == ranked[0]
    assert ranked[0][:20] in found["cell"]
    assert ranked[1][:20] in found["cell"]
    assert found["pair"] == f"2. {ranked[1]} {DASH} 4. {ranked[3]}"


def test_a_browser_reaches_every_one_of_many_players(kept_page, tmp_path):
    names = [f"number:{number}" for number in range(101)]
    tournament = crowd([Entrant(name, {"nodes": 100}) for name in names], 400)
    found = seen(kept_page, report(tournament), tmp_path, TURNS)
    board = tournament.leaderboard()
    ranked, leaders = [row.player for row in board], Leaders.of(tournament.overview())
    assert found["needed"] <= found["width"] <= PHONE
    assert found["first"] == found["again"] == leaders.names
    assert found["below"] == bool(leaders.others)
    assert found["pages"] == [
        ["Page 1 of 3", leaders.names],
        ["Page 2 of 3", ranked[50:100]],
        ["Page 3 of 3", ranked[100:]],
    ]
    assert found["isLast"]
    assert found["before"] == "Page 2 of 3"
    row = board[50]
    assert f"{row.wins}/{row.draws}/{row.losses}" in found["text"]
    assert found["title"] == interval_title(row)
    assert (found["found"], found["count"]) == (["number:77"], "1 of 101")
    assert found["options"] == "nodes 100"
    assert found["isOne"]
    assert found["falling"] == ranked[:50]
    assert found["rising"] == ranked[:-51:-1]


def test_a_long_leaderboard_folds_after_thirty_rows(kept_page, tmp_path):
    names = [f"number:{number}" for number in range(43)]
    (tmp_path / "page.html").write_text(report(crowd(names, 800, seed=1)))
    kept_page.goto((tmp_path / "page.html").as_uri())
    rows, more = kept_page.locator("table.board tbody tr:visible"), kept_page.locator("label.fold")
    n_shown = rows.count()
    assert more.text_content() == "Show 13 more rows"
    folded = kept_page.locator("table.board tr.folded")
    assert n_shown == FOLD + 13 - folded.count()  # candidates are never folded away
    assert folded.count() > 0
    more.click()
    assert rows.count() == 43
    assert not more.is_visible()
    kept_page.reload()
    assert rows.count() == n_shown
    kept_page.fill(".tools input", "number:4")
    assert rows.count() == 1 + 3  # number:4, number:40 to number:42
    kept_page.emulate_media(media="print")
    kept_page.reload()
    assert rows.count() == 43
    kept_page.emulate_media(media="screen")


def test_a_short_leaderboard_is_not_folded():
    assert 'class="fold' not in report(league([f"number:{n}" for n in range(FOLD)], 6))


def test_facts_stand_in_even_rows_and_on_a_phone_in_a_list(kept_page, tmp_path):
    path = tmp_path / "page.html"
    tournament = league(["anna", "bo", "cy"], 3)
    tournament.run(lambda *_: {"score": 0.5, "data": {"cost": 0.25}}, budget=9, confidence=0.9)
    path.write_text(report(tournament))
    kept_page.goto(path.as_uri())
    tops = "[...document.querySelectorAll('dl.facts div')].map(d => Math.round(d.offsetTop))"
    for width in (1280, 800, 660):
        kept_page.set_viewport_size({"width": width, "height": 800})
        rows = Counter(kept_page.evaluate(tops))
        assert min(rows.values()) > 1, (width, rows)
    kept_page.set_viewport_size({"width": 400, "height": 800})
    places = kept_page.evaluate(tops)
    assert len(set(places)) == len(places) >= 7


def test_a_short_leaderboard_has_no_search():
    assert '<p class="tools"' not in report(league(["anna", "bo", "cy"], 6))


def test_long_paths_are_shown_to_their_end_on_narrow_pages(kept_page, tmp_path):
    names = [f"/data/run-2024/checkpoints/step-{step:06d}.pt" for step in range(3)]
    (tmp_path / "page.html").write_text(report(league(names, 3)))
    kept_page.goto((tmp_path / "page.html").as_uri())
    places = "[...document.querySelectorAll('table.board .name')]"
    hidden = f"{places}.map(name => name.scrollHeight - name.clientHeight)"
    for width in (400, 500, 600):
        kept_page.set_viewport_size({"width": width, "height": 800})
        assert kept_page.evaluate(hidden) == [0, 0, 0], width
