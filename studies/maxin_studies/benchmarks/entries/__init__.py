"""The leaderboard: a frozen set of tournaments that any scheduler may enter."""
