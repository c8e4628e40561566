"""Measures of runs and of games, as pure functions: nothing here plays, prints or draws lots.

- `metrics`: regret, reciprocal rank, NDCG and hit ratio (paper, Sec. Metrics);
- `components`: sink components of the graph of wins (Table 2);
- `alpha_rank`, `nash`: two ways to rate players of games with cycles;
- `verdict` and `order_verdict`: whether a posterior is sure enough to stop;
- `theory`: the constants and bounds of the regret analysis.
"""

from maxin.evaluation.alpha_rank import alpha_rank, stationary_distribution
from maxin.evaluation.components import sink_components, sink_players
from maxin.evaluation.metrics import (
    hit_ratio,
    ndcg,
    ordered_share,
    rank_of_best,
    reciprocal_rank,
    regret,
)
from maxin.evaluation.nash import NashAverage, nash_average
from maxin.evaluation.stopping_rule import Verdict, order_verdict, verdict
from maxin.evaluation.theory import (
    Lemma1,
    algebraic_connectivity,
    batch_size,
    curvature,
    exploration,
    g1,
    g2,
    lemma1,
    lemma1_bound,
    regret_bound,
)

__all__ = [
    "Lemma1",
    "NashAverage",
    "Verdict",
    "algebraic_connectivity",
    "alpha_rank",
    "batch_size",
    "curvature",
    "exploration",
    "g1",
    "g2",
    "hit_ratio",
    "lemma1",
    "lemma1_bound",
    "nash_average",
    "ndcg",
    "order_verdict",
    "ordered_share",
    "rank_of_best",
    "reciprocal_rank",
    "regret",
    "regret_bound",
    "sink_components",
    "sink_players",
    "stationary_distribution",
    "verdict",
]
