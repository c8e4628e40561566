"""The tournament: matches are chosen, played, recorded and counted.

`Tournament` joins a scheduler, a runner and a store. The record in the store is the truth; the
state, the schedule and every view are derived from it. The names are loaded when first used.
"""

import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
