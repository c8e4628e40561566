"""The best of very many players: a sieve, then the exact posterior of those who are left.

- `sieve_top_two`: the class `SieveTopTwo`, which is `top-two` above 2,000 players.
- `screening`: which matches to play while most players may still be the best.
- `contender_stage`: the exact posterior of the contenders, and a share of matches for outsiders.
"""
