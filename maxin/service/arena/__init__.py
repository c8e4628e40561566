"""What people compare: items with an output per player, the pairs shown, and the voters."""
