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
    known = (
        r"'x', 'y', or one of model_a, model_b, a, b, tie, draw, tie \(bothbad\), bothbad; got 'z'"
    )
    with pytest.raises(InvalidInput, match=known):
        triples(path)
