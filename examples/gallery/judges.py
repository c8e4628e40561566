"""The best of 12 spelling correctors, by a panel of six judges, four of them with faults.

The correctors answer first, and their answers are recorded. A match takes a misspelt word that two
correctors answered differently, and asks one judge which answer is better. The judges are
simulated, so their faults are known: one is hasty, one likes what it reads first, one flips coins,
one is contrary. maxin knows who judged, not how well. The last table is what it found out.

Run `python examples/gallery/judges.py`.
"""

import json
import random
import re
import sys
from collections import Counter
from difflib import SequenceMatcher
from itertools import pairwise
from pathlib import Path
from pydoc_data.topics import topics

import maxin

COUNTS = Counter(re.findall(r"[a-z]{6,}", " ".join(topics.values()).lower()))
WORDS = sorted(word for word in COUNTS if COUNTS[word] >= 3)
N_QUESTIONS = 150


def pairs(word):
    return Counter(map("".join, pairwise(word)))


def begins(one, other):
    return sum(one[:size] == other[:size] for size in range(1, 1 + len(other)))


MEASURES = {  # of how alike two words of about the same length are
    "parts": lambda a, b: SequenceMatcher(None, a, b).ratio(),
    "letters": lambda a, b: (Counter(a) & Counter(b)).total() / len(b),
    "pairs": lambda a, b: (pairs(a) & pairs(b)).total() / len(b),
    "places": lambda a, b: sum(map(str.__eq__, a, b)) / len(b),
    "beginning": lambda a, b: begins(a, b) / len(b),
    "both-ends": lambda a, b: (begins(a, b) + begins(a[::-1], b[::-1])) / len(b),
}
PLAYERS = [f"{name}{bonus}" for name in MEASURES for bonus in ("", "-frequent")]
JUDGES = {"careful-1": 0.95, "careful-2": 0.9, "hasty": 0.7, "first": 0.9, "coin": 0.5}
JUDGES["contrary"] = 0.1  # how often each is right


def answers(rng):  # to words with three letters changed
    for right in rng.sample(WORDS, N_QUESTIONS):
        asked = list(right)
        for place in rng.sample(range(len(right)), 3):
            asked[place] = rng.choice(["", asked[place] * 2, rng.choice("aeinorst")])
        near = [word for word in WORDS if abs(len(word) - len(right)) <= 1]
        found = {"right": right, "asked": "".join(asked)}
        for name, measure in MEASURES.items():
            alike = {word: measure(found["asked"], word) for word in near}
            found[name] = max(near, key=alike.get)
            bonus = {word: alike[word] + 0.0002 * min(COUNTS[word], 300) for word in near}
            found[f"{name}-frequent"] = max(near, key=bonus.get)
        yield found


if __name__ == "__main__":
    recorded = Path("answers.jsonl")
    recorded.write_text("".join(json.dumps(row) + "\n" for row in answers(random.Random(1))))
    questions = [json.loads(line) for line in recorded.read_text().splitlines()]

    def judged(first, second, seed):
        rng, judge = random.Random(seed), [*JUDGES][seed % len(JUDGES)]
        row = rng.choice([row for row in questions if row[first] != row[second]])
        one, two = (MEASURES["parts"](row["right"], row[name]) for name in (first, second))
        score = 0.5 if one == two else float((one > two) == (rng.random() < JUDGES[judge]))
        is_blind = judge == "first" and rng.random() < 0.5
        return {"score": 1.0 if is_blind else score, "data": {"judge": judge, **row}}

    tournament = maxin.Tournament(PLAYERS, "sqlite:///judges.db", seed=1)
    most = int(sys.argv[1]) if sys.argv[1:] else None
    print(tournament.run(judged, budget=most, tolerance=30))
    print(tournament.judges())
