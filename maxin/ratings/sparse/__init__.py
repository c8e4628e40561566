"""The posterior of very many players: means and variances on the sparse graph of matches.

- `sparse_posterior`: the class `SparsePosterior`.
- `sparse_state`: its state, how it grows, and how it is stored.
- `field_fit`: the class `FieldFit`, the fit of all results at once.
- `contenders`: the exact posterior of a few players, given all results of the others.
"""
