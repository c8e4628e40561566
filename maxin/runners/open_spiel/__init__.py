"""Play OpenSpiel games between its bots."""
