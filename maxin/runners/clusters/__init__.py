"""Play matches elsewhere: on any executor of `concurrent.futures`, or on a Ray cluster."""
