"""Results from elsewhere: read, rated, imported, and written for other tools.

`read_results` reads data frames, lists, and files in CSV, TSV, JSON, JSON lines, Parquet and PGN;
`rank` rates them; `written` writes files, also in Markdown.
"""

import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
