"""The columns of a file of results: their names, their order and what their values mean."""

import json

import pytest

from maxin.core import InvalidInput
from maxin.tournament.results import read_results
from tests.helpers.results import result, save, triples


@pytest.mark.parametrize(
    "header",
    ["first,second,score", "a,b,score", "player_a,player_b,score", "Player 1,Player 2,Result",
     "player1,player2,score", "White,Black,Result", "model_a,model_b,score", "left,right,score"],
)  # fmt: skip
def test_columns_have_several_known_names(tmp_path, header):
    path = save(tmp_path, f"{header}\nanna,bo,1\nbo,cy,0.25\n")
    assert triples(path) == [("anna", "bo", 1.0), ("bo", "cy", 0.25)]


def test_columns_may_come_in_any_order(tmp_path):
    path = save(tmp_path, "id,result,black,white\n7,1-0,bo,anna\n")
    assert list(read_results(path)) == [result("anna", "bo", 1.0, 2)._replace(data={"id": "7"})]


@pytest.mark.parametrize(
    ("text", "score"),
    [("1-0", 1.0), ("0-1", 0.0), ("1/2-1/2", 0.5), ("½-½", 0.5), ("0.5-0.5", 0.5), ("1", 1.0),
     ("1e-1", 0.1), ("Draw", 0.5), ("1/2", 0.5), ("1–0", 1.0)],  # noqa: RUF001
)  # fmt: skip
def test_a_score_may_be_written_in_many_ways(tmp_path, text, score):
    assert triples(save(tmp_path, f"white,black,result\nanna,bo,{text}\n"))[0][2] == score
    assert triples(save(tmp_path, f"anna,bo,{text}\n"))[0][2] == score


@pytest.mark.parametrize(
    ("winner", "score"),
    [("model_a", 1.0), ("model_b", 0.0), ("tie", 0.5), ("tie (bothbad)", 0.5), ("both_bad", 0.5),
     ("A", 1.0), ("b", 0.0), ("gpt", 1.0), ("claude", 0.0), ("Model A", 1.0)],
)  # fmt: skip
def test_a_winner_may_be_named_by_seat_or_name(tmp_path, winner, score):
    text = f'question_id,model_a,model_b,winner,judge,turn\n1,gpt,claude,{winner},"x, y",1\n'
    assert triples(save(tmp_path, text)) == [("gpt", "claude", score)]
    row = {"model_a": "gpt", "model_b": "claude", "winner": winner, "conversation_a": [{}]}
    assert triples(save(tmp_path, json.dumps([row]), "log.json")) == [("gpt", "claude", score)]


def test_a_winners_word_that_is_also_a_name_is_not_guessed(tmp_path):
    fine = save(tmp_path, "a,b,winner\na,b,a\n")
    assert triples(fine) == [("a", "b", 1.0)]
    path = save(tmp_path, "a,b,winner\nb,a,a\n")
    with pytest.raises(InvalidInput, match="line 2: the winner 'a' is a player's name and"):
        list(read_results(path))
    path = save(tmp_path, "left,right,winner\ntie,anna,tie\n")
    with pytest.raises(InvalidInput, match="the winner 'tie' is a player's name"):
        list(read_results(path))


@pytest.mark.parametrize(
    ("flags", "score"),
    [("1,0,0", 1.0), ("0,1,0", 0.0), ("0,0,1", 0.5), ("False,True,False", 0.0), ("1.0,,", 1.0)],
)
def test_a_winner_may_have_a_column_for_each_end(tmp_path, flags, score):
    header = "id,model_a,model_b,prompt,winner_model_a,winner_model_b,winner_tie\n"
    path = save(tmp_path, f"{header}30192,gpt,claude,why?,{flags}\n")
    (row,) = read_results(path)
    assert (row.first, row.second, row.score) == ("gpt", "claude", score)
    assert row.data == {"id": "30192", "prompt": "why?"}


@pytest.mark.parametrize("flags", ["1,1,0", "0,0,0", "2,0,0", "yes,0,0"])
def test_one_end_must_be_right(tmp_path, flags):
    header = "model_a,model_b,winner_model_a,winner_model_b,winner_tie\n"
    with pytest.raises(InvalidInput, match=r"line 2: of the columns .* one must be 1 and"):
        list(read_results(save(tmp_path, f"{header}gpt,claude,{flags}\n")))


def test_other_columns_are_data(tmp_path):
    text = "question_id,model_a,model_b,winner,judge,language,tstamp\n81,x,y,tie,gpt-4,,16.5\n"
    (row,) = read_results(save(tmp_path, text))
    assert row.data == {"question_id": "81", "judge": "gpt-4", "tstamp": "16.5"}
    value = {"first": "x", "second": "y", "score": 0.5, "turns": [1, 2], "x": None, "y": "z" * 1001}
    path = save(tmp_path, json.dumps(value).replace("[1, 2]", "[1, NaN]"), "log.jsonl")
    (row,) = read_results(path)
    assert row.data == {"turns": [1, None]}


def test_a_column_that_holds_something_else_is_data_too(tmp_path):
    text = "first,second,score,games,data,time,seed\nx,y,0.5,12,none,May,-\n"
    (row,) = read_results(save(tmp_path, text))
    assert row.games is None
    assert row.data == {"games": "12", "data": "none", "time": "May", "seed": "-"}


@pytest.mark.parametrize(
    ("games", "message"),
    [("[1, 0]", "0.25 is not the mean of 1, 0"), ("[2, 0]", "games must be a list of .* got")],
)
def test_games_must_be_those_of_the_score(tmp_path, games, message):
    path = save(tmp_path, f'first,second,score,games\nx,y,0.25,"{games}"\n')
    with pytest.raises(InvalidInput, match=f"line 2: .*{message}"):
        list(read_results(path))


def test_an_unknown_winner_is_answered_with_the_words_as_files_spell_them(tmp_path):
    path = save(tmp_path, "model_a,model_b,winner\nx,y,z\n")
    known = r"'x', 'y', or one of model_a, model_b, a, b, tie, draw, tie \(bothbad\), both.*, 1, 2;"
    with pytest.raises(InvalidInput, match=known):
        triples(path)


@pytest.mark.parametrize(
    "header", ["winner,loser", "chosen,rejected", "chosen_model,rejected_model"]
)
def test_winners_and_losers_are_seated_by_the_line_and_not_by_the_result(tmp_path, header):
    rows = read_results(save(tmp_path, f"{header}\n" + "anna,bo\n" * 1000))
    scores = [1.0 if row.first == "anna" else 0.0 for row in rows]
    assert scores == [row.score for row in rows]
    assert 450 <= sum(scores) <= 550
    assert not rows.has_seats


def test_a_column_beside_winners_and_losers_may_say_that_nobody_won(tmp_path):
    path = save(tmp_path, "winner,loser,tie,score\nanna,bo,0,6-4 6-3\nanna,bo,true,\nbo,cy,,\n")
    rows = list(read_results(path))
    assert [max(row.score, 1.0 - row.score) for row in rows] == [1.0, 0.5, 1.0]
    assert rows[0].data == {"score": "6-4 6-3"}
    with pytest.raises(InvalidInput, match="says whether nobody won must be 1 or 0; got 'maybe'"):
        list(read_results(save(tmp_path, "winner,loser,draw\nanna,bo,maybe\n")))


@pytest.mark.parametrize("players", ["model_a,model_b", "white,black", "first,second", "a,b"])
def test_a_winner_may_be_the_number_of_a_seat(tmp_path, players):
    path = save(tmp_path, f"{players},winner\nanna,bo,1\nanna,bo,2.0\nanna,bo,tie\n")
    assert [score for *_, score in triples(path)] == [1.0, 0.0, 0.5]
    for value, score in ((1, 1.0), (2.0, 0.0)):  # a data frame turns 1 into 1.0 beside blanks
        row = dict(zip([*players.split(","), "winner"], ["anna", "bo", value], strict=True))
        assert next(iter(read_results([row]))).score == score


def test_players_whose_names_are_numbers_win_by_name(tmp_path):
    path = save(tmp_path, "a,b,winner\n0,1,0\n3,1,1\n")
    assert triples(path) == [("0", "1", 1.0), ("3", "1", 0.0)]


@pytest.mark.parametrize("row", ["3,4,1", "3,4,2", "anna,bo,0"])
@pytest.mark.parametrize("skip_invalid", [False, True])
def test_a_winner_that_may_mean_two_things_is_refused_even_if_rows_are_skipped(
    tmp_path, row, skip_invalid
):
    path = save(tmp_path, f"model_a,model_b,winner\n{row}\n")
    with pytest.raises(InvalidInput, match=r"line 2: the winner .* may be a seat, a player or a"):
        list(read_results(path, skip_invalid=skip_invalid))


MAPPED = "question,champion,challenger,preference,annotator,judge,id\n"


def test_columns_of_any_name_can_be_given_roles(tmp_path):
    text = MAPPED + "7,x,y,champion,ann,j,1\n8,y,x,left,bea,j,1\n9,x,y,2,bea,j,2\n"
    roles = {"first": "champion", "second": "challenger", "winner": "preference"}
    roles |= {"judge": "annotator", "id": "question"}
    rows = list(read_results(save(tmp_path, text), columns=roles))
    assert [row[1:4] for row in rows] == [("x", "y", 1.0), ("y", "x", 1.0), ("x", "y", 0.0)]
    assert rows[0].judge.name == "ann"
    assert rows[0].data == {"id": "7", "judge": "ann", "judge_": "j", "id_": "1"}
    values = [7, "x", "y", "tie", "ann", "j", 1]
    line = json.dumps(dict(zip(MAPPED.strip().split(","), values, strict=True)))
    path = save(tmp_path, line, "log.jsonl")
    assert [row.score for row in read_results(path, columns=roles)] == [0.5]


def test_winners_and_losers_can_be_given_roles(tmp_path):
    path = save(tmp_path, "white,black,score,best,worst,even\nq,r,1,anna,bo,0\nq,r,1,bo,cy,1\n")
    roles = {"winner": "best", "loser": "worst", "draw": "even"}
    rows = list(read_results(path, columns=roles))
    assert [{row.first, row.second} for row in rows] == [{"anna", "bo"}, {"bo", "cy"}]
    assert [abs(row.score - 0.5) for row in rows] == [0.5, 0.0]
    assert rows[0].data == {"white": "q", "black": "r", "score": "1"}


@pytest.mark.parametrize(
    ("roles", "message"),
    [
        ({"firstt": "x"}, "no role of a column named 'firstt'; did you mean 'first'"),
        ({"first": "modle_a"}, "no column named 'modle_a'; did you mean 'model_a'"),
        ({"first": 3}, "the column of 'first' must be a name; got 3"),
        ({"first": None}, "the column of 'first' must be a name; got None"),
        ({"first": "model_a", "second": "model_a"}, "must have one role; 'model_a' has two"),
    ],
)
def test_wrong_roles_are_named(tmp_path, roles, message):
    path = save(tmp_path, "model_a,model_b,winner\nx,y,tie\n")
    with pytest.raises(InvalidInput, match=message):
        list(read_results(path, columns=roles))


def test_columns_of_pgn_cannot_be_named(tmp_path):
    with pytest.raises(InvalidInput, match="PGN has tags and no columns"):
        read_results(save(tmp_path, "", "log.pgn"), columns={"first": "White"})
