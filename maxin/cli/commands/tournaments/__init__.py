"""Commands for a tournament that maxin plays."""
