"""The posterior: ratings and pair effects, with everything still uncertain about them.

- `posterior`: the class `Posterior`; `pending`: the same with pending matches counted.
- `state`: how its state is made, grown, stored and restored.
- `fitting`: the way to the fixed point.
"""
