"""Matches of several games."""

from maxin.core import Entrant
from maxin.runners import Outcome
from maxin.tournament import Tournament


class Watched:
    """A runner that keeps its jobs; White always wins."""

    def __init__(self):
        self.jobs = []

    def check(self, entrants):
        pass

    def play(self, job):
        self.jobs.append(job)
        return Outcome(1.0, data={"number": len(self.jobs)})

    def kill(self):
        pass

    def close(self):
        pass


def test_games_are_played_in_pairs_with_swapped_seats():
    runner = Watched()
    with Tournament(["anna", "bo"], games_per_match=4) as tournament:
        tournament.run(runner, budget=2, confidence=None)
        played = list(tournament.matches())
    assert [match.games for match in played] == [(1.0, 0.0, 1.0, 0.0)] * 2
    assert [match.score for match in played] == [0.5, 0.5]
    assert played[0].data == {"games": [{"number": number} for number in (1, 2, 3, 4)]}
    firsts = [job.first.name for job in runner.jobs]
    assert firsts[0] == firsts[2] != firsts[1] == firsts[3]
    assert [job.number for job in runner.jobs] == [1] * 4 + [2] * 4
    assert [job.pair for job in runner.jobs] == [1, 1, 2, 2, 3, 3, 4, 4]
    seeds = [job.seed for job in runner.jobs]
    assert seeds[::2] == seeds[1::2]  # both games of a pair start alike
    assert len(set(seeds)) == 4  # every pair has its own
    assert seeds[0] == played[0].seed


def test_single_games_have_a_pair_each():
    runner = Watched()
    with Tournament([Entrant("anna"), Entrant("bo")]) as tournament:
        tournament.run(runner, budget=3, confidence=None)
    assert [job.pair for job in runner.jobs] == [1, 2, 3]
