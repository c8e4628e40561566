"""Results with a judge: recorded, resumed, verified, retracted, exported and rated."""

import json

import numpy as np
import pytest

from maxin.cli.output.tables.lists import judge_list
from maxin.core import InvalidInput
from maxin.tournament import Tournament
from maxin.tournament.results import written
from maxin.tournament.state import state

NAMES = ["anna", "bo", "cy"]


def voted(tournament, n_votes, seed=0):
    """Play matches that three judges decide: the last one prefers the worse player."""
    rng = np.random.default_rng(seed)
    for number in range(n_votes):
        ticket = tournament.ask()
        first_is_better = ticket.first < ticket.second
        is_right = rng.random() < 0.8
        judge = ("gpt", "ann", "contrary")[number % 3]
        score = float((first_is_better == is_right) != (judge == "contrary"))
        tournament.tell(ticket, score, judge=judge)


def shown(tournament):
    """What must be the same however the tournament is read."""
    return tournament.judges(), [(row.player, row.rating) for row in tournament.leaderboard()]


def test_an_inverted_judge_is_found():
    tournament = Tournament(NAMES, seed=1)
    voted(tournament, 150)
    judges = {row.judge: row for row in tournament.judges()}
    assert judges["contrary"].reliability_high < 0.5 < judges["gpt"].reliability
    assert tournament.leaderboard()[0].player == "anna"
    assert sum(row.n_votes for row in judges.values()) == 150


@pytest.mark.parametrize("lag", [0, 4])
def test_a_stored_tournament_has_the_same_judges(tmp_path, lag, monkeypatch):
    url = f"sqlite:///{tmp_path}/judged.db"
    with Tournament(NAMES, url, seed=2, lag=lag) as tournament:
        voted(tournament, 30)
        before = shown(tournament)
        assert not tournament.verify().problems
    for every in (10_000, 20):
        monkeypatch.setattr(state, "RESTART_EVERY", every)
        with Tournament(store=url) as again:
            assert shown(again) == before
            assert not again.verify().problems


def test_a_retracted_vote_counts_no_longer(tmp_path):
    with Tournament(NAMES, f"sqlite:///{tmp_path}/judged.db", seed=3) as tournament:
        voted(tournament, 12)
        before = shown(tournament)
        ticket = tournament.ask()
        tournament.tell(ticket, 1.0, judge="new")
        assert "new" in {row.judge for row in tournament.judges()}
        tournament.retract(ticket, "a mistake")
        assert shown(tournament) == before
        assert not tournament.verify().problems


def test_exported_votes_are_imported_with_their_judges(tmp_path):
    tournament = Tournament(NAMES, seed=4)
    voted(tournament, 30)
    file = tmp_path / "votes.csv"
    file.write_text("".join(written(tournament.matches(), "csv")))
    copied = Tournament(NAMES)
    copied.add_results(file)
    assert copied.tally().is_like(tournament.tally())


def test_a_column_names_the_judge(tmp_path):
    file = tmp_path / "votes.csv"
    file.write_text("first,second,score,judge\nanna,bo,1,gpt\nbo,cy,0.5,\ncy,anna,0,gpt\n")
    tournament = Tournament(NAMES)
    tournament.add_results(file)
    assert [(row.judge, row.n_votes) for row in tournament.judges()] == [("gpt", 2)]


def test_blanks_around_a_name_are_not_part_of_it(tmp_path):
    tournament = Tournament(NAMES, seed=8)
    tournament.tell(tournament.ask(), 1.0, judge="  ann ")
    tournament.tell(tournament.ask(), 1.0, judge="ann", data={"judge": " ann"})
    tournament.tell(tournament.ask(), 1.0, data={"judge": "ann  "})
    file = tmp_path / "votes.jsonl"
    rows = [{"first": "anna", "second": "bo", "score": 1, "judge": name} for name in (" ann", "  ")]
    file.write_text("".join(json.dumps(row) + "\n" for row in rows))
    tournament.add_results(file)
    table = tmp_path / "votes.csv"
    table.write_text('first,second,score,Judge\nanna,bo,1,"ann "\n')
    tournament.add_results(table)
    assert [(row.judge, row.n_votes) for row in tournament.judges()] == [("ann", 5)]


@pytest.mark.parametrize("judge", ["two\nlines", "x" * 301, 3.5, True, ["gpt-4", "pair"]])
def test_a_file_with_an_invalid_judge_is_refused_by_line(tmp_path, judge):
    file = tmp_path / "votes.jsonl"
    rows = [{"first": "anna", "second": "bo", "score": 1, "judge": name} for name in ("gpt", judge)]
    file.write_text("".join(json.dumps(row) + "\n" for row in rows))
    tournament = Tournament(NAMES)
    with pytest.raises(InvalidInput, match=r"votes\.jsonl.*, line 2: a judge must be a text"):
        tournament.add_results(file)
    assert tournament.n_matches == 0


def test_votes_are_whole_numbers():
    tournament = Tournament(NAMES, seed=9)
    tournament.tell(tournament.ask(), 1 / 3, games=[1.0, 0.0, 0.0], judge="gpt")
    view = judge_list(tournament.judges(), None)
    assert view.document()["judges"][0]["n_votes"] == 1
    assert view.csv().splitlines()[1].startswith("gpt,1,")


def test_games_name_their_judge():
    tournament = Tournament(NAMES, games_per_match=2, seed=5)

    def play(first, second, seed):
        return {"score": float(first < second), "data": {"judge": "gpt"}}

    tournament.run(play, budget=6, confidence=None)
    assert [(row.judge, row.n_votes) for row in tournament.judges()] == [("gpt", 6)]


def test_the_judge_is_kept_in_the_data():
    tournament = Tournament(NAMES, seed=6)
    tournament.tell(tournament.ask(), 1.0, judge="gpt", data={"ms": 3})
    [match] = tournament.matches()
    assert json.loads(json.dumps(match.data)) == {"ms": 3, "judge": "gpt"}


@pytest.mark.parametrize("judge", ["", " ", "two\nlines", "x" * 301, 3.5])
def test_a_judge_must_be_a_name(judge):
    tournament = Tournament(NAMES, seed=7)
    with pytest.raises(InvalidInput, match="a judge must be a text"):
        tournament.tell(tournament.ask(), 1.0, judge=judge)


def test_two_judges_of_one_result_are_refused():
    tournament = Tournament(NAMES, seed=7)
    with pytest.raises(InvalidInput, match="data has the judge 'ann'"):
        tournament.tell(tournament.ask(), 1.0, judge="gpt", data={"judge": "ann"})


def test_without_judges_there_are_none():
    tournament = Tournament(NAMES, seed=8)
    tournament.tell(tournament.ask(), 1.0)
    assert tournament.judges() == []
    assert str(tournament.judges()) == "no result has a judge"


def test_judges_print_as_a_table():
    tournament = Tournament(["anna", "bo"], seed=7)
    tournament.tell(tournament.ask(), 1.0, judge="<gpt>")
    judges = tournament.judges()
    head, row = str(judges).splitlines()
    assert head.split()[:2] == ["judge", "votes"]
    assert row.split()[:2] == ["<gpt>", "1"]
    assert repr(judges) == "<Judges: 1 judge>"
    assert "&lt;gpt&gt;" in judges._repr_html_()
