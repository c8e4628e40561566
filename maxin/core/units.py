"""The units of strength: nats inside the package, Elo points wherever a person reads."""

from __future__ import annotations

import math

ELO_PER_NAT = 400.0 / math.log(10.0)  # 174 Elo points: odds of e to 1
