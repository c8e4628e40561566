"""Files of results for tests, and any matches that one may hold."""

from hypothesis import strategies as st

from maxin.storage import PlayedMatch
from maxin.tournament.results import read_results, written

TRAPS = [
    *['say "hi"', "a,b", "two\nlines", "cr\rlf\r\n", "a|b", "\\", '\\"', " spaced ", "安娜", "*"],
    *["1-0", "[White", "{", ";", "%x", "'", "first", "tie", "\t", "0.5", "\ufeff", "-x", "\u2028"],
    *[
        "=1+1",
        "+x",
        "@x",
        "\tx",
        "\rx",
        "'=1+1",
        "''-x",
        "'",
        "'tis",
        "-1.5",
        "'-1.5",
        "+1",
        "=",
        "-",
    ],
]
texts = st.sampled_from(TRAPS) | st.text(
    st.characters(exclude_categories=["Cs"]), min_size=1, max_size=12
)
names = texts.filter(lambda name: name.strip())
scores = st.sampled_from([0.0, 0.5, 1.0]) | st.floats(0.0, 1.0)


@st.composite
def matches(draw, score=scores, name=names):
    """Any recorded match, except for its line and worker, which stay in the store."""
    first, second = draw(st.lists(name, min_size=2, max_size=2, unique=True))
    games = draw(st.none() | st.tuples(score, score))
    return PlayedMatch(
        draw(st.none() | st.integers(1, 10**9)),
        first,
        second,
        draw(score) if games is None else sum(games) / 2,
        games,
        tuple(draw(st.lists(texts, max_size=2))),
        draw(st.none() | st.dictionaries(texts, st.integers(), max_size=2)),
        draw(st.none() | texts),
        seed=draw(st.none() | st.integers(0, 2**31 - 1)),
        time=draw(st.floats(0, 4e9)),
        retracted=draw(st.none() | st.sampled_from(["typo", "=1+1", "1", "a, b"])),
    )


def save(folder, content, name="log.csv"):
    """A file with this content, as text or bytes."""
    path = folder / name
    path.write_bytes(content if isinstance(content, bytes) else content.encode())
    return path


def write(played, path, format, **options):
    """Write matches to a file, with the line ends as they are."""
    path.write_text("".join(written(played, format, **options)), encoding="utf-8", newline="")


def triples(path, **options):
    """The players and scores in a file."""
    return [(row.first, row.second, row.score) for row in read_results(path, **options)]


def result(first, second, score, line):
    """A result as it is read from a line."""
    return PlayedMatch(None, first, second, score, line=line)
