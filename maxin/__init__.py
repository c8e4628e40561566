"""maxin: find the best player in the fewest matches.

The names below are loaded when first used, so `import maxin` itself costs next to nothing.
"""

import pkgutil

import lazy_loader

# In the folder of a clone, Python finds this package first: the kernels are in the installed one.
__path__ = pkgutil.extend_path(__path__, __name__)
__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
