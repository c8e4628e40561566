"""What to run: flags, the config file, players, and how matches are played."""
