"""What `maxin show` shows of a stored tournament."""

import json
import re
import subprocess
import sys
from itertools import combinations

import pytest
from rich.cells import cell_len

from maxin.tournament import Tournament
from maxin.worker import ScoreConflict
from tests.helpers.command import call, right
from tests.helpers.stored import NAMES, rows_of

VIEWS = ["leaderboard", "crosstable", "candidates", "coverage", "matches", "pending", "failures"]
FORMATS = ["text", "json", "csv", "markdown"]


@pytest.mark.parametrize("format", FORMATS)
@pytest.mark.parametrize("view", VIEWS)
def test_every_view_has_every_format(store, view, format):
    done = right("show", view, "--format", format)
    assert done.out
    assert "Traceback" not in done.err
    if format == "json":
        assert json.loads(done.out)
    if format == "csv" and view != "pending":  # the run has ended
        assert len(rows_of(done.out)) > 1


@pytest.mark.parametrize("columns", [80, 60])
@pytest.mark.parametrize("view", ["leaderboard", "crosstable", "coverage", "matches"])
def test_tables_are_no_wider_than_the_terminal(store, view, columns, monkeypatch):
    monkeypatch.setenv("COLUMNS", str(columns))
    drawn = right("show", view).out.split("\n\n")[0]
    assert max(map(cell_len, drawn.splitlines())) <= columns


def test_the_leaderboard_is_that_of_the_tournament(store):
    with Tournament(store=store) as tournament:
        board, top = tournament.leaderboard(), tournament.top()
    document = right("show", "--format", "json").document
    assert document["standings"] == [row._asdict() for row in board]
    assert document["n_matches"] == 120
    assert document["top"]["players"] == list(top.players)
    assert document["top"]["candidates"] == list(top.candidates)
    assert right("show", "--format", "csv").out == board.to_csv()
    text = right("show").out
    assert "14 players, 1 retired; 120 matches" in text
    assert top.players[0] in text


def test_another_method_rates_the_leaderboard_and_is_named(store):
    with Tournament(store=store) as tournament:
        board = tournament.leaderboard(ratings="bradley-terry")
        verdict = tournament.overview(tournament.last_stop()).verdict
    option = ("--ratings", "bradley-terry")
    document = right("show", *option, "--format", "json").document
    assert document["standings"] == [row._asdict() for row in board]
    assert document["rated_by"] == "bradley-terry"
    assert right("show", *option, "--format", "csv").out == board.to_csv()
    table, notes = right("show", *option).out.split("\n\n")
    assert board[0].player in table.splitlines()[1]
    assert notes.startswith("rated by bradley-terry; the verdict is the posterior's\n")
    assert verdict.replace("best; ", "best\n") in notes
    assert "rated by" not in right("show").out
    refused = call("show", "judges", *option)
    assert (refused.code, refused.err) == (
        2,
        "error: --ratings is for leaderboard, not for judges\n",
    )


def test_best_by_shows_the_weights_of_every_meaning(store):
    with Tournament(store=store) as tournament:
        found = tournament.best_by()
    text = right("show", "--best-by").out
    assert found.sentence in text
    document = right("show", "--best-by", "--format", "json").document
    assert document["players"] == [row._asdict() for row in found.meanings]
    assert (document["field"], document["finding"]) == (found.field, found.sentence)
    assert sum(row["alpha_rank"] for row in document["players"]) == pytest.approx(1.0)
    rows = rows_of(right("show", "--best-by", "--format", "csv").out)
    assert list(rows[0]) == ["player", "rating", "low", "high", "beats", "nash", "alpha_rank"]
    assert len(rows) == len(found.meanings) == 13
    assert right("show", "--best-by", "--format", "markdown").out.count("\n") == 15
    assert "shown: the first 3 of 13" in right("show", "--best-by", "--top", "3").out
    for other, problem in (
        (["judges"], "is for leaderboard, not for judges"),
        (["--ratings", "bradley-terry"], "and --ratings cannot be given together"),
    ):
        refused = call("show", *other, "--best-by")
        assert (refused.code, refused.err) == (
            2,
            f"error: --best-by {problem}\n",
        )


def test_markup_and_wide_letters_in_names_are_printed_as_they_are(store):
    text = right("show").out
    assert "[red]bold[/]" in text
    assert "安娜; drop table" in text
    assert "[red]out of memory[/]" in right("show", "failures").out


def test_top_shows_the_first_and_says_so(store):
    document = right("show", "--top", 3, "--format", "json").document
    assert [row["rank"] for row in document["standings"]] == [1, 2, 3]
    assert "shown: the first 3 of 14" in right("show", "--top", 3).out


def test_candidates_are_those_of_the_top(store):
    with Tournament(store=store) as tournament:
        one = tournament.top(confidence=0.9)
    given = ("--confidence", 0.9)
    document = right("show", "candidates", *given, "--format", "json").document
    assert {row["player"] for row in document["standings"]} == set(one.candidates)
    assert " leads, " in right("show", "candidates", *given).out


def test_the_crosstable_adds_up(store):
    document = right("show", "crosstable", "--format", "json").document
    points, matches = document["points"], document["matches"]
    everyone = range(len(NAMES))
    assert sum(map(sum, points)) == pytest.approx(120)
    assert sum(map(sum, matches)) == 240
    for i in everyone:
        for j in everyone:
            assert points[i][j] + points[j][i] == pytest.approx(matches[i][j])
    rows = rows_of(right("show", "crosstable", "--format", "csv").out)
    assert sum(float(row["points"]) for row in rows) == pytest.approx(120)
    first = right("show", "crosstable").out.splitlines()[1]
    i, j = 0, next(j for j in everyone if matches[0][j])
    assert f"{points[i][j]:g}/{matches[i][j]}" in first


def test_long_names_leave_room_for_a_whole_crosstable(tmp_path, monkeypatch):
    path = f"{tmp_path}/long.db"
    monkeypatch.setenv("MAXIN_STORE", f"sqlite:///{path}")
    with Tournament([f"runs/ppo-7/step-{step}000.pt" for step in range(1, 10)], path) as tournament:
        tournament.add_results([(*pair, 0.5) for pair in combinations(tournament.names, 2)] * 20)
    shown = right("show", "crosstable").out
    assert "shown: the first" not in shown
    assert "… is runs/ppo-7/step-\n" in shown
    assert max(map(len, shown.splitlines())) <= 80


def test_a_crosstable_that_does_not_fit_shows_its_top_or_comes_in_parts(store):
    short, whole = right("show", "crosstable").out, right("show", "crosstable", "--top", 14).out
    assert "of 14; --top 14 shows all in parts" in short
    heads = [line.split() for line in whole.splitlines() if line.split()[:1] == ["player"]]
    assert [int(word) for head in heads for word in head[1:]] == list(range(1, 15))
    assert len(heads) > 1


def test_coverage_counts_pairs_among_those_in_play(store):
    document = right("show", "coverage", "--format", "json").document
    n = len(document["players"])
    assert n == len(NAMES) - 1
    assert document["n_pairs"] == n * (n - 1) // 2
    met = sum(document["matches"][i][j] > 0 for i in range(n) for j in range(i))
    assert document["n_pairs_met"] == met
    assert document["share_met"] == met / document["n_pairs"]
    played = {row["player"]: row for row in right("show", "--format", "json").document["standings"]}
    fewest = min(played[name]["matches"] for name in document["players"])
    assert document["fewest_matches"] == fewest
    assert all(played[name]["matches"] == fewest for name in document["starved"])
    pairs = rows_of(right("show", "coverage", "--format", "csv").out)
    assert len(pairs) == document["n_pairs"]
    text = right("show", "coverage").out
    assert f"{met} of {document['n_pairs']} pairs met" in text
    assert "fewest matches: " in text


def test_matches_are_the_latest(store):
    document = right("show", "matches", "--top", 3, "--format", "json").document
    everything = right("show", "matches", "--format", "json").document
    assert everything["n_matches"] == len(everything["matches"]) == 120
    assert document["matches"] == everything["matches"][-3:]
    assert "the latest 20 of 120 matches" in right("show", "matches").out


def test_pending_matches_name_who_has_them_since_when_and_for_how_long(store):
    with Tournament(store=store, worker="office") as tournament:
        ticket = tournament.ask(lease=3600.0)
        (_, asked) = (tournament.ask(lease=1e-6), tournament.pending())
    document = right("show", "pending", "--format", "json").document
    assert document["n_pending"] == 2
    mine, lapsed = document["pending"][-2:]
    assert (mine["match"], mine["first"], mine["second"]) == ticket[:3]
    assert mine["worker"] == "office"
    assert mine["since"] == asked[-2].since
    assert 0.0 < mine["remaining"] <= 3600.0
    assert lapsed["remaining"] == 0.0
    lines = right("show", "pending").out.splitlines()
    assert lines[0].split()[:4] == ["match", "first", "second", "holder"]
    assert "office" in lines[1]
    assert lines[2].endswith("none")
    assert lines[-1] == "2 pending matches"
    assert right("show", "pending", "--top", 1).out.endswith("the latest 1 of 2 pending matches\n")


def test_failures_keep_their_own_messages(store):
    failures = right("show", "failures", "--format", "json").document["failures"]
    assert {one["kind"] for one in failures} >= {"failed", "void"}
    failed = next(one for one in failures if one["kind"] == "failed")
    assert {failed["first"], failed["second"]} <= set(NAMES)
    assert "out of memory" in failed["reason"]
    assert "RuntimeError" in failed["log"]
    text = right("show", "failures", "--top", 1).out
    assert f"the latest 1 of {len(failures)} failures" in text


def test_a_tournament_without_matches_or_players_can_be_shown(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    Tournament(["anna", "bo"], "sqlite:///maxin.db").close()
    Tournament((), "sqlite:///empty.db").close()
    for view in VIEWS:
        for format in FORMATS:
            right("show", view, "--format", format)
            right("show", view, "--format", format, "--store", "sqlite:///empty.db")
    assert "2 players; 0 matches" in right("show").out


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["show", "--store", "sqlite:///nothing.db"], "no store at nothing.db"),
        (["show", "--store", "mysql://here"], "a store must be sqlite or postgresql"),
        (["show", "--k", "2"], "there is no option of `maxin show` named '--k'"),
        (["show", "leaderbord"], "did you mean 'leaderboard'?"),
        (["show", "--top", "0"], "--top must be a whole number of at least 1; got 0"),
        (["show", "--confidence", "7"], "--confidence must be a number from 0.5 to below 1; got 7"),
    ],
)
def test_mistakes_end_in_one_line_and_exit_code_2(store, tmp_path, arguments, words):
    before = sorted(path.name for path in tmp_path.iterdir())
    done = call(*arguments)
    assert (done.code, done.out) == (2, "")
    assert words in " ".join(done.err.split())
    assert "Traceback" not in done.err
    assert sorted(path.name for path in tmp_path.iterdir()) == before


def test_the_store_may_be_named_in_the_environment(store, monkeypatch, tmp_path):
    (tmp_path / "maxin.db").rename(tmp_path / "other.db")
    assert call("show").code == 2
    monkeypatch.setenv("MAXIN_STORE", "sqlite:///other.db")
    assert "120 matches" in right("show").out


@pytest.mark.parametrize(
    "arguments",
    [
        ["show"],
        ["show", "what"],
        pytest.param(["verify", "--format", "json"], marks=pytest.mark.slow),
    ],
)
def test_the_real_command(store, tmp_path, arguments):
    done = subprocess.run(
        [sys.executable, "-m", "maxin", *arguments],
        capture_output=True,
        text=True,
        cwd=tmp_path,
        timeout=120,
        check=False,
    )
    assert done.returncode == (2 if "what" in arguments else 0), done.stderr
    assert "Traceback" not in done.stderr


def test_a_refused_score_names_its_match_once(store):
    with Tournament(store=store) as tournament:
        match = next(tournament.matches())
        with pytest.raises(ScoreConflict):
            tournament.tell(match.number, 0.125)
    for flags in ([], ["--format", "markdown"]):
        out = right("show", "failures", "--top", 1, *flags).out
        assert out.count(f"match {match.number}, ") == 1
        assert "cannot be reported again with 0.125" in out


def test_the_confidence_is_that_of_the_last_run(store):
    with Tournament(store=store) as tournament:
        tournament.run(lambda *_: 0.5, budget=121, confidence=0.998)
    assert "stopping at 99.8 % confidence needs 0.0" in right("show").out
    assert "stopping at 95 % confidence needs 0." in right("show", "--confidence", "0.95").out


def test_the_cost_of_all_matches_is_shown(store):
    assert "cost" not in right("show").out
    with Tournament(store=store) as tournament:
        tournament.tell(tournament.ask(), 1.0, data={"cost": 0.25})
        tournament.tell(tournament.ask(), 1.0, data={"cost": 0.5})
    assert "cost: 0.75 for 2 matches, 0.375 per match" in right("show").out
    facts = json.loads(right("show", "--format", "json").out)
    assert facts["cost"] == {"total": 0.75, "n_matches": 2, "per_match": 0.375}


def test_of_very_many_players_a_table_for_people_shows_the_best(tmp_path, monkeypatch):
    monkeypatch.setenv("MAXIN_STORE", f"sqlite:///{tmp_path}/many.db")
    rows = "".join(f"p{i},p{i + 1},1\n" for i in range(89))
    (tmp_path / "results.csv").write_text("first,second,score\n" + rows)
    right("import", str(tmp_path / "results.csv"))
    shown = right("show").out
    assert "shown: the best 30 of 90 players" in shown
    assert "--top 90 shows all" in shown
    with Tournament(store=f"sqlite:///{tmp_path}/many.db") as tournament:
        ranked = [row.player for row in tournament.leaderboard()]
        candidates = set(tournament.top().candidates)
    names = [line.split()[1] for line in shown.partition("\n\n")[0].splitlines()[1:]]
    assert names[:30] == ranked[:30]
    assert set(names[30:]) <= candidates
    assert len(names) == min(55, 30 + len(candidates - set(ranked[:30])))
    assert len(right("show", "--format", "csv").out.splitlines()) == 91
    assert "shown:" not in right("show", "--top", 90).out


def test_one_match_is_shown_with_its_data_its_retraction_and_its_failures(store):
    with Tournament(store=store) as tournament:
        ticket = tournament.ask()
        tournament.fail(ticket, "exit code 1", log="out of\nmemory")
        ticket = next(one for one in tournament.ask_many(9) if one.id == ticket.id)
        tournament.tell(
            ticket, 0.0, errors=["odd"], data={"judge": "gpt", "why": "one\n\x1b[31mtwo"}
        )
        tournament.retract(ticket.id, "the wrong file")
    document = right("show", "match", ticket.id, "--format", "json").document
    assert (document["match"], document["state"]) == (ticket.id, "retracted")
    assert (document["first"], document["second"]) == (ticket.first, ticket.second)
    assert document["results"][0]["retracted"]["reason"] == "the wrong file"
    assert document["failures"][0]["log"] == "out of\nmemory"
    text = right("show", "match", ticket.id).out
    assert " UTC to " in text
    assert "|" not in text  # workers have names, not marks of processes
    for line in (": retracted\n", ": the wrong file\n", "error: odd\n", "judge: gpt\n"):
        assert line in text
    assert "why:\n    one\n    \\x1b[31mtwo\n" in text
    assert len(re.findall(r" UTC (?:to|by) \w", text)) >= 3
    assert "failed: match" in text
    assert "    memory\n" in text
    (row,) = rows_of(right("show", "match", ticket.id, "--format", "csv").out)
    assert row["retracted"] == "the wrong file"
    assert right("show", "match", ticket.id, "--format", "markdown").out.count("\n") == 3


@pytest.mark.parametrize(
    ("words", "reason"),
    [
        (("match",), "`maxin show match` needs the number of a match, `maxin show match 17`"),
        (("match", 999), "there is no match 999; "),
        (("match", 10**30), "there is no match 1000000000"),
        (("match", 0), "NUMBER must be a whole number of at least 1; got 0"),
        (("match", "x"), "NUMBER must be a whole number of at least 1; got 'x'"),
        (("matches", 3), "a number is for `maxin show match`, not for matches; got 3"),
    ],
)
def test_a_match_that_cannot_be_shown_is_an_error_in_one_line(store, words, reason):
    refused = call("show", *words)
    assert refused.code == 2
    assert reason in refused.err
    assert len(refused.err.splitlines()) == 1


@pytest.fixture
def sliced(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("MAXIN_STORE", "sqlite:///sliced.db")
    with Tournament(NAMES[:12], "sliced.db", seed=1) as tournament:
        for number in range(36):
            ticket, kind = tournament.ask(), "code" if number % 2 else "prose"
            is_won = (ticket.first < ticket.second) == (kind == "code")
            tournament.tell(ticket, float(is_won), data={"kind": kind})
        return tournament.slices("kind")


def test_slices_are_those_of_the_tournament(sliced):
    document = right("show", "--by", "kind", "--format", "json").document
    assert document == sliced.document()
    text = right("show", "--by", "kind").out
    assert "code (18 matches)" in text
    assert "... and 2 more; --top 12 shows all" in text
    assert "--top" not in right("show", "--by", "kind", "--top", "12").out
    some = right("show", "--by", "kind", "--top", "3", "--format", "json").document
    assert [len(part["standings"]) for part in some["slices"]] == [3, 3]
    rows = rows_of(right("show", "--by", "kind", "--top", "3", "--format", "csv").out)
    assert [row["slice"] for row in rows].count("code") == 3
    assert right("show", "--by", "kind", "--ignore-judges").out == text  # there are none here


@pytest.mark.parametrize("columns", [80, 60])
def test_slices_are_no_wider_than_the_terminal(sliced, columns, monkeypatch):
    monkeypatch.setenv("COLUMNS", str(columns))
    *tables, _ = right("show", "--by", "kind").out.split("\n\n")
    assert max(cell_len(line) for drawn in tables for line in drawn.splitlines()) <= columns


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["crosstable"], "--by is for leaderboard, not for crosstable"),
        (["--ratings", "bradley-terry"], "--by and --ratings cannot be given together"),
    ],
)
def test_slices_are_of_the_leaderboard_alone(sliced, arguments, message):
    done = call("show", *arguments, "--by", "kind")
    assert (done.code, done.out) == (2, "")
    assert message in done.err


def test_a_report_shows_the_slices_of_a_field(sliced):
    right("report", "by.html", "--by", "kind")
    with open("by.html") as page:
        assert "<h2>By kind</h2>" in page.read()
    done = call("report", "by.html", "--by", "kinds")
    assert done.code == 2
    assert "no result has a value of 'kinds' in its data; there is 'kind'" in done.err
