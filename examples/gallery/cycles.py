"""The best of 12 rock-paper-scissors bots, by four meanings of the word.

OpenSpiel has the bots of the first RoShamBo programming competition. A match has 1,000 throws, and
the score is a bot's share of the decided ones and half of the ties. Who exploits the weak is best
against the field: that is the rating. It may still lose to a bot that beats everyone by a little
(Condorcet), which opponents who choose too would meet (Nash), and which takes over from other
leaders (alpha-rank). One run answers all four.

Run `python examples/gallery/cycles.py`. It needs the extra `open-spiel`.
"""

import sys

import pyspiel

import maxin

THROWS = 1000
GAME = pyspiel.load_game(f"repeated_game(stage_game=matrix_rps(),num_repetitions={THROWS})")


BOTS = "antiflatbot antirotnbot copybot debruijn81 flatbot3 freqbot2 granite halbot multibot"
BOTS = [*BOTS.split(), "r226bot", "robertot", "rockbot"]


def play(first, second, seed):
    bots = [pyspiel.make_roshambo_bot(seat, name) for seat, name in enumerate((first, second))]
    lead, _ = pyspiel.evaluate_bots(GAME.new_initial_state(), bots, seed)
    return 0.5 + lead / (2 * THROWS)


def print_shares(title, shares):
    parts = [f"{name} {share:.0%}" for name, share in shares.items() if share >= 0.01]
    print(f"{title}: {', '.join(parts)}")


if __name__ == "__main__":
    tournament = maxin.Tournament(BOTS, "cycles.db", seed=1)
    print(tournament.run(play, budget=int(sys.argv[1]) if sys.argv[1:] else None, tolerance=20))
    best = tournament.best_by()
    print("best against the field:", best.field)
    print("beats every other bot more often than not:", best.condorcet)
    print_shares("Nash mixture", best.nash)
    print_shares("alpha-rank", best.alpha_rank)
