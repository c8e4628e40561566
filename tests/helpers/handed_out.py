"""Find out whether a match was given to two workers."""

from sqlalchemy import func, select

from maxin.storage.schema import ASKED


def handed_out_again(tournament):
    """The matches that were handed out more than once."""
    again = select(ASKED.c.match).group_by(ASKED.c.match).having(func.count() > 1)
    with tournament.store.one_moment() as connection:
        return list(connection.execute(again).scalars())
