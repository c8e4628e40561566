"""Ratings: models that predict matches, and learners that fit them to results.

- `Elo`, `MElo`: stateless models. `Online` and `BradleyTerry`: learners, which hold ratings and
  take results one at a time. `elo_loss`: what Elo ratings minimise.
- `fit_bradley_terry`: ratings and their uncertainty from a whole crosstable, or from `Pairs`.
- `Posterior`: ratings and pair effects with everything that is still uncertain about them.
- `Features`: what is known of players before any match, from which the posterior predicts them.
- `Tally`, `fit_seats`: results counted by seat, and ratings with a first-seat advantage.
- `best_odds`, `credible_set`, `lead_certainty`: who may be the best.
- `hodge_decomposition`: how much of a game is a ranking, and how much is cyclic.

The names are loaded when first used.
"""

import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
