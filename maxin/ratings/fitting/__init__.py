"""How Bradley-Terry ratings are fitted: Newton's method on the pairs that met.

- `logs`: checks a log, three columns of players and scores.
- `pairs`: results counted by pair; only pairs that met take space.
- `curvature`: solves with the Hessian, by conjugate gradients or a dense factor.
- `newton`: the log-posterior's slope, its maximum, and the `Fit` found there.
- `features`: the prior of players whose features are known.
"""
