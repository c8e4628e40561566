"""Games for worker processes; the name of the first player chooses what happens."""

import os
import signal
import subprocess
import sys
import threading
import time


def play(first, second, seed):
    return ACTS[first](second, seed)


def fork_and_die(second, seed):
    if not os.fork():
        time.sleep(600)  # holds every pipe
    os._exit(4)


def fork_and_raise(second, seed):
    if not os.fork():
        raise RuntimeError("in the fork")
    os.wait()
    return 1.0


def interrupted(second, seed):
    os.kill(os.getpid(), signal.SIGINT)
    return 1.0


def talk(second, seed):
    print("on stdout")
    os.system("echo from a child")
    print("on stderr", file=sys.stderr)
    raise ValueError("after output")


def flood(second, seed):
    for stream in (sys.stdout, sys.stderr):
        for _ in range(50):
            stream.write("x" * 1_000_000)
    raise ValueError("after a flood")


def close_everything(second, seed):
    os.closerange(0, 1000)
    time.sleep(600)


ACTS = {
    "win": lambda second, seed: 1,
    "report": lambda second, seed: {"score": 0.5, "errors": [second], "data": {"seed": seed}},
    "process": lambda second, seed: {
        "score": 1,
        "data": {"pid": os.getpid(), "is leader": os.getsid(0) == os.getpid()},
    },
    "exit": lambda second, seed: os._exit(3),
    "crash": lambda second, seed: os.kill(os.getpid(), signal.SIGSEGV),
    "leave": lambda second, seed: sys.exit(5),
    "hang": lambda second, seed: time.sleep(600),
    "print": lambda second, seed: print(second) or print(second, file=sys.stderr) or 1.0,
    "print and leave": lambda second, seed: print(second) or sys.exit(5),
    "bad": lambda second, seed: float("nan"),
    "secret": lambda second, seed: {"score": 1, "data": {"x": threading.Lock()}},
    "child": lambda second, seed: subprocess.Popen(["sleep", "600"]) and 1.0,
    "hang with children": lambda second, seed: os.system("sleep 600 & sleep 600"),
    "fork and die": fork_and_die,
    "fork and raise": fork_and_raise,
    "interrupted": interrupted,
    "talk": talk,
    "flood": flood,
    "close everything": close_everything,
}
