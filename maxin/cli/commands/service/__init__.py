"""Commands of a tournament on the network."""
