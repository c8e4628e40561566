"""The loop that plays matches until there is a reason to stop."""
