"""Access: tokens and roles, and the guards and limits before every request."""
