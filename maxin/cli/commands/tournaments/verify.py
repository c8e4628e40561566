"""`maxin verify`: does the record agree with what the tournament believes?"""

import math

from maxin.cli.config.options import AnswerOption
from maxin.cli.config.settings import Store
from maxin.cli.config.stores import tournament_to_read
from maxin.cli.output.printing import print_json
from maxin.core.text import counted


def verify(*, store: Store = None, format: AnswerOption = "text") -> int:
    """Recompute everything from the record and compare; the exit code is 1 if anything differs."""
    with tournament_to_read(store) as tournament:
        found = tournament.verify()
        n_players = len(tournament.names)
    if format == "json":
        difference = found.largest_difference
        print_json(
            found._asdict()
            | {
                "is_right": not found.problems,
                "n_players": n_players,
                "largest_difference": difference if math.isfinite(difference) else None,
            }
        )
    else:
        print(
            f"read {counted(found.n_matches, 'match')} of {counted(n_players, 'player')} again, "
            f"{found.n_pending:,} pending: compared every match with its ticket, the players, "
            "seeds, points, ratings and the scheduler"
        )
        print(f"largest difference of a rating: {found.largest_difference:.3g} nats")
        for problem in found.problems:
            print(f"wrong: {problem}")
        if not found.problems:
            print("OK: everything matches the record")
    return 1 if found.problems else 0
