"""Tournaments that a service offers over HTTP."""
