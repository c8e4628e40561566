"""Features of players: what is known of them before any match, as a prior of their ratings.

- `table`: the class `Features`, numbers and categories of every player.
- `similarities`: how alike two players are by their features.
- `prior`: the class `FeaturePrior`, the prior correlation of ratings, learnt by evidence.
- `shared`: what features alone say about ratings, a curve over a number.
- `linear_elo`: ratings that are linear in features, for `maxin`.
"""
