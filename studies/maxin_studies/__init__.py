"""Studies of maxin: the benchmark of schedulers, and the reproduction of the paper.

The names below are loaded when first used.
"""

import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
