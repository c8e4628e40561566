"""The worker: plays the matches of a source, a tournament in this process, or a service.

A source (`MatchSource`) hands out matches and takes their results; a `Worker` plays them, and its
events tell what happens. The names are loaded when first used.
"""

import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
