"""Curves and matrices drawn with characters."""
