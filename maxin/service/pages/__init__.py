"""The pages of the service: live standings, players, matches and the report."""
