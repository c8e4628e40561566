"""Reports: what users name is escaped, and pictures are inside the page."""

from maxin_studies.document import Section, html_page, markdown, write_tables
from tests.helpers.browsing import Reader
from tests.helpers.markup import Page
from tests.views.html.test_hostile_names import NAMES, PLAIN, check_harmless, shape


def section(tmp_path):
    picture = tmp_path / "figures" / "a.png"
    picture.parent.mkdir()
    picture.write_bytes(b"png")
    return Section(
        "a",
        "A < B",
        notes=["**Holds** for `x < y`"],
        pictures=[("a <picture>", picture)],
        header=["game", "n"],
        rows=[["<script>", "1"]],
    )


def test_a_page_escapes_names_and_includes_pictures(tmp_path):
    page = html_page("T & T", ["an <intro>"], [section(tmp_path)])
    assert "<script>" not in page
    assert "<td>&lt;script&gt;</td>" in page
    assert "<p>an &lt;intro&gt;</p>" in page
    assert '<strong class="holds">Holds</strong> for <code>x &lt; y</code>' in page
    assert 'alt="a &lt;picture&gt;" src="data:image/png;base64,cG5n"' in page


def test_a_page_follows_the_colours_and_the_width_of_the_device(tmp_path):
    page = html_page("T", [], [section(tmp_path)])
    assert "@media (prefers-color-scheme: dark)" in page
    assert '<meta name="viewport" content="width=device-width, initial-scale=1">' in page


def test_contents_count_verdicts(tmp_path):
    notes = ["**Holds** (s.1): x.", "**Cannot be decided** (s.2): y.", "a note"]
    sections = [Section("a b", "A, B", notes=notes), Section("c", "C")]
    page, text = html_page("T", [], sections), markdown("T", [], sections, tmp_path)
    assert '<a href="#a%20b">A, B</a> <span>1 holds, 1 cannot be decided</span>' in page
    assert "Contents" not in text
    text = markdown("T", [], sections, tmp_path, has_contents=True)
    assert "- [A, B](#a-b): 1 holds, 1 cannot be decided\n- [C](#c)\n" in text


def test_markdown_and_tables_hold_the_same_cells(tmp_path):
    shown = section(tmp_path)
    assert "![a <picture>](figures/a.png)" in markdown("T", [], [shown], tmp_path)
    assert "| <script> | 1 |" in markdown("T", [], [shown], tmp_path)
    write_tables([shown], tmp_path / "tables")
    assert (tmp_path / "tables" / "a.csv").read_text() == "game,n\n<script>,1\n"


def test_a_page_runs_nothing_and_loads_nothing():
    hostile = '`<script>` **" onclick=x** <meta http-equiv=refresh content=0>'
    section = Section(hostile, hostile, notes=[hostile], header=[hostile], rows=[[hostile]])
    page = Page(html_page(hostile, [hostile], [section]))
    [policy] = [attrs["content"] for _, attrs in page.elements if "http-equiv" in attrs]
    assert "default-src 'none'" in policy
    assert "form-action 'none'; base-uri 'none'" in policy
    assert not any(name.startswith("on") for _, attrs in page.elements for name in attrs)
    assert page.count("script") == 0


def test_tables_follow_no_link_and_hold_no_formula(tmp_path):
    (tmp_path / "victim").write_text("precious")
    (tmp_path / "tables").mkdir()
    (tmp_path / "tables" / "a.csv").symlink_to(tmp_path / "victim")
    rows = [["=1+1", "-1.5 ± 0.2"]]
    write_tables([Section("a", "A", header=["game", "n"], rows=rows)], tmp_path / "tables")
    assert (tmp_path / "victim").read_text() == "precious"
    assert (tmp_path / "tables" / "a.csv").read_text() == "game,n\n'=1+1,-1.5 ± 0.2\n"


def hostile_page(names):
    """A page of `maxin paper` or `maxin bench`, with names wherever a user's text may be."""
    rows = [[name, name] for name in names]
    sections = [
        Section("part", name, notes=[name, f"`{name}` **{name}**"], header=[name, name], rows=rows)
        for name in names
    ]
    return html_page(names[0], names, sections)


def test_names_in_a_page_are_text():
    assert shape(hostile_page(NAMES)) == shape(hostile_page(PLAIN))


def test_a_browser_runs_nothing_and_stays(kept_page, tmp_path):
    check_harmless(Reader(kept_page), hostile_page(NAMES), NAMES[0], tmp_path)
