"""Texts in Markdown that try to be more than text."""

from html.parser import HTMLParser

from maxin.service.arena.markdown import ADDRESS

HOSTILE = [
    "<script>document.title = 'owned'</script>",
    "<img src=x onerror=\"document.title='owned'\">",
    "<svg onload=\"document.title='owned'\"><a xlink:href='javascript:alert(1)'>x</a></svg>",
    "<iframe srcdoc=\"<script>parent.document.title='owned'</script>\"></iframe>",
    "<style>body { display: none }</style><base href='https://evil.example/'>",
    "<form action='https://evil.example'><input name=q autofocus onfocus=alert(1)></form>",
    "<details open ontoggle=alert(1)>x</details>",
    "<div id=choices data-choice=a style='position:fixed;inset:0'>A is better</div>",
    "[a](javascript:document.title='owned')",
    "[a](JaVaScRiPt:alert(1)) [a](java\tscript:alert(1)) [a](\x01javascript:alert(1))",
    "[a](javascript&#58;alert(1)) [a](javascript&colon;alert(1)) [a](&#106;avascript:alert(1))",
    "[a](data:text/html;base64,PHNjcmlwdD5hbGVydCgxKTwvc2NyaXB0Pg==) [a](vbscript:alert(1))",
    "[a](file:///etc/passwd) [a](//evil.example) [a](/admin) [a](../sign-in#mx_admin_1f_x)",
    "<javascript:alert(1)> <data:text/html,x>",
    "[a]: javascript:alert(1)\n\n[a] [a][a] ![a][a]",
    "![a](https://evil.example/pixel.png) ![a](data:image/svg+xml,<svg/onload=alert(1)>)",
    '![a"onerror="alert(1)](https://evil.example/b"onload="alert(1))',
    "[![a](https://evil.example/x.png)](https://evil.example/)",
    '[a](https://evil.example/ "t\\" onmouseover=\\"alert(1)")',
    '[a](https://evil.example/"onmouseover="alert(1))',
    '```"><script>alert(1)</script>\n</code></pre><script>alert(1)</script>\n```',
    "``<script>alert(1)</script>`` `</code><script>`",
    "$</code><script>alert(1)</script>$ \\(<img src=x onerror=alert(1)>\\)",
    "$$\n</pre><script>alert(1)</script>\n$$",
    "| <script>alert(1)</script> | b |\n|--|--|\n| <img src=x onerror=alert(1)> | $<b>$ |",
    "<!-- --><![CDATA[<script>alert(1)</script>]]><?php echo 1 ?><!DOCTYPE x>",
    "&lt;script&gt;alert(1)&lt;/script&gt; &#60;script&#62;",
    '<a href="https://evil.example" target=_self>x</a>',
    "</div></section></main><h1>Which is better?</h1>",
    "\u202egnp.exe <https://evil.example/\u202e>",
]

PLAIN = ["p", "br", "hr", "em", "strong", "s", "ul", "li", "blockquote"]
PLAIN += ["table", "thead", "tbody", "tr", "h3", "h4", "h5", "h6"]
ALLOWED = {
    **dict.fromkeys(PLAIN, frozenset()),
    **dict.fromkeys(("th", "td"), frozenset({"style"})),
    **dict.fromkeys(("code", "pre"), frozenset({"class"})),
    "div": {"class", "dir"},
    "ol": {"start"},
    "span": {"class", "title"},
    "a": {"href", "title", "rel", "target"},
}
STYLES = {f"text-align:{side}" for side in ("left", "right", "center")}


class Checker(HTMLParser):
    """Raises for a tag, an attribute or an address that no text may have."""

    def __init__(self):
        super().__init__()
        self.open, self.text = [], []

    def handle_starttag(self, tag, attrs):
        found = dict(attrs)
        assert found.keys() <= ALLOWED[tag], (tag, attrs)
        assert found.get("style", "text-align:left") in STYLES
        if tag == "a":
            assert ADDRESS.match(found["href"])
            assert "a" not in self.open
            assert (found["rel"], found["target"]) == ("noopener noreferrer nofollow", "_blank")
        if tag not in ("br", "hr"):
            self.open.append(tag)

    def handle_startendtag(self, tag, attrs):
        self.handle_starttag(tag, attrs)

    def handle_endtag(self, tag):
        assert self.open.pop() == tag

    def handle_data(self, data):
        self.text.append(data)

    def handle_comment(self, data):
        raise AssertionError(data)

    handle_decl = handle_pi = unknown_decl = handle_comment


def checked_text(html):
    """The text of some HTML, after a check that it can do nothing and is well formed."""
    checker = Checker()
    checker.feed(html)
    checker.close()
    assert checker.open == []
    return "".join(checker.text)
