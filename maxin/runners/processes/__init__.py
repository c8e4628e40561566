"""Play matches by calling a Python function in worker processes."""
