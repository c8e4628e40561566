"""Units of strength: nats inside the package, Elo points wherever people read them."""

from __future__ import annotations

import math

ELO_PER_NAT = 400.0 / math.log(10.0)  # one nat, odds of e to 1, is 174 Elo points
TOLERANCE = 10.0  # Elo points by which the players named may miss the best, by default
MOST_TOLERANCE = 1_000.0  # with more, almost any two players are level
