"""`CITATION.cff`: the fields that version 1.2.0 of the format asks for, and the README's paper."""

import re
import tomllib
from pathlib import Path

import pytest

import maxin

yaml = pytest.importorskip("yaml", reason="PyYAML reads the file")
ROOT = Path(__file__).resolve().parents[2]
FIELDS = {  # those that the file has, of all that the format knows, with their types
    "cff-version": str,
    "message": str,
    "type": str,
    "title": str,
    "abstract": str,
    "version": str,
    "license": str,
    "authors": list,
    "keywords": list,
    "preferred-citation": dict,
}
OF_A_PAPER = {
    "type": str,
    "title": str,
    "authors": list,
    "collection-title": str,
    "year": int,
    "volume": int,
    "issue": str,
    "start": int,
    "end": int,
    "doi": str,
}


@pytest.fixture(scope="module")
def citation():
    return yaml.safe_load((ROOT / "CITATION.cff").read_text())


def test_it_is_valid(citation):
    for fields, expected in ((citation, FIELDS), (citation["preferred-citation"], OF_A_PAPER)):
        assert {name: type(value) for name, value in fields.items()} == expected
    assert citation["cff-version"] == "1.2.0"
    assert citation["type"] == "software"
    assert all(set(author) == {"name"} for author in citation["authors"])
    paper = citation["preferred-citation"]
    assert paper["type"] == "conference-paper"
    assert all(set(author) == {"family-names", "given-names"} for author in paper["authors"])
    assert re.fullmatch(r"10\.\d{4,9}/\S+", paper["doi"])


def test_it_is_about_this_version(citation):
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    assert citation["version"] == maxin.__version__
    assert citation["license"] == project["license"]
    assert citation["keywords"] == project["keywords"]


def test_it_names_the_paper_of_the_readme(citation):
    paper, readme = citation["preferred-citation"], (ROOT / "README.md").read_text()
    entry = dict(re.findall(r"^  (\w+) += \{(.*)\},?$", readme, re.MULTILINE))
    names = [f"{one['family-names']}, {one['given-names']}" for one in paper["authors"]]
    assert entry == {
        "title": paper["title"],
        "author": " and ".join(names),
        "booktitle": paper["collection-title"],
        "year": str(paper["year"]),
        "volume": str(paper["volume"]),
        "number": paper["issue"],
        "pages": f"{paper['start']}--{paper['end']}",
        "doi": paper["doi"],
    }
