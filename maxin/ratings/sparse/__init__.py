"""The posterior of very many players: means and variances on the sparse graph of matches.

- `sparse_posterior`: the class `SparsePosterior`.
- `sparse_state`: its state, how it grows, and how it is stored.
- `queue_kernels`: local steps towards the fixed point, from a queue of players.
- `doubt_kernels`: how likely a player is to be better than the leaders.
- `field_fit`: the class `FieldFit`, the fit of all results at once.
- `contenders`: the exact posterior of a few players, given all results of the others.
"""
