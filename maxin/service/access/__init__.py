"""Who may do what: tokens and roles, and the guards and limits before every request."""
