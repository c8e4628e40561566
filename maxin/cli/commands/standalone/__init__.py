"""Commands that need no tournament: ratings of a log, games, simulations, plug-ins."""
