"""The best checkpoint of a network, rated while it is still learning.

A small network learns connect four on a board of 5 x 5 by playing against itself. After every 300
games a checkpoint joins the tournament, with its training step as a feature, so it has a rating
before its first match: that of its neighbours. Then 10 matches are played, and all ratings go to
a file, as they would to a tracker of experiments. After the training the best is looked for.

Run `python examples/gallery/checkpoints.py`.
"""

import sys
from pathlib import Path

import numpy as np

import maxin

SIZE, HIDDEN, RATE = 5, 16, 0.0005  # of the board; of the network; of learning
CELLS = np.arange(SIZE * SIZE).reshape(SIZE, SIZE)  # the first row is the bottom of the board
BOXES = [CELLS[row : row + 4, column : column + 4] for row in (0, 1) for column in (0, 1)]
LINES = [line for box in BOXES for line in (*box, *box.T, box.diagonal(), box[::-1].diagonal())]
LINES = np.unique(LINES, axis=0)


def values(network, boards):  # what positions are worth to the player who moved, from -1 to 1
    lines = np.pad(boards[:, LINES], ((0, 0), (0, 0), (0, 1)), constant_values=1.0)
    active = np.tanh(lines @ network[0])  # the same weights for every line of four cells
    return np.tanh(active.sum(axis=1) @ network[1]), active, lines


def game(players, rng, noise):  # the positions, as who moved sees them, and the first's score
    board, seen = np.zeros(SIZE * SIZE), []
    for ply in range(SIZE * SIZE):
        heights = np.count_nonzero(board[CELLS], axis=0)
        columns = np.flatnonzero(heights < SIZE)
        boards = np.tile(board, (len(columns), 1))
        boards[range(len(columns)), CELLS[heights[columns], columns]] = 1.0
        best = values(players[ply % 2], boards)[0].argmax()
        seen.append(boards[rng.integers(len(boards)) if rng.random() < noise else best])
        if (seen[-1][LINES] == 1.0).all(axis=1).any():
            return np.array(seen), 1.0 - ply % 2
        board = -seen[-1]
    return np.array(seen), 0.5


def learn(network, rng, n_games):  # the value of every position moves towards the result
    hidden, out = network
    for _ in range(n_games):
        boards, score = game([(hidden, out)] * 2, rng, noise=0.5)
        found, active, lines = values((hidden, out), boards)
        errors = (2.0 * score - 1.0) * (-1.0) ** np.arange(len(boards)) - found
        slope = RATE * errors * (1.0 - found**2)
        change = np.einsum("b,blh,blc->ch", slope, out * (1.0 - active**2), lines)
        hidden, out = hidden + change, out + slope @ active.sum(axis=1)
    return hidden, out


def main(most=None):
    rng, networks, tournament = np.random.default_rng(1), {}, None
    network = rng.normal(0.0, 0.5, (5, HIDDEN)), rng.normal(0.0, 0.1, HIDDEN)
    steps = range(0, 7500 if most is None else 25, 300 if most is None else 1)

    def play(first, second, seed):
        return game([networks[first], networks[second]], np.random.default_rng(seed), noise=0.1)[1]

    for step in steps:
        networks[f"step-{step}"] = network
        new = [maxin.Entrant(f"step-{step}", {"step": step}) for step in steps[: len(networks)]]
        network = learn(network, rng, steps.step)
        if len(new) == 4:
            tournament = maxin.Tournament(new, "checkpoints.db", features=["step"], seed=1)
        elif tournament:
            tournament.add(new[-1])
            tournament.run(play, budget=min(most or 10 * len(new), 10 * len(new)), confidence=None)
            Path(f"ratings-{step}.csv").write_text(tournament.leaderboard().to_csv())
    print(tournament.run(play, budget=most, tolerance=30))


if __name__ == "__main__":
    main(*map(int, sys.argv[1:]))
