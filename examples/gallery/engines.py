"""The best of the chess engines of a Debian system, and Stockfish at seven node counts.

Every engine gets its own limit of nodes or depth per move, so the result does not depend on how
busy the machine is. A match is two games from the same opening of a small book, with the colours
swapped. All games are exported as PGN, with evaluations.

Run `python examples/gallery/engines.py`. It needs the extra `uci` and the packages `stockfish`,
`ethereal-chess`, `toga2` and `glaurung` of Debian; engines that are missing are left out.
"""

import subprocess
import sys
from pathlib import Path
from shutil import which

import maxin
from maxin.runners import DrawRule, Openings, ResignRule, Uci

BOOK = """
1. e4 e5 2. Nf3 Nc6 3. Bb5 a6
1. e4 e5 2. Nf3 Nc6 3. Bc4 Bc5
1. e4 e5 2. Nf3 Nf6 3. Nxe5 d6
1. e4 e5 2. f4 exf4 3. Nf3 g5
1. e4 c5 2. Nf3 d6 3. d4 cxd4 4. Nxd4 Nf6
1. e4 c5 2. Nc3 Nc6 3. g3 g6
1. e4 e6 2. d4 d5 3. Nc3 Bb4
1. e4 c6 2. d4 d5 3. e5 Bf5
1. e4 d5 2. exd5 Qxd5 3. Nc3 Qa5
1. e4 d6 2. d4 Nf6 3. Nc3 g6
1. e4 Nf6 2. e5 Nd5 3. d4 d6
1. d4 d5 2. c4 e6 3. Nc3 Nf6
1. d4 d5 2. c4 c6 3. Nf3 Nf6
1. d4 d5 2. c4 dxc4 3. Nf3 Nf6
1. d4 d5 2. Bf4 Nf6 3. e3 c5
1. d4 Nf6 2. c4 e6 3. Nc3 Bb4
1. d4 Nf6 2. c4 e6 3. Nf3 b6
1. d4 Nf6 2. c4 g6 3. Nc3 d5
1. d4 Nf6 2. c4 g6 3. Nc3 Bg7 4. e4 d6
1. d4 Nf6 2. c4 c5 3. d5 b5
1. d4 f5 2. g3 Nf6 3. Bg2 e6
1. c4 e5 2. Nc3 Nf6 3. Nf3 Nc6
1. c4 c5 2. Nf3 Nf6 3. d4 cxd4 4. Nxd4 e6
1. Nf3 d5 2. g3 Nf6 3. Bg2 c6
"""
FOLDERS = ":/usr/games:/usr/local/games"  # where Debian has its games


def engine(name, program, **limit):
    path = which(program) or which(program, path=FOLDERS)
    return maxin.Entrant(name, {"command": path, **limit}) if path else None


NODES = (100, 200, 400, 800, 1600, 3200, 6400)
FOUND = [engine(f"stockfish-{nodes}", "stockfish", nodes=nodes) for nodes in NODES]
FOUND += [engine("ethereal-2000", "ethereal-chess", nodes=2000)]
FOUND += [engine(f"toga-depth-{depth}", "toga2", depth=depth) for depth in (4, 6)]
FOUND += [engine(f"glaurung-depth-{depth}", "glaurung", depth=depth) for depth in (4, 6)]

if __name__ == "__main__":
    games = (f'[Result "*"]\n\n{line} *\n\n' for line in BOOK.strip().splitlines())
    Path("book.pgn").write_text("".join(games))
    runner = Uci(
        openings=Openings("book.pgn", order="random"),
        draw=DrawRule(movenumber=40, movecount=6, score=10),
        resign=ResignRule(movecount=3, score=600),
    )
    players = [player for player in FOUND if player]
    tournament = maxin.Tournament(players, "sqlite:///engines.db", games_per_match=2, seed=1)
    most = int(sys.argv[1]) if sys.argv[1:] else None
    print(tournament.run(runner, budget=most, workers=2, tolerance=30))
    command = [sys.executable, "-m", "maxin", "export", "games.pgn", "--store", "engines.db"]
    subprocess.run(command, check=True)
