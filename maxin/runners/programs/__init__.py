"""Programs that are started for a match, watched, and never outlive this process."""
