"""The best of 27 policies for Leduc poker, in a PettingZoo environment.

Leduc is poker with six cards and two rounds. A policy has three numbers: how good a hand must be
for it to call, how good for it to raise, and how often it bluffs. A match has 100 hands, and who
has won more chips at the end wins it. Cards are luck, so a match between equals says little.

Run `python examples/gallery/policies.py`. It needs `pip install 'pettingzoo[classic]'`.
"""

import sys
from itertools import product

import numpy as np
from pettingzoo.classic import leduc_holdem_v4

import maxin

HANDS = 100
CALL, RAISE, FOLD, CHECK = range(4)
NUMBERS = product((0.0, 0.3, 0.6), (0.5, 0.8, 1.1), (0.0, 0.15, 0.3))
POLICIES = {f"call{c:g}-raise{r:g}-bluff{b:g}": (c, r, b) for c, r, b in NUMBERS}


def strength(seen):
    """How good a hand is: the rank of the card, from 0 to 0.6, and 1 for a pair."""
    card, table = np.argmax(seen[:3]), seen[3:6]
    return 1.0 if table[card] else 0.3 * card


def action(policy, seen, allowed, rng):
    """Raise with a good hand or a bluff, call with a fair one, and otherwise check or fold."""
    call, bet, bluff = policy
    hand = strength(seen)
    wanted = [CHECK, FOLD]
    if hand >= call:
        wanted = [CALL, *wanted]
    if hand >= bet or rng.random() < bluff:
        wanted = [RAISE, CALL, *wanted]
    return next(choice for choice in [*wanted, CALL] if allowed[choice])


def play(first, second, seed):
    rng, environment, chips = np.random.default_rng(seed), leduc_holdem_v4.env(), 0.0
    for hand in range(HANDS):
        environment.reset(seed=seed + hand)
        seats = dict(zip(environment.agents, (first, second)[:: 1 - 2 * (hand % 2)], strict=True))
        for agent in environment.agent_iter():
            seen, reward, is_over, _, _ = environment.last()
            if is_over:
                chips += reward * (seats[agent] == first)
                environment.step(None)
                continue
            policy = POLICIES[seats[agent]]
            environment.step(action(policy, seen["observation"], seen["action_mask"], rng))
    return {"score": 0.5 + np.sign(chips) / 2, "data": {"chips": chips}}


if __name__ == "__main__":
    tournament = maxin.Tournament(POLICIES, "sqlite:///policies.db", seed=1)
    most = int(sys.argv[1]) if sys.argv[1:] else None
    print(tournament.run(play, budget=most, tolerance=30))
