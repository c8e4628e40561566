"""The paper's schedulers: MaxIn on Elo or mElo ratings, MaxInP, and the baselines they beat.

- `MaxIn`, `MaxInP` match the least compared pair of candidates;
- `RGUCB`, `DBGD`, `AlphaIG` are the paper's baselines, besides `Random`;
- `widths` measures how little a pair has been compared.
"""
