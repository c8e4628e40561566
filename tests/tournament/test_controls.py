"""Controls and judges wherever the ratings of a tournament are shown."""

import json

import numpy as np
import pytest

from maxin.core import InvalidInput
from maxin.core.units import ELO_PER_NAT
from maxin.service.client.standings import leaderboard_of
from maxin.tournament import Tournament
from maxin.views.html import report
from tests.helpers.command import call, right
from tests.helpers.markup import Page

NAMES = ["anna", "bo", "cy", "dee", "eve"]
EFFECT = 0.4 * ELO_PER_NAT / 150.0  # Elo per character, in the file
N_VOTES = 1500
INVERTED = "j4"
ONE = "5 judges fitted, 1 of them counted reversed; with --ignore-judges all votes count alike"
IGNORED = "5 judges ignored, as asked: all votes count alike"


def votes():
    """Lines of a file: five judges, one of them inverted; longer answers win more often."""
    rng, strengths = np.random.default_rng(11), np.linspace(1.0, -1.0, len(NAMES))
    yield "model_a,model_b,winner,judge,length_a,length_b,note"
    for _ in range(N_VOTES):
        one, two = rng.choice(len(NAMES), 2, replace=False).tolist()
        judge = int(rng.integers(5))
        lengths = rng.normal(300.0, 100.0, 2).round() - 60.0 * np.array([one, two])
        gap = (strengths[one] - strengths[two]) * (-1.0 if judge == 4 else 1.0)
        gap += 0.4 * (lengths[0] - lengths[1]) / 150.0
        winner = "model_a" if rng.random() < 1.0 / (1.0 + np.exp(-gap)) else "model_b"
        row = (NAMES[one], NAMES[two], winner, f"j{judge}", *lengths, "x")
        yield ",".join(map(str, row))


@pytest.fixture(scope="module")
def file(tmp_path_factory):
    path = tmp_path_factory.mktemp("votes") / "votes.csv"
    path.write_text("\n".join(votes()))
    return path


@pytest.fixture(scope="module")
def url(file):
    url = f"sqlite:///{file.parent}/league.db"
    with Tournament(NAMES, url) as tournament:
        tournament.add_results(file)
    return url


@pytest.fixture(scope="module")
def tournament(url):
    with Tournament(store=url) as opened:
        yield opened


def test_the_file_and_the_tournament_say_the_same(file, url, tournament):
    flags = ("--control", "length", "--format", "json")
    ranked = right("rank", file, *flags).document
    shown = right("show", "--store", url, *flags).document
    [here], [there] = shown["controls"], ranked["controls"]
    assert here.pop("control") == there.pop("control") == "length"
    assert here == pytest.approx(there, rel=1e-3)
    for one, other in zip(shown["standings"], ranked["standings"], strict=True):
        assert one["rating"] == pytest.approx(other["rating"], abs=1e-3)
    board = tournament.leaderboard(controls=["length"])
    assert [row._asdict() for row in board] == shown["standings"]
    [effect] = board.controls
    assert effect.per_unit_low < EFFECT < effect.per_unit_high
    assert effect.effect == pytest.approx(effect.per_unit * effect.deviation)
    assert effect.n_missing == 0


def test_controls_and_judges_are_said_below_every_table(file, url, tournament):
    sentence = str(tournament.leaderboard(controls=["length"]).controls[0])
    assert sentence.startswith("length: +")
    for words in (("rank", file), ("show", "--store", url), ("show", "candidates", "--store", url)):
        plain = right(*words).out
        assert plain.count(ONE) == 1
        assert "per unit" not in plain
        assert right(*words, "--control", "length").out.count(sentence) == 1
        ignoring = right(*words, "--ignore-judges").out
        assert (ignoring.count(IGNORED), ignoring.count(ONE)) == (1, 0)
    assert ONE in right("rank", file, "--format", "csv").err
    assert str(tournament.leaderboard()).endswith(ONE)
    assert ONE in repr(tournament.overview())
    assert ONE in tournament.overview()._repr_html_()
    assert tournament.overview().caveats[0] == ONE


def test_the_report_says_them_and_its_history_ends_where_the_table_is(tournament, url, tmp_path):
    sentence = str(tournament.leaderboard(controls=["length"]).controls[0])
    page = Page(report(tournament, controls=["length"], ignore_judges=True))
    words = " ".join(page.words["p"])
    assert IGNORED in words
    assert sentence not in words  # with all votes alike, the effect is another one
    assert "length: +" in words
    assert "Judges" not in page.words["h2"]
    path = tmp_path / "report.html"
    right("report", path, "--store", url, "--control", "length")
    assert sentence in " ".join(Page(path.read_text()).words["p"])


def test_ratings_without_judges_are_those_of_plain_results(tournament):
    plain = Tournament(NAMES)
    plain.add_results([(row.first, row.second, row.score) for row in tournament.matches()])
    found = {row.player: row.rating for row in tournament.leaderboard(ignore_judges=True)}
    for row in plain.leaderboard():
        assert found[row.player] == pytest.approx(row.rating, abs=1e-3)


def test_a_service_describes_both(tournament):
    document = json.loads(json.dumps(tournament.overview(controls=["length"]).document()))
    board = leaderboard_of(document)
    assert str(board.judging) == ONE
    assert board.controls == tournament.leaderboard(controls=["length"]).controls


def test_a_program_reports_a_covariate_in_its_data():
    tournament = Tournament(NAMES, seed=4, games_per_match=2)
    rng = np.random.default_rng(5)

    def play(first, second, seed):
        length = float(rng.normal())
        gap = (NAMES.index(second) - NAMES.index(first)) / 2.0 + length
        return {
            "score": float(rng.random() < 1.0 / (1.0 + np.exp(-gap))),
            "data": {"length": length},
        }

    tournament.run(play, budget=300, confidence=None)
    [effect] = tournament.leaderboard(controls=["length"]).controls
    assert effect.low < ELO_PER_NAT * effect.deviation < effect.high


@pytest.mark.parametrize(
    ("words", "problem"),
    [
        (("--control", "words"), "no match has the control 'words'"),
        (("--control", "note"), "the control 'note' must be a number, or a list of two; got 'x'"),
        (("--control", ""), "--control must be a non-empty text"),
        (("--control", "length", "--control", "length"), "named only once"),
    ],
)
def test_an_invalid_control_is_refused(file, url, words, problem):
    for command in (("rank", file), ("show", "--store", url)):
        done = call(*command, *words)
        assert (done.code, done.out) == (2, "")
        assert problem in done.err
        assert done.err.count("\n") == 1
    if "note" in words:
        assert f"{str(file)!r}, line 2: the control" in call("rank", file, *words).err


def test_a_view_without_ratings_takes_neither(url):
    for words in (("--control", "length"), ("--ignore-judges",)):
        done = call("show", "matches", "--store", url, *words)
        assert (done.code, done.out) == (2, "")
        assert f"{words[0]} is for leaderboard and candidates, not for matches" in done.err


def test_what_controls_cannot_be_combined_with_is_refused(url, tournament):
    done = call("show", "--store", url, "--control", "length", "--ratings", "bradley-terry")
    assert (done.code, done.out) == (2, "")
    assert "controls need the posterior; bradley-terry knows none" in done.err
    fading = Tournament(NAMES, half_life=100)
    fading.tell(fading.ask(), 1.0, data={"length": 3})
    with pytest.raises(InvalidInput, match="results that do not fade"):
        fading.leaderboard(controls=["length"])
    with pytest.raises(InvalidInput, match="controls must be a list of names"):
        tournament.leaderboard(controls="length")


def test_another_method_says_that_it_knows_no_judges(tournament):
    board = tournament.leaderboard(ratings="bradley-terry")
    assert str(board.judging) == "5 judges not fitted by bradley-terry: all votes count alike"


def test_the_bias_of_a_judge_is_in_elo_points(tournament, url):
    rows = {row.judge: row for row in tournament.judges()}
    fit = tournament.belief().judges
    biases = dict(zip(fit.names, fit.bias.tolist(), strict=True))
    assert rows["j0"].bias == pytest.approx(ELO_PER_NAT * biases["j0"], abs=1e-3)
    assert (rows[INVERTED].counts, rows["j0"].counts) == ("reversed", "as given")
    text = right("show", "judges", "--store", url).out
    assert "worth to the judge, in Elo points" in text
    assert f"{rows['j0'].bias:+.0f} " in text
    assert "nats" not in text
