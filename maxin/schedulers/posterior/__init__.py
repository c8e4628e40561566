"""Schedulers on the posterior: nothing to tune, and a belief that says when to stop."""
