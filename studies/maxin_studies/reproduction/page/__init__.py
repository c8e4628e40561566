"""The page of the reproduction: one screen, then the figures with their statements, then theory."""
