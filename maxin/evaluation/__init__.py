"""Measures of runs and of games: pure functions that neither play, print nor draw random numbers.

- `metrics`: regret, reciprocal rank, NDCG and hit ratio (paper, Sec. Metrics);
- `components`: sink components and cycles of the graph of wins (paper, Table 2);
- `alpha_rank`, `nash`: two ways to rate players in games with cycles;
- `stopping_rule`: `top_verdict` and `order_verdict`, whether a posterior is certain enough to stop;
- `sprt`: the sequential test of two players;
- `stop_checks`: when a check of the stop rule is worth its cost;
- `outlook`: `matches_left`, about how many matches a decision still needs.

The names are loaded when first used.
"""

import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
