"""A page taken apart, to see what a browser would see."""

from html.parser import HTMLParser

VOID = {"meta", "link", "br", "input"}


class Page(HTMLParser):
    """The elements of a page and the text in them; raises if an element is not closed in turn."""

    def __init__(self, page):
        super().__init__()
        self.open, self.elements, self.words = [], [], {}
        self.feed(page)
        self.close()
        assert not self.open

    def handle_starttag(self, tag, attrs):
        self.elements.append((tag, dict(attrs)))
        if tag not in VOID:
            self.open.append(tag)
            self.words.setdefault(tag, []).append("")

    def handle_startendtag(self, tag, attrs):
        self.elements.append((tag, dict(attrs)))

    def handle_endtag(self, tag):
        assert self.open.pop() == tag

    def handle_data(self, data):
        for tag in set(self.open):
            self.words[tag][-1] += data

    def count(self, tag, **attrs):
        """How many elements have this tag and these attributes."""
        wanted = {name.rstrip("_"): value for name, value in attrs.items()}
        return sum(name == tag and wanted.items() <= found.items() for name, found in self.elements)
