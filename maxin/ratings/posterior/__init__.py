"""The posterior: ratings and pair effects, with everything still uncertain about them.

- `posterior`: the class `Posterior`; `pending`: the same with pending matches counted.
- `state`, `state_kernels`: its state as arrays, and the list of the pairs that met.
- `posterior_kernels`, `pending_kernels`: learning from a match, and Newton steps.
- `advantage_kernels`, `draw_kernels`: what it predicts of a match, and draws of the strengths.
- `scale_kernels`: the spreads and the dispersion, which are learnt.
- `fitting`, `field_kernels`, `relaxation_kernels`, `mixing_kernels`: the way to the fixed point.
"""
