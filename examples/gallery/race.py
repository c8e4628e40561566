"""The fastest of 30 compiler settings.

A match is a race: both programs run once, and the faster one wins. Times vary from run to run, so
one race proves little, and settings that make nearly the same program are nearly tied.

Run `python examples/gallery/race.py`. It needs a C compiler named `cc`.
"""

import os
import subprocess
import sys
import tempfile
from pathlib import Path

import maxin

PROGRAM = r"""
#include <stdio.h>
#include <string.h>
#define N 96
static double a[N][N], b[N][N], c[N][N], sum;
static unsigned primes(int n) {
    static char crossed[400000];
    unsigned found = 0;
    memset(crossed, 0, sizeof crossed);
    for (int i = 2; i < n; i++)
        if (!crossed[i] && ++found)
            for (long j = (long)i * i; j < n; j += i) crossed[j] = 1;
    return found;
}
static unsigned collatz(unsigned n) {
    unsigned steps = 0;
    for (unsigned long i = 1; i < n; i++)
        for (unsigned long k = i; k != 1; steps++) k = k % 2 ? 3 * k + 1 : k / 2;
    return steps;
}
int main(void) {
    for (int i = 0; i < N; i++)
        for (int j = 0; j < N; j++) a[i][j] = i + j, b[i][j] = i - j;
    for (int round = 0; round < 20; round++)
        for (int i = 0; i < N; i++)
            for (int j = 0; j < N; j++)
                for (int k = 0; k < N; k++) sum += c[i][j] += a[i][k] * b[k][j];
    printf("%g %u %u", sum, primes(400000), collatz(30000));
}
"""
EXTRAS = {"native": "-march=native", "unroll": "-funroll-loops", "calls": "-fno-inline"}
EXTRAS |= {"scalar": "-fno-tree-vectorize", "plain": "-Wall"}
LEVELS = ("O0", "O1", "O2", "O3", "Os", "Ofast")
SETTINGS = {f"{level}-{name}": (f"-{level}", EXTRAS[name]) for level in LEVELS for name in EXTRAS}
DRAW = 0.01  # times that differ by less than this share are a draw


def seconds(program):
    """The processor time of one run; other programs disturb it less than the time on a clock."""
    silent = [(os.POSIX_SPAWN_OPEN, 1, os.devnull, os.O_WRONLY, 0)]
    used = os.wait4(os.posix_spawn(program, [program], {}, file_actions=silent), 0)[2]
    return used.ru_utime + used.ru_stime


def main(budget):
    """Compile all, and race until the fastest is known."""
    with tempfile.TemporaryDirectory() as folder:
        Path(folder, "program.c").write_text(PROGRAM)
        for setting in SETTINGS:
            command = ["cc", *SETTINGS[setting], "program.c", "-o", setting]
            subprocess.run(command, cwd=folder, check=True)

        def race(first, second, seed):
            """Both programs run once, one after the other, and the faster one wins."""
            one, two = (seconds(f"{folder}/{setting}") for setting in (first, second))
            score = 0.5 if abs(one - two) < DRAW * two else float(one < two)
            return {"score": score, "data": {"seconds": [one, two]}}

        tournament = maxin.Tournament(SETTINGS, store="sqlite:///race.db", seed=1)
        print(tournament.run(race, budget=budget, tolerance=30))


if __name__ == "__main__":
    main(int(sys.argv[1]) if sys.argv[1:] else None)
