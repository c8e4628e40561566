"""The names and methods of schedulers, for those who must not wait for the schedulers to load."""

SCHEDULER_NAMES = (
    "top-two",
    "double-thompson",
    "ranking",
    "maxin",
    "maxinp",
    "rg-ucb",
    "dbgd",
    "alpha-ig",
    "random",
    "round-robin",
    "knockout",
    "swiss",
    "swiss-information",
    "information",
    "halving",
    "gauntlet",
)
METHODS = ("choose", "expect", "tell", "withdraw", "ratings")  # that a tournament calls
