"""The posterior: ratings and pair effects, with everything still uncertain about them.

- `posterior`: the class `Posterior`.
- `advantage_kernels`: its state as arrays, and what it predicts of a match.
- `scale_kernels`: the spreads and the dispersion, which are learnt.
- `posterior_kernels`: learning from a match, and the fixed point.
- `group_kernels`: players who are connected by matches.
"""
