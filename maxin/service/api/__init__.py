"""The API under /api/v1: one table of routes, from which the app and its description are made."""
