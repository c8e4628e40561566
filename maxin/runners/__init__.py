"""Runners: how games get played.

All keep the same promise, `Runner`: a `Job` in, an `Outcome` out, or `MatchFailed` saying why.
The names are loaded when first used, so that a worker process starts quickly.
"""

import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
