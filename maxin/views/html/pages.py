"""Pages from templates: the environment that renders them, with its filters and charts."""

from __future__ import annotations

import base64
import hashlib
from collections.abc import Mapping
from functools import cache

from jinja2 import Environment, PackageLoader, StrictUndefined
from markupsafe import Markup

from maxin._version import __version__
from maxin.core.text import counted, duration, moment
from maxin.views import formats
from maxin.views.html import drawings, heatmaps
from maxin.views.html.board import PageBoard
from maxin.views.recorded.failures import Failure
from maxin.views.standings import FOLD

# Whatever a name or a log holds, a browser runs no script but ours, which it knows by its digest,
# loads nothing, sends no form and takes no other base for links.
POLICY = (
    "default-src 'none'; style-src 'unsafe-inline'; img-src data:; form-action 'none'; "
    "base-uri 'none'"
)
SCRIPT = "report.js"


def render(template: str, **values: object) -> str:
    """A page made from a template of `maxin/views/html/templates`; all values are escaped."""
    page = environment().get_template(template).render(values)
    # The name of a file, say in an error, may hold bytes that are not text; a page cannot.
    return page.encode("utf-8", "backslashreplace").decode("utf-8")


@cache
def environment() -> Environment:
    """The environment of all pages: it escapes every value, and raises where one is missing.

    >>> environment().from_string("{{ name }} {{ rating | signed }}").render(name="<b>", rating=12)
    '&lt;b&gt; +12'
    """
    made = Environment(
        loader=PackageLoader("maxin.views.html"),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    for filter in (
        formats.expected_score,
        formats.number,
        formats.points,
        formats.setting,
        formats.signed,
        formats.chosen,
        formats.columns,
        formats.unbroken,
        formats.visible_lines,
        formats.whole,
        *map(formats.on_page, (formats.chance, formats.exact, formats.share, formats.tenths)),
        counted,
        duration,
        moment,
        failure_counts,
        what_happened,
    ):
        made.filters[filter.__name__] = filter
    for chart in (
        drawings.candidates_chart,
        drawings.feature_chart,
        drawings.matches_chart,
        drawings.ratings_chart,
        heatmaps.coverage_map,
        heatmaps.share_map,
    ):
        made.globals[chart.__name__] = chart
    loader = made.loader
    assert loader is not None
    script = loader.get_source(made, SCRIPT)[0]
    digest = base64.b64encode(hashlib.sha256(script.encode()).digest()).decode()
    made.globals |= {
        "crosstable_grid": heatmaps.CrosstableGrid,
        "table_limit": heatmaps.TABLE,
        "page_board": PageBoard,
        "dash": formats.DASH,
        "fold": FOLD,
        "policy": POLICY,
        "script": Markup(script),
        "script_policy": f"script-src 'sha256-{digest}'",
        "version": __version__,
    }
    return made


def what_happened(failure: Failure) -> str:
    """The kind of a failure, for a table.

    >>> what_happened(Failure(0.0, "failed", 7, "anna", "bo", None, 2, "exit code 1", ""))
    'attempt 2 failed'
    """
    if failure.kind == "failed":
        return "attempt failed" if failure.attempt is None else f"attempt {failure.attempt} failed"
    kinds = {"void": "match voided", "refused": "score refused", "paused": "player paused"}
    return kinds.get(failure.kind, failure.kind)


def failure_counts(counts: Mapping[str, int]) -> str:
    """How many failures there were of each kind, as a clause.

    >>> failure_counts({"failed": 3, "void": 1})
    '3 attempts failed and 1 match was voided'
    """
    kinds = {
        "failed": ("attempt", "failed", "failed"),
        "void": ("match", "was voided", "were voided"),
        "refused": ("score", "was refused", "were refused"),
        "paused": ("player", "was paused", "were paused"),
    }
    clauses = [
        f"{counted(counts[kind], noun)} {one if counts[kind] == 1 else many}"
        for kind, (noun, one, many) in kinds.items()
        if counts.get(kind)
    ]
    *rest, last = clauses
    return f"{', '.join(rest)} and {last}" if rest else last
