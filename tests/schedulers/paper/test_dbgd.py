import numpy as np

from maxin.core import Match, Result
from maxin.ratings import BradleyTerry
from maxin.schedulers import DBGD


def rng(seed=0):
    return np.random.default_rng(seed)


def test_the_champion_survives_draws_and_gives_way_when_beaten():
    scheduler = DBGD(BradleyTerry(5), rng=rng())
    champion = scheduler.champion
    match = scheduler.ask()
    assert match.first == champion
    scheduler.tell(Result(match, 0.5))
    assert scheduler.champion == champion
    scheduler.tell(Result(Match((champion + 1) % 5, champion), 1.0))
    assert scheduler.champion == (champion + 1) % 5
    scheduler.tell(Result(Match(champion, (champion + 2) % 5), 0.0))  # not the champion's match
    assert scheduler.champion == (champion + 1) % 5


def test_opponents_are_uniform_among_the_others():
    scheduler = DBGD(BradleyTerry(4), rng=rng())
    counts = np.zeros(4)
    for _ in range(3000):
        match = scheduler.ask()
        counts[match.second] += 1
        scheduler.tell(Result(match, 1.0))
    assert counts[scheduler.champion] == 0
    others = np.delete(counts, scheduler.champion)
    assert (np.abs(others - 1000) < 5 * np.sqrt(1000)).all()
