"""Chess between UCI engines."""
