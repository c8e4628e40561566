"""Play chess between UCI engines."""
