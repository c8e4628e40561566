"""Texts as a page shows them: Markdown as safe HTML, whoever wrote it."""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import cache, lru_cache
from typing import TYPE_CHECKING

from markupsafe import Markup, escape

if TYPE_CHECKING:
    from markdown_it import MarkdownIt
    from markdown_it.renderer import RendererHTML
    from markdown_it.rules_block import StateBlock
    from markdown_it.rules_inline import StateInline
    from markdown_it.token import Token
    from markdown_it.utils import EnvType, OptionsDict

LONGEST = 50_000  # characters of Markdown: parsing takes time; a longer text is shown as it is
KEPT = 128  # rendered texts: the same output is shown to many voters
ADDRESS = re.compile(r"(https?://|mailto:)", re.IGNORECASE)
LINK = {"rel": "noopener noreferrer nofollow", "target": "_blank"}
OUTLINE = 2  # levels by which headings are lowered: those of the page are above them
# TeX: $$...$$ and \[...\] in a line of its own or in a paragraph, \(...\), and $...$ as pandoc has
# it: no blank inside the dollars, and no digit behind them. Each stops at a sign that would open
# it again, so many signs that nothing closes take linear time.
DISPLAY = r"\$\$[^$]++\$\$|\\\[(?:[^\\]|\\[^\[\]])*+\\\]"
BLOCK = re.compile(DISPLAY)
INLINE = re.compile(
    DISPLAY + r"|\\\((?:[^\\]|\\[^()])*+\\\)|\$(?!\s)(?:[^$\\\n]|\\[^\n])++(?<!\s)\$(?!\d)"
)


def markdown_html(text: str) -> Markup:
    r"""A text in Markdown as HTML that can do nothing: no raw HTML, and no image of another site.

    Links lead to http, https and mailto addresses only, in a new tab, and name no page that they
    come from. Mathematics stays TeX, as it was written. A newline is a line break, so that a text
    that is not Markdown keeps its lines.

    >>> print(markdown_html("**bold** <b>as written</b>"))
    <div class="markdown" dir="auto"><p><strong>bold</strong> &lt;b&gt;as written&lt;/b&gt;</p>
    </div>
    >>> print(markdown_html(r"with $a_1 * b_1$ and [a link](javascript:alert)"))
    <div class="markdown" dir="auto"><p>with <code class="math">$a_1 * b_1$</code> and
    [a link](javascript:alert)</p>
    </div>
    """
    if len(text) > LONGEST:
        return Markup('<div class="plain" dir="auto">{}</div>').format(text)
    return _rendered(text)


@lru_cache(KEPT)
def _rendered(text: str) -> Markup:
    return Markup('<div class="markdown" dir="auto">{}</div>').format(
        Markup(_parser().render(text))
    )


@cache
def _parser() -> MarkdownIt:
    from markdown_it import MarkdownIt

    class SafeMarkdown(MarkdownIt):
        """Markdown whose links lead to addresses of known kinds."""

        def validateLink(self, url: str) -> bool:
            """Whether a link may lead there; otherwise it stays text."""
            return ADDRESS.match(url) is not None

    parser = SafeMarkdown("commonmark", {"html": False, "breaks": True})
    parser.enable(["table", "strikethrough"])
    parser.inline.ruler.before("escape", "math", _inline_math)
    ends = ["paragraph", "reference", "blockquote", "list"]
    parser.block.ruler.before("fence", "math", _block_math, {"alt": ends})
    parser.core.ruler.push("safe", lambda state: _make_safe(state.tokens))
    parser.add_render_rule("image", _image)
    parser.add_render_rule("math", _math)
    parser.add_render_rule("math_block", _math_block)
    return parser


def _make_safe(tokens: Sequence[Token]) -> None:
    """Lower the headings, and have links tell nothing about the page."""
    for token in tokens:
        if token.type in ("heading_open", "heading_close"):
            token.tag = f"h{min(6, int(token.tag[1:]) + OUTLINE)}"
        if token.type == "link_open":
            token.attrs |= LINK
        _make_safe(token.children or ())


def _inline_math(state: StateInline, silent: bool) -> bool:
    """A formula in a line."""
    found = INLINE.match(state.src, state.pos, state.posMax)
    if found is None:
        return False
    if not silent:
        state.push("math", "code", 0).content = found[0]
    state.pos = found.end()
    return True


def _block_math(state: StateBlock, start: int, end: int, silent: bool) -> bool:
    """A formula in lines of its own."""
    found = BLOCK.match(state.src, state.bMarks[start] + state.tShift[start])
    if found is None or state.is_code_block(start):
        return False
    last = start + found[0].count("\n")
    if last >= end or state.src[found.end() : state.eMarks[last]].strip():
        return False
    if not silent:
        token = state.push("math_block", "code", 0)
        token.content = state.getLines(start, last + 1, state.blkIndent, keepLastLF=False)
        token.map = [start, last + 1]
    state.line = last + 1
    return True


def _math(
    renderer: RendererHTML, tokens: Sequence[Token], at: int, options: OptionsDict, env: EnvType
) -> str:
    return Markup('<code class="math">{}</code>').format(tokens[at].content)


def _math_block(
    renderer: RendererHTML, tokens: Sequence[Token], at: int, options: OptionsDict, env: EnvType
) -> str:
    return Markup('<pre class="math">{}</pre>\n').format(tokens[at].content)


def _image(
    renderer: RendererHTML, tokens: Sequence[Token], at: int, options: OptionsDict, env: EnvType
) -> str:
    """What an image shows, and where it is: the page loads nothing from elsewhere."""
    words = renderer.renderInlineAsText(tokens[at].children or (), options, env)
    address = escape(tokens[at].attrs.get("src", ""))
    return Markup('<span class="image" title="{}">[image: {}]</span>').format(address, words)
