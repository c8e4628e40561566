"""Commands for a tournament whose matches are played elsewhere."""
