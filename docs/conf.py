"""The documentation site: `scripts/docs` builds it from the Markdown files as they are.

The root of the sources is the repository, so links and pictures are the same in both.
"""

import tomllib
from pathlib import Path

from maxin import __version__

SIDEBAR = Path(__file__).with_name("sidebar.toml")

project = "maxin"
version = release = __version__
root_doc = "docs/index"
include_patterns = ["docs/**", "studies/README.md", "studies/docs/**", "*.md"]
exclude_patterns = ["README.md", ".venv", "build", "out"]  # docs/index.md takes the README's place
extensions = [
    "myst_parser",
    "sphinx.ext.autodoc",
    "sphinx.ext.napoleon",
    "sphinx_copybutton",
]

myst_heading_anchors = 4

autodoc_member_order = "bysource"
default_role = "code"

copybutton_prompt_text = r">>> |\.\.\. "
copybutton_prompt_is_regexp = True

html_theme = "furo"
html_title = "maxin"
html_copy_source = False
html_show_copyright = False
html_extra_path = ["site"]
html_static_path = ["static"]
html_css_files = ["site.css"]
html_theme_options = {
    "light_css_variables": {"color-brand-primary": "#0b4273", "color-brand-content": "#236a9f"},
    "dark_css_variables": {"color-brand-primary": "#a9d6f8", "color-brand-content": "#66ade0"},
}


def skip_aliases(_app, _kind, _name, thing, skips, _options):
    """Leave out the fields of named tuples, which the signature and the text already have."""
    return skips or str(thing.__doc__).startswith("Alias for field number")


def add_sidebar(app, page, text):
    """Append the sections of the sidebar to the first page, whose file thus has no directives."""
    if page == root_doc:
        app.env.note_dependency(str(SIDEBAR))
        for title, pages in tomllib.loads(SIDEBAR.read_text()).items():
            lines = ["", "```{toctree}", ":hidden:", f":caption: {title}", "", *pages, "```", ""]
            text[0] += "\n".join(lines)


def lead_to_first_page(_app, page, text):
    """Lead the links to the README, which the site does not have, to its first page."""
    if "/" not in page:
        text[0] = text[0].replace("](README.md)", f"]({root_doc}.md)")


def setup(app):
    """Called by Sphinx."""
    app.connect("source-read", add_sidebar)
    app.connect("source-read", lead_to_first_page)
    app.connect("autodoc-skip-member", skip_aliases)
