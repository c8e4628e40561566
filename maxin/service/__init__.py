"""A tournament on the network: an API for workers, live pages, and people who vote.

Rooms, each on top of the next: `pages` and `api` answer requests, `arena` knows what people
compare, `access` knows who may do what, and `group_writer` and `board` stand before the
tournament: one thread writes what arrives, and one reads for all viewers.
"""
