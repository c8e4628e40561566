"""The names of the schedulers, for help pages, which must not wait for the schedulers to load."""

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
