"""Families of games made from rules, each unlike the others.

- `parity`: certain results, many ties and small cycles;
- `connect_four`: parametrised players of the board game, from simulated games;
- `spinning_top`: cycles among the middling players, and none at the top;
- `pig`: a game of dice, so lucky that good players are nearly even;
- `checkpoints`: the learning curve of one player, who chases its recent past.
"""
