"""Views as HTML: the report of a tournament is one page that needs nothing else.

Names are imported on first use: a tournament that writes no page does not load the templates.
"""

import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
