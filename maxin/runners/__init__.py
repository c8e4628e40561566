"""Runners play games: in threads, in worker processes, by a command, or between engines.

All follow the `Runner` protocol: `play` takes a `Job` and returns an `Outcome`, or raises
`MatchFailed` with the reason. Names are imported on first use, so that a worker process starts
quickly.
"""

import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
