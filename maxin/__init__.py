"""maxin: find the best player in the fewest matches.

The names below are loaded when first used, so `import maxin` itself costs next to nothing.
"""

import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
