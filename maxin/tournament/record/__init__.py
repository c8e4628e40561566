"""The record of a tournament: every change of it is a command, applied inside a transaction."""
