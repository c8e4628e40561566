"""Views: what is known about a tournament, as data that a terminal, a page or a program renders.

All of them are made from one `Belief`, so a finished log and a running tournament share them.
The names are loaded when first used.
"""

import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
