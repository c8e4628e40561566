"""A tournament driven from the shell: matches asked for, and their scores reported."""

import json
import shlex
import shutil
import subprocess
import sys
import time

import pytest

from maxin.storage import open_store
from maxin.tournament import Tournament
from tests.helpers.command import call, right, start
from tests.helpers.forked_processes import forked_command

URL = "sqlite:///maxin.db"
ODD = ["--eve", "anna maria", "[bold]bo[/]", "c'y;"]


@pytest.fixture(scope="module")
def asked(tmp_path_factory):
    """A tournament with a pending match, for tests to copy."""
    path = tmp_path_factory.mktemp("asked") / "maxin.db"
    start("anna", "bo", flags=["--store", f"sqlite:///{path}"])
    ticket("--store", f"sqlite:///{path}")
    return path


def ticket(*flags):
    return right("ask", "--format", "json", *flags).document


def test_a_ticket_is_a_line_with_tabs_or_an_object():
    start(*ODD)
    number, first, second, seed, fence = right("ask").out.rstrip("\n").split("\t")
    assert (number, {first, second} <= set(ODD)) == ("1", True)
    document = ticket()
    assert list(document) == ["match", "first", "second", "seed", "fence"]
    assert document["match"] == 2
    with Tournament(store=URL) as tournament:
        one, other = tournament.pending()
        assert (*one[:4], one.fence) == (1, first, second, int(seed), fence)
        assert (*other[:4], other.fence) == tuple(document.values())


def test_the_ticket_outlives_the_process_that_asked(folder):
    start("anna", "bo")
    with forked_command("ask", "--lease", "300", folder=folder) as process:
        out, err = process.communicate(timeout=120)
    assert process.returncode == 0, err
    assert out.startswith("1\t")
    (lease,) = open_store(URL).leases()
    assert 290.0 < lease.until - time.time() <= 300.0
    assert ticket()["match"] == 2  # not the first one again
    with Tournament(store=URL) as tournament:
        assert [one.id for one in tournament.pending()] == [1, 2]


def test_a_lapsed_ticket_is_handed_out_again_and_a_late_score_counts():
    start("anna", "bo")
    first = ticket("--lease", "0.01")
    time.sleep(0.05)
    again = ticket()
    assert again.pop("fence") != first.pop("fence")  # each handing-out has its own
    assert again == first
    right("tell", first["match"], 1)
    assert "was reported already" in right("tell", first["match"], 1).out


def test_a_score_is_recorded_once_and_another_is_refused():
    start("anna", "bo")
    ticket()
    done = right("tell", 1, 0.5, "--format", "json", "--data", '{"moves": 30}', "--error", "slow")
    assert done.document == {"match": 1, "score": 0.5, "is_new": True, "n_matches": 1}
    again = right("tell", 1, 0.5, "--format", "json")
    assert again.document == {"match": 1, "score": 0.5, "is_new": False, "n_matches": 1}
    other = call("tell", 1, 1)
    assert (other.code, other.out) == (2, "")
    assert "has the score 0.5; it cannot be reported again with 1" in other.err
    with Tournament(store=URL) as tournament:
        (match,) = tournament.matches()
    assert (match.errors, match.data) == (("slow",), {"moves": 30})
    lines = right("show", "matches").out.splitlines()
    assert (lines[0].split()[-1], lines[1].split()[-1]) == ("errors", "slow")


def test_a_score_may_be_who_won():
    start("anna", "bo")
    lines = right("ask", "-n", 3).out.splitlines()
    assert [line.split("\t")[0] for line in lines] == ["1", "2", "3"]
    for line, word in zip(lines, ("first", "second", "tie"), strict=True):
        right("tell", line.split("\t")[0], word)
    with Tournament(store=URL) as tournament:
        assert [match.score for match in tournament.matches()] == [1.0, 0.0, 0.5]
    assert "was reported already" in right("tell", 3, 0.5).out


def test_a_score_may_be_a_result_or_the_name_of_the_winner():
    start("anna", "second")
    right("request", "anna", "second", "--times", 5)
    right("request", "second", "anna", "--times", 2)
    right("ask", "-n", 7)
    # The last one is the word, and not the player, who sits first.
    words = ("1-0", "0-1", "1/2-1/2", "draw", "anna", "anna", "second")
    for number, word in enumerate(words, 1):
        right("tell", number, word)
    with Tournament(store=URL) as tournament:
        scores = [match.score for match in tournament.matches()]
    assert scores == [1.0, 0.0, 0.5, 0.5, 1.0, 0.0, 0.0]


def test_no_score_is_minus_zero():
    start("anna", "bo")
    ticket()
    assert right("tell", 1, "-0.0").out == "match 1: 0; 1 match played\n"


def test_as_many_tickets_as_there_are_come_at_once():
    start("anna", "bo", "cy", flags=["--scheduler", "round-robin:cycles=1"])
    documents = map(json.loads, right("ask", "-n", 20, "--format", "json").out.splitlines())
    assert [document["match"] for document in documents] == [1, 2, 3]
    later = call("ask", "-n", 20)
    assert (later.code, later.out) == (3, "")


def test_the_games_of_a_match_are_recorded_with_it():
    start("anna", "bo", flags=["--games-per-match", "2"])
    asked = ticket()
    done = call("tell", 1, 1, "--games", "1,0")
    assert (done.code, "the mean of its games" in done.err) == (2, True)
    right("tell", 1, 0.75, "--games", "1,0.5")
    with Tournament(store=URL) as tournament:
        (match,) = tournament.matches()
    assert (match.first, match.score, match.games) == (asked["first"], 0.75, (1.0, 0.5))


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["tell", "9", "1"], "there is no match 9; 1 were handed out so far"),
        (["tell", "1", "1.5"], "first player from 0 to 1; got '1.5'"),
        (["tell", "1", "nan"], "first player from 0 to 1; got 'nan'"),
        (["tell", "1", "*"], "first player from 0 to 1; got '*'"),
        (
            ["tell", "1", "won"],
            "SCORE must be first, second, tie, draw, 1-0, 0-1, 1/2-1/2, the name of the winner, '",
        ),
        (["ask", "-n", "0"], "-n must be a whole number from 1 to 10,000; got 0"),
        (["ask", "-n", "1000000000"], "-n must be a whole number from 1 to 10,000; got 1000000000"),
        (["tell", "one", "1"], "MATCH must be a whole number of at least 1; got 'one'"),
        (["tell", "1", "1", "--games", "1,x"], "--games must be numbers separated by commas"),
        (["tell", "1", "1", "--data", "[1]"], "--data must be a JSON object"),
        (["tell", "1", "1", "--data", "{"], "is not JSON"),
        (["void", "9", "--reason", "why"], "there is no match 9"),
        (["request", "anna", "anna"], "a player cannot play itself"),
        (["request", "anna", "ana"], "did you mean 'anna'"),
        (["request", "anna", "bo", "--times", "0"], "--times must be a whole number of at least 1"),
        (["ask", "--lease", "0"], "--lease must be a number of seconds above 0 and at most"),
        (["ask", "--lease", "1e308"], "seconds above 0 and at most 31,622,400; got 1e+308"),
        (["tell", "1"], "SCORE is missing; see `maxin tell --help`"),
        (["tell", "1", "1", "--game", "1"], "named '--game'; did you mean '--games'?"),
        (["ask", "now"], "`maxin ask` has no place for 'now'"),
    ],
)
def test_mistakes_are_named_and_change_nothing(asked, folder, arguments, words):
    shutil.copy(asked, folder)
    done = call(*arguments)
    assert (done.code, done.out) == (2, "")
    assert words in " ".join(done.err.split())
    assert "Traceback" not in done.err
    with Tournament(store=URL) as tournament:
        assert (tournament.names, tournament.n_matches, tournament.n_pending) == (
            ["anna", "bo"],
            0,
            1,
        )


def test_no_match_now_and_no_match_ever_again_differ():
    start("anna", "bo", "cy", flags=["--scheduler", "round-robin:cycles=1", "--lag", "2"])
    ticket()
    ticket()
    later = call("ask", "--format", "json")
    assert later.code == 3
    assert later.document["match"] is None
    assert later.document["is_over"] is False
    assert "2 matches pending" in later.document["reason"]
    for number in (1, 2):
        right("tell", number, 1)
    ticket()
    right("tell", 3, 1)
    over = call("ask", "--format", "json")
    assert over.code == 4
    assert over.document == {
        "match": None,
        "reason": "the scheduler has nothing more to ask",
        "is_over": True,
    }
    plain = call("ask")
    assert (plain.code, plain.out) == (4, "")
    assert "nothing more to ask" in plain.err


def test_a_budget_counts_results_and_pending_matches():
    start("anna", "bo", "cy")
    ticket("--budget", "2")
    ticket("--budget", "2")
    spent = call("ask", "--budget", "2", "--format", "json")
    assert (spent.code, spent.document["is_over"]) == (3, False)
    for number in (1, 2):
        right("tell", number, 1)
    spent = call("ask", "--budget", "2", "--format", "json")
    assert (spent.code, spent.document["reason"]) == (4, "the budget of 2 matches is spent")
    assert ticket()["match"] == 3


def test_asking_ends_as_soon_as_the_best_is_known():
    start("anna", "bo")
    twin = Tournament(["anna", "bo"])
    while not twin.top(confidence=0.7).is_decided:
        number, first, *_ = ticket("--confidence", "0.7").values()
        right("tell", number, float(first == "anna"))
        twin.tell(twin.ask(), float(first == "anna"))
    done = call("ask", "--confidence", "0.7", "--format", "json")
    assert (done.code, done.document["is_over"]) == (4, True)
    assert done.document["reason"].startswith("decided")
    assert right("show", "--confidence", "0.7", "--format", "json").document["top"]["is_decided"]
    assert ticket("--confidence", "0.99999")["match"] == twin.n_matches + 1


def test_asking_ends_sooner_with_a_larger_tolerance():
    start("anna", "bo")
    twin, wide = Tournament(["anna", "bo"]), ("--confidence", "0.7", "--tolerance", "300")
    while not twin.top(confidence=0.7, tolerance=300.0).is_decided:
        number, first, *_ = ticket(*wide).values()
        right("tell", number, float(first == "anna"))
        twin.tell(twin.ask(), float(first == "anna"))
    assert call("ask", *wide).code == 4
    exact = ticket("--confidence", "0.7", "--tolerance", "0", "--budget", "none")
    assert exact["match"] == twin.n_matches + 1


def test_a_requested_match_comes_first_in_the_seats_given():
    start(*ODD)
    assert right("request", "--times", 2, "--", "[bold]bo[/]", "--eve").out
    for _ in range(2):
        asked = ticket()
        assert (asked["first"], asked["second"]) == ("[bold]bo[/]", "--eve")


def test_a_match_that_failed_is_asked_again_and_void_in_the_end():
    start("anna", "bo")
    for attempt, then in enumerate(["handed out again", "handed out again", "void"], start=1):
        assert ticket()["match"] == 1
        done = right("fail", 1, "--reason", "the power went", "--player", "bo")
        assert done.out == f"match 1: attempt {attempt} failed; it is {then}\n"
    again = right("fail", 1, "--reason", "the power went")
    assert again.out == "match 1: this failure was reported already\n"
    done = call("fail", 1, "--reason", "late")
    assert (done.code, done.out) == (2, "")
    assert "match 1 is not pending on this machine, so it cannot fail" in done.err
    with Tournament(store=URL) as tournament:
        assert [one.kind for one in tournament.failures()] == ["failed"] * 3 + ["void"]


def test_a_void_match_counts_for_nobody_until_its_score_comes():
    start("anna", "bo")
    ticket()
    assert right("void", 1, "--reason", "the power went").out == "match 1 is void\n"
    assert right("void", 1, "--reason", "again").out == "match 1 was not pending\n"
    with Tournament(store=URL) as tournament:
        assert (tournament.n_pending, tournament.n_matches) == (0, 0)
    assert "the power went" in right("show", "failures").out
    right("tell", 1, 1)
    assert right("show", "--format", "json").document["n_matches"] == 1


def test_any_language_can_drive_it(folder):
    """A shell script, with nothing but the command."""
    start("anna maria", "bo")
    script = folder / "drive.sh"
    script.write_text(
        f'maxin() {{ {shlex.quote(sys.executable)} -m maxin "$@"; }}\n'
        "while line=$(maxin ask --budget 2); do\n"
        "  id=$(printf '%s' \"$line\" | cut -f1); first=$(printf '%s' \"$line\" | cut -f2)\n"
        '  if [ "$first" = "anna maria" ]; then score=1; else score=0; fi\n'
        '  maxin tell "$id" "$score" || exit 9\n'
        "done\n"
    )
    subprocess.run(["sh", str(script)], timeout=300, check=True, capture_output=True)
    document = right("show", "--format", "json").document
    assert document["n_matches"] == 2
    assert document["standings"][0]["player"] == "anna maria"
    assert json.loads(right("verify", "--format", "json").out)["is_right"]


def test_a_score_may_name_its_judge():
    start("anna", "bo")
    assert "no result has a judge" in right("show", "judges").out
    for number, judge in enumerate(["gpt", "gpt", "=1+1"], start=1):
        ticket()
        right("tell", number, 1, "--judge", judge)
    shown = right("show", "judges").out
    assert [line.split()[:2] for line in shown.splitlines()[1:3]] == [["gpt", "2"], ["=1+1", "1"]]
    assert "2 judges" in shown
    document = right("show", "judges", "--format", "json", "--top", 1).document
    assert (document["n_judges"], [row["judge"] for row in document["judges"]]) == (2, ["gpt"])
    assert right("show", "judges", "--format", "csv").out.splitlines()[2].startswith("'=1+1,1,")
    assert right("show", "judges", "--format", "markdown").out.startswith("| judge | votes |")
    assert "a judge must be a text" in call("tell", 3, 1, "--judge", " ").err
