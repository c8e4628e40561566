"""Views of the record itself: how a run ends, what matches cost, and what failed."""
