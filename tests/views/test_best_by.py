"""The meanings of "best" are told apart when they disagree, and only then."""

import numpy as np
import pytest

from maxin.core import InvalidInput
from maxin.ratings import Tally
from maxin.tournament import Tournament
from maxin.views import Belief, BestBy

NAMES = ["rock", "paper", "scissors", "sponge"]


def tally_of(chances, times=60):
    """Play every pair `times` times; a row has the chances against the players after it."""
    tally = Tally(len(chances) + 1)
    rng = np.random.default_rng(0)
    for i, row in enumerate(chances):
        for j, chance in enumerate(row, start=i + 1):
            scores = (rng.random(times) < chance).astype(float)
            tally.add_many([i] * times, [j] * times, scores)
    return tally


def test_on_a_ladder_the_meanings_agree():
    chances = [[0.7, 0.8, 0.9], [0.7, 0.8], [0.7]]
    found = BestBy.of(Belief(NAMES, tally_of(chances)))
    assert found.field == found.condorcet == "rock"
    assert found.disagreement is None
    assert next(iter(found.nash)) == next(iter(found.alpha_rank)) == "rock"


def test_cyclic_strength_is_mentioned():
    # Rock beats scissors, paper beats rock, scissors beat paper; the sponge loses most to rock.
    chances = [[0.1, 0.9, 0.99], [0.1, 0.6], [0.6]]
    found = BestBy.of(Belief(NAMES, tally_of(chances)))
    assert found.condorcet is None
    assert found.nemesis is not None
    assert "nobody beats everyone" in found.disagreement
    assert found.disagreement.startswith("rock does best against the field, but loses to paper")


def test_a_player_who_beats_everyone_but_is_not_best_against_the_field_is_named():
    # Paper beats everyone by a little, rock everyone else by a lot.
    chances = [[0.2, 0.97, 0.97], [0.6, 0.6], [0.5]]
    found = BestBy.of(Belief(NAMES, tally_of(chances, times=200)))
    assert (found.field, found.condorcet) == ("rock", "paper")
    assert "paper beats everyone, including rock" in found.disagreement


def test_before_the_first_match_nothing_is_said_to_be_cyclic():
    found = Tournament(NAMES).best_by()
    assert repr(found) == "<BestBy: no match has been played>"
    assert str(found).endswith("no match has been played")


def test_few_matches_show_no_disagreement():
    tournament = Tournament(NAMES)
    for _ in range(6):
        ticket = tournament.ask()
        tournament.tell(ticket, ticket.seed % 2)
    assert tournament.best_by().disagreement is None


def test_without_a_match_nobody_is_called_the_best():
    found = Tournament(NAMES).best_by()
    assert found.sentence == "no match has been played"
    assert str(found).endswith("no match has been played")


def test_the_table_of_many_says_who_is_compared():
    tally = Tally(203)
    tally.add_many([0, 1], [1, 2], [1.0, 1.0])
    text = str(BestBy.of(Belief([f"p{n}" for n in range(203)], tally)))
    assert "compared: the 200 rated highest of 203 players" in text


def test_retired_players_are_not_the_best_by_any_meaning():
    chances = [[0.9, 0.9, 0.9], [0.7, 0.8], [0.7]]
    found = BestBy.of(Belief(NAMES, tally_of(chances), {"rock": "retired"}))
    assert found.field == found.condorcet == "paper"
    assert "rock" not in [*found.nash, *found.alpha_rank]


@pytest.mark.parametrize("n_players", [0, 1, 3])
def test_fewer_than_two_players_in_play_are_refused(n_players):
    retired = dict.fromkeys(NAMES[1:n_players], "retired")
    n_playing = n_players - len(retired)
    with pytest.raises(InvalidInput, match=f"two players who are not retired; .* {n_playing}"):
        BestBy.of(Belief(NAMES[:n_players], Tally(n_players), retired))


def test_of_very_many_players_only_the_best_are_compared(monkeypatch):
    monkeypatch.setattr("maxin.views.best_by.MOST", 3)
    tally = Tally(6)
    tally.add_many([0, 1, 2, 0, 0] * 20, [1, 2, 0, 3, 4] * 20, [1.0, 1.0, 1.0, 1.0, 1.0] * 20)
    found = BestBy.of(Belief(list("abcdef"), tally))
    assert set(found.nash) | set(found.alpha_rank) <= set("abcf")
    assert found.field == "a"


CYCLE = [[0.1, 0.9, 0.99], [0.1, 0.6], [0.6]]  # rock, paper, scissors, and a sponge


def test_the_table_has_every_weight():
    found = BestBy.of(Belief(NAMES, tally_of(CYCLE)))
    assert [row.player for row in found.meanings] == ["rock", "scissors", "paper", "sponge"]
    assert [row.beats for row in found.meanings] == [2, 2, 2, 0]
    for mixture in (found.nash, found.alpha_rank):
        assert len(mixture) == 4
        assert sum(mixture.values()) == pytest.approx(1.0)
        assert list(mixture.values()) == sorted(mixture.values(), reverse=True)
    assert {row.player: row.nash for row in found.meanings} == dict(found.nash)
    assert {row.player: row.alpha_rank for row in found.meanings} == dict(found.alpha_rank)


def test_it_prints_as_a_table_with_the_finding():
    found = BestBy.of(Belief(NAMES, tally_of(CYCLE)))
    head, *lines = str(found).splitlines()
    assert head.split() == ["player", "rating", "±", "beats", "Nash", "alpha-rank"]
    assert lines[0].split()[0] == "rock"
    assert lines[0].endswith("33.3 %")
    assert lines[3].split()[-5:] == ["0", "0.0", "%", "0.0", "%"]
    assert lines[-1] == found.disagreement
    assert "strength is cyclic, and the best mixture is rock 38 %, scissors 37 %" in lines[-1]
    assert found._repr_html_().endswith(f"<p>{found.disagreement}</p>")
    assert repr(found) == f"<BestBy: {found.disagreement}>"


@pytest.mark.parametrize(
    ("chances", "times", "said"),
    [
        ([[0.7, 0.8, 0.9], [0.7, 0.8], [0.7]], 60, "and by these results beats everyone"),
        (CYCLE, 8, "strength may be cyclic, with the mixture rock"),
    ],
)
def test_a_finding_that_is_not_certain_is_not_claimed(chances, times, said):
    found = BestBy.of(Belief(NAMES, tally_of(chances, times=times)))
    assert found.disagreement is None
    assert said in found.sentence
    assert ("nobody is known to beat" in found.sentence) == (found.condorcet is None)


def test_print_of_a_tournament_and_a_run_says_that_strength_is_cyclic():
    tournament = Tournament(NAMES)
    rng = np.random.default_rng(0)
    for i, row in enumerate(CYCLE):
        for j, chance in enumerate(row, start=i + 1):
            scores = (rng.random(60) < chance).astype(float).tolist()
            tournament.add_results([(NAMES[i], NAMES[j], score) for score in scores])
    report = tournament.run(lambda first, second, seed: 0.5, budget=1)
    for shown in (str(tournament.overview()), str(report), report._repr_html_()):
        assert "strength is cyclic, and the best mixture is rock 38 %" in shown
