"""Games of OpenSpiel between its bots."""
