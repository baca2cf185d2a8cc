"""Runs the same programs natively and with our library on a forced machine of three levels, and lists what differs."""
import os
import pathlib
import subprocess
import sys

from obtain import say

ROOT = pathlib.Path(__file__).resolve().parents[2]


def machine(ranks):
    """Three levels, uneven, for any number of processes."""
    if ranks < 4:
        return f"proc:{ranks}(1us)"
    left = ranks // 2
    nodes = [left - left // 2, left // 2, ranks - left]
    return f"site:2(10ms,100Mbit/s) node:2|1(1ms,1Gbit/s) proc:{'|'.join(map(str, nodes))}(1us)"


class Stack:
    """One MPI, with or without the library."""

    def __init__(self, mpi, build, ours):
        self.mpi, self.ours = mpi, ours
        self.library = str(build / "lib" / f"libespalier-{mpi}.so") if ours else "-"

    def run(self, ranks, words, folder, seconds, settings=()):
        """(exit code, output); 124 if it did not end in time."""
        forced = [f"ESPALIER_MACHINE={machine(ranks)}", "ESPALIER_FORCE=1", *settings] if self.ours else list(settings)
        line = [sys.executable, str(ROOT / "tests/mpi/launch.py"), self.mpi, str(ranks), self.library, *forced, "--",
                *map(str, words)]
        done = subprocess.run(line, cwd=folder, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, check=False,
                              stdin=subprocess.DEVNULL, env={**os.environ, "LAUNCH_SECONDS": str(seconds)})
        return done.returncode, done.stdout.decode(errors="replace")


def compare(mpi, build, cases, is_right, seconds=300):
    """cases: (name, ranks, words, folder, settings). Prints differences; returns those that are ours."""
    native, ours = Stack(mpi, build, False), Stack(mpi, build, True)
    both, neither, worse, better = 0, 0, [], []
    for name, ranks, words, folder, settings in cases:
        results = []
        for stack in (native, ours):
            code, text = stack.run(ranks, words, folder, seconds, settings)
            if not is_right(code, text):  # a loaded machine loses a job now and then: twice is a failure
                code, text = stack.run(ranks, words, folder, seconds, settings)
            results.append((is_right(code, text), code, text))
        (right_native, *_), (right_ours, code, text) = results
        both += right_native and right_ours
        neither += not right_native and not right_ours
        if right_native and not right_ours:
            worse.append(name)
            say(f"  DIFFERS: {mpi}: {name}: right natively, with us exit code {code}:")
            for line in text.strip().splitlines()[-6:]:
                say(f"    {line[:200]}")
        if right_ours and not right_native:
            better.append(name)
    say(f"{mpi}: {both} right both ways, {neither} wrong both ways, {len(worse)} wrong with us only, "
        f"{len(better)} wrong natively only{': ' + ', '.join(better) if better else ''}")
    return worse
