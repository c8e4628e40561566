"""The paper's algorithms: MaxIn-Elo, MaxIn-mElo, MaxInP, and its baselines."""
