import subprocess
import sys

import pytest
from jinja2 import UndefinedError

from maxin.views.html.pages import environment, failure_counts, render, what_happened
from maxin.views.recorded.failures import FAILURES, Failure
from tests.helpers.markup import Page


def test_a_page_allows_no_script_and_loads_nothing():
    page = Page(render("base.html"))
    [policy] = [attrs["content"] for _, attrs in page.elements if "http-equiv" in attrs]
    assert policy == (
        "default-src 'none'; style-src 'unsafe-inline'; img-src data:; form-action 'none'; "
        "base-uri 'none'"
    )


def test_values_are_escaped_in_text_and_in_attributes():
    source = '<a title="{{ name }}">{{ name }}</a>'
    shown = environment().from_string(source).render(name="\"'<b>&")
    page = Page(shown)
    assert page.elements == [("a", {"title": "\"'<b>&"})]
    assert page.words["a"] == ["\"'<b>&"]


def test_a_missing_value_is_an_error():
    with pytest.raises(UndefinedError, match="'nobody' is undefined"):
        environment().from_string("{{ nobody }}").render()


@pytest.mark.parametrize("kind", FAILURES)
def test_every_kind_of_failure_has_words(kind):
    failure = Failure(0.0, kind, None, None, None, None, None, "", "")
    assert what_happened(failure) != kind
    assert failure_counts({kind: 1}).startswith("1 ")
    assert failure_counts({kind: 2}).startswith("2 ")


def test_kinds_of_failures_are_joined_into_a_clause():
    counts = {"failed": 44, "void": 22, "paused": 2}
    assert failure_counts(counts) == (
        "44 attempts failed, 22 matches were voided and 2 players were paused"
    )


def test_the_template_engine_is_loaded_only_for_pages():
    code = "import sys, maxin, maxin.cli, maxin.tournament; print('jinja2' in sys.modules)"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "False"
