"""Schedulers: which two players should meet next?

All schedulers have the interface `Scheduler`: `ask` for a match, `tell` its result, `withdraw` a
match that will not be played, and read the `ratings`. The schedulers in `posterior` are the ones
to use; those in `paper` are the paper's algorithms, and `paper/maxin.py` is the place to start.
Those in `practice` are schedules that practitioners use.

The names are loaded when first used.
"""

import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
