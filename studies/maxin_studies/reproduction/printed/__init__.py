"""The printed curves: the authors' scripts, and what explains the difference from the text."""
