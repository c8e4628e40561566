"""`maxin doctor`: this installation and its stores, for a bug report."""

import subprocess
import sys

import pytest

import maxin
from maxin.storage.schema import schema_version
from tests.helpers.command import call, right, start

HIDDEN = "se-cret"


def test_without_a_store(folder):
    out = right("doctor").out
    assert out.startswith(f"maxin             {maxin.__version__}\n")
    assert "\nPython            {}.{}.".format(*sys.version_info) in out
    assert "\nstores            none examined\n" in out
    assert out.endswith("\nOK: nothing is broken\n")
    assert list(folder.iterdir()) == []


def test_the_store_here_is_examined(store):
    out = right("doctor").out
    assert "sqlite:///maxin.db: SQLite " in out
    assert f", schema {schema_version()}, can be written\n" in out


def test_the_store_of_the_environment_is_examined(store, monkeypatch):
    monkeypatch.setenv("MAXIN_STORE", "gone.db")
    done = call("doctor")
    assert done.code == 1
    assert "\nwrong: no store at gone.db; `maxin run`" in done.out


def test_programs_read_everything_as_json(store):
    document = call("doctor", "maxin.db", "gone.db", "--format", "json").document
    assert (document["maxin"], document["is_right"]) == (maxin.__version__, False)
    here, gone = document["stores"]
    assert (here["schema"], here["is_writable"], here["problems"]) == (schema_version(), True, [])
    assert document["problems"] == gone["problems"]
    assert {"name": "chess", "problem": "", "version": version_of("chess")} in document["extras"][
        "uci"
    ]


def version_of(name):
    from importlib.metadata import version

    return version(name)


@pytest.mark.parametrize(
    ("store", "code"),
    [
        (f"postgresql://me:{HIDDEN}@127.0.0.1:1/league", 1),
        (f"postgresql://127.0.0.1:1/league?user=me&password={HIDDEN}", 1),
        (f"postgresql://127.0.0.1:1/league?sslpassword={HIDDEN}", 1),
        (f"postgresql://me:a/{HIDDEN}@127.0.0.1:1/league", 1),
        (f"postgresql://me:a@{HIDDEN}@127.0.0.1:1/league", 2),
        (f"postgresql://me:{HIDDEN}@127.0.0.1:port/league", 2),
        (f"postgresql://me:a@b:{HIDDEN}@127.0.0.1/league", 2),
        (f"postgresql:me:{HIDDEN}@127.0.0.1/league", 2),
        (f"mysql://me:{HIDDEN}@127.0.0.1/league", 2),
    ],
)
def test_no_secret_of_an_address_is_shown(store, code):
    for words in ([], ["--format", "json"]):
        done = call("doctor", store, *words)
        assert done.code == code
        assert "127.0.0.1" in done.out + done.err
        assert HIDDEN not in done.out + done.err


def test_a_store_on_a_server(postgres_url):
    start("anna", "bo", flags=["--store", postgres_url])
    out = right("doctor", postgres_url).out
    assert f"{postgres_url}: PostgreSQL " in out
    assert " s ahead of the server's\n" in out or " s behind the server's\n" in out


def test_a_broken_library_is_named_and_the_rest_is_shown(folder):
    """A process that finds an older version of a library, and two that are broken."""
    for name, version in (("chess", "0.1"), ("pandas", "3.0"), ("sqlalchemy", "2.0.40")):
        write_library(folder, name, version)
    code = "import sys; sys.argv = ['maxin', 'doctor']; from maxin.cli import main; main()"
    done = subprocess.run(
        [sys.executable, "-c", f"import sys; sys.path.insert(0, {str(folder)!r}); {code}"],
        capture_output=True,
        text=True,
        check=False,
    )
    assert (done.returncode, done.stderr) == (1, "")
    for problem in (
        "sqlalchemy 2.0.40 cannot be imported: ImportError: broken",
        "chess 0.1 is installed; maxin needs chess<2,>=1.11",
        "pandas 3.0 cannot be imported: ImportError: broken",
    ):
        assert f"\nwrong: {problem}\n" in done.stdout
    assert "\nstores            none examined\n" in done.stdout


def write_library(folder, name, version):
    """A library that cannot be imported."""
    (folder / f"{name}.py").write_text("raise ImportError('broken')")
    described = folder / f"{name}-{version}.dist-info"
    described.mkdir()
    (described / "METADATA").write_text(
        f"Metadata-Version: 2.1\nName: {name}\nVersion: {version}\n"
    )
