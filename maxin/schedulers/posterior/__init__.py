"""Our schedulers choose matches from a posterior: nothing to tune, and it says when to stop.

- `TopTwo` finds the best, or the k best;
- `DoubleThompson` plays few matches between weak players, for the least regret;
- `Ranking` finds the order of all players.

`maxin.kernels.information` rates how informative a match is.
"""
