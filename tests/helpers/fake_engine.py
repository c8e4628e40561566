"""A scripted engine; its first argument is how it behaves, the others are its moves.

It speaks UCI, or xboard if it is asked to. A move may come with an evaluation in centipawns,
e2e4@31. The engine logs its process id and every
line it is sent to the file named by FAKE_LOG.
"""

import os
import signal
import sys
import time


def main(manner: str, moves: list[str]) -> None:
    """Speak UCI or xboard until `quit`."""
    n_plies, is_xboard = 0, False
    for line in iter(sys.stdin.readline, ""):
        words = line.split()
        note(line.strip())
        if words == ["uci"] and manner != "mute":
            style = "option name Style type string default plain"
            depth = "option name Depth type spin default 4 min 1 max 9"
            print("id name fake", style, depth, "uciok", sep="\n", flush=True)
        elif words == ["isready"]:
            print("readyok", flush=True)
        elif words == ["quit"]:
            break
        elif words[0] == "protover":
            options = 'option="Style -string plain" option="Depth -spin 4 1 9"'
            features = "ping=1 setboard=1 usermove=1 nps=1"
            print(f'feature {features} myname="fake" {options} done=1', flush=True)
        elif words[0] == "ping":
            print(f"pong {words[1]}", flush=True)
        elif words == ["new"]:
            n_plies, is_xboard = 0, True
        elif words[0] == "usermove":
            n_plies += 1
        elif words[0] == "position":
            n_plies = len(words) - words.index("moves") - 1 if "moves" in words else 0
        elif words[0] == "go":
            go(manner, moves, n_plies, is_xboard=is_xboard)
            n_plies += is_xboard
    if manner == "deaf":
        time.sleep(1000)


def go(manner: str, moves: list[str], n_plies: int, *, is_xboard: bool) -> None:
    """Answer with the move of this ply, or misbehave."""
    if manner == "dies":
        print("out of memory, sorry", file=sys.stderr, flush=True)
        os.kill(os.getpid(), signal.SIGSEGV)
    if manner == "spies":
        raise SystemExit(f"seen: {dict(os.environ)}")
    if manner == "floods":
        while True:
            os.write(1, b"x" * 65536)
    if manner == "hangs":
        time.sleep(1000)
    if manner == "slow":
        time.sleep(0.5)
    answer = {"illegal": "e1e8", "rubbish": "check!", "silent": "(none)"}.get(manner)
    move, _, score = (answer or moves[n_plies % len(moves)]).partition("@")
    if is_xboard:
        print(
            f"1 {score or 0} 5 100 {move}", move if move == "resign" else f"move {move}", sep="\n"
        )
        sys.stdout.flush()
        return
    report = f"info depth 1 score cp {score}" if score else "info depth 1"
    print(report, f"bestmove {move}", sep="\n", flush=True)


def note(line: str) -> None:
    """Log a line with our process id."""
    if path := os.environ.get("FAKE_LOG"):
        with open(path, "a", encoding="utf-8") as log:
            log.write(f"{os.getpid()} {line}\n")


if __name__ == "__main__":
    main(sys.argv[1], sys.argv[2:])
