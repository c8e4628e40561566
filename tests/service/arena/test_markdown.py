"""Markdown as HTML that can do nothing."""

import pytest

pytest.importorskip("markdown_it", reason="the extra `web` is not installed")

from hypothesis import example, given
from hypothesis import strategies as st

from maxin.service.arena.markdown import LONGEST, markdown_html
from tests.helpers.hostile_markdown import HOSTILE, checked_text

PIECES = [
    *(
        "*",
        "_",
        "**",
        "`",
        "```",
        "~~",
        "#",
        "> ",
        "- ",
        "1. ",
        "|",
        "|-|",
        "\n",
        "\n\n",
        " ",
        "    ",
    ),
    *("[", "](", ")", "!", "<", ">", '"', "'", "&", "&lt;", "&#58;", "\\", ":", "//", "?", "="),
    *("$", "$$", "\\(", "\\)", "\\[", "\\]", "a", "b1", "é", "http", "https://x.y/z", "javascript"),
    *("data", "mailto:a@b.c", "script", "img", "onerror=", "style", "-->", "<!--", "\t", "\x00"),
]


@pytest.mark.parametrize("text", HOSTILE)
def test_a_hostile_text_stays_text(text):
    checked_text(markdown_html(text))


@given(st.lists(st.sampled_from(PIECES) | st.text(max_size=3), max_size=40).map("".join))
@example("[a[b](https://x.y)](https://x.y)")
@example("$$\na\n$$ b\n\\[\n")
def test_no_text_becomes_more_than_allowed(text):
    checked_text(markdown_html(text))


def test_a_long_text_is_shown_as_it_is():
    text = "**a** <script>alert(1)</script>\n" * LONGEST
    html = markdown_html(text)
    assert html.startswith('<div class="plain"')
    assert checked_text(html) == text


@pytest.mark.parametrize(
    "text",
    [
        "$a_1 * b_1$ and $c_2 * d_2$",
        r"\(x^{*} + y_{*}\)",
        r"\[ \int_0^1 f(x)\,dx = a*b*c \]",
        "$$\na_1\n+ b_1\n\n- c\n$$",
        "\\[\n\\begin{pmatrix} a & b \\\\[2pt] c & d \\end{pmatrix}\n\\]",
        "so $$a_1 * b$$ *$c*d$* follows",
    ],
)
def test_mathematics_is_left_as_it_was_written(text):
    plain = text.replace("*$c*d$*", "$c*d$")  # the stars around a formula are Markdown
    assert checked_text(markdown_html(text)).rstrip("\n") == plain


@pytest.mark.parametrize(
    "text", ["it costs $5 and $10", "$HOME and $PATH", "5$ to 6$7", "a $ b $ c", r"\$5 or \$6"]
)
def test_an_amount_of_money_is_not_mathematics(text):
    assert 'class="math"' not in markdown_html(text)


def test_a_formula_in_a_list_or_a_quotation_ends_with_it():
    html = markdown_html("> \\[\n> a\n> \\]\n\n- $$\n  b\n  $$\n- c\n\n> $$\nd\n$$")
    assert '<pre class="math">\\[\na\n\\]</pre>' in html
    assert '<pre class="math">$$\nb\n$$</pre>' in html
    assert "<li>c</li>" in html


def test_what_markdown_has_is_shown():
    html = markdown_html(
        "# Title\n\ntwo\nlines\n\n1. one\n   - *two*\n\n|a|b|\n|:-|-:|\n|1|`2`|\n\n~~no~~\n\n"
        '```python\nif a < b:\n    pass\n```\n\n> [docs](https://x.y/z "more")\n'
    )
    for part in (
        "<h3>Title</h3>",  # the headings of the page are above it
        "two<br />\nlines",
        "<li>one\n<ul>\n<li><em>two</em></li>",
        '<td style="text-align:left">1</td>',
        "<s>no</s>",
        '<pre><code class="language-python">if a &lt; b:\n    pass\n</code></pre>',
        '<a href="https://x.y/z" title="more" rel="noopener noreferrer nofollow" target="_blank">',
    ):
        assert part in html, part
