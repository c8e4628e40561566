"""A real tournament: the strongest of several Stockfish settings is found in few games."""

import shutil

import pytest

from maxin.core import Entrant
from maxin.runners import Uci
from maxin.simulation.planning import plan_again
from maxin.tournament import Tournament

pytest.importorskip("chess", reason="python-chess is not installed")

STOCKFISH = shutil.which("stockfish") or shutil.which("/usr/games/stockfish")
FEW = [1, 4, 16, 64, 250, 1000]
MANY = [1, 2, 5, 10, 22, 48, 105, 230, 500, 1080, 2320, 5000]


@pytest.mark.skipif(STOCKFISH is None, reason="Stockfish is not installed")
@pytest.mark.parametrize("settings", [FEW, pytest.param(MANY, marks=pytest.mark.slow)], ids=len)
def test_the_strongest_setting_is_found(settings, record_property):
    engines = [
        Entrant(f"{nodes} nodes", {"command": STOCKFISH, "nodes": nodes, "options": {"Hash": 1}})
        for nodes in settings
    ]
    runner = Uci()
    try:
        with Tournament(engines, seed=1) as tournament:
            report = tournament.run(runner, budget=600, workers=2)
            ratings = [row.rating / 173.7178 for row in tournament.leaderboard()]
    finally:
        runner.close()
    forecast = plan_again(ratings, n_tournaments=10).forecasts[1]
    record_property(
        "note",
        f"{report.top.players[0]} is the best of {len(settings)} with {report.top.confidence:.1%} "
        f"after {report.n_matches} games; a round robin takes {forecast.n_matches(0.5):.0f} games "
        "for the same certainty",
    )
    assert report.reason == "decided"
    assert report.top.players == (engines[-1].name,)
    assert report.n_matches < forecast.n_matches(0.5)
