"""Schedules that practitioners use, all rated by the same posterior.

- `Swiss` pairs players of equal score, round by round;
- `Information` plays a tree of the most informative matches per batch;
- `SwissInformation` pairs everyone in each round, so that the round is informative;
- `Halving` drops the weaker half again and again;
- `Gauntlet` has one player, or a few, meet all others.
"""
