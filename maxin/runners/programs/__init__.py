"""Start the programs of a match, watch them, and make sure that none outlives this process."""
