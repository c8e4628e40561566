"""The store: an append-only record of players, matches, results and events.

`open_store` opens a URL: `sqlite:///league.db` or `postgresql://...`. The record is the truth;
ratings and schedules are derived from it. The names are
loaded when first used: what works without a store does not load the database library.
"""

import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
