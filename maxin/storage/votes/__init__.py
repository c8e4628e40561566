"""What people vote on, as it is stored: items with their outputs, and the pairs of voters."""
