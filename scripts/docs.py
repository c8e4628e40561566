"""Check the site that `scripts/docs` builds.

Links inside lead somewhere, and the search finds the words that people of other tools use.
"""

import json
import sys
from collections.abc import Iterator
from html.parser import HTMLParser
from pathlib import Path
from urllib.parse import unquote, urlsplit

from sphinx.search.en import SearchEnglish

WORDS = (
    "SPRT", "gauntlet", "sampler", "arena", "style control", "Elo difference", "Bradley-Terry",
    "round robin", "trial", "study", "pentanomial", "LOS", "pairwise", "win rate", "dueling bandit",
)  # fmt: skip


class Page(HTMLParser):
    """What a page links to, and where links can lead in it."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.links: list[str] = []
        self.anchors: set[str] = set()
        self.feed(text)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        """Keep the links and the anchors of a tag."""
        for name, value in attrs:
            if value and name in ("href", "src"):
                self.links.append(value)
            elif value and name == "id":
                self.anchors.add(value)


def broken_links(site: Path) -> Iterator[str]:
    """Every link that leads nowhere in the site, with its page."""
    pages = {path.resolve(): Page(path.read_text()) for path in sorted(site.rglob("*.html"))}
    for path, page in pages.items():
        for link in page.links:
            address = urlsplit(link)
            if address.scheme or address.netloc:
                continue
            target = (path.parent / unquote(address.path)).resolve() if address.path else path
            anchors = pages[target].anchors if target in pages else {unquote(address.fragment)}
            if not target.is_file() or unquote(address.fragment) not in {"", *anchors}:
                yield f"{path.relative_to(site.resolve())} links to {link}, which is not there"


def unfound_words(site: Path) -> Iterator[str]:
    """The words of other tools for which the search of the site finds no page."""
    index = json.loads((site / "searchindex.js").read_text().partition("(")[2].rpartition(")")[0])
    stem = SearchEnglish({}).stem
    for words in WORDS:
        found = set(range(len(index["docnames"])))
        for word in words.lower().replace("-", " ").split():
            pages = [index[kind].get(stem(word), []) for kind in ("terms", "titleterms")]
            found &= {
                page for each in pages for page in ([each] if isinstance(each, int) else each)
            }
        if not found:
            yield f"the search finds no page for {words!r}"


def main(site: Path) -> int:
    """Print what is wrong with the site, and return the exit code."""
    wrong = [*broken_links(site), *unfound_words(site)]
    print("\n".join(wrong) or f"built {site}/index.html: its links and its search work")
    return bool(wrong)


if __name__ == "__main__":
    sys.exit(main(Path(sys.argv[1])))
