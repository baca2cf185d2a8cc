"""Runs the same programs natively and with our library on a named machine of three levels, and lists what differs."""
import os
import pathlib
import re
import subprocess
import sys
import tempfile
import time

from obtain import say

ROOT = pathlib.Path(__file__).resolve().parents[2]
EXPLAINED = pathlib.Path(__file__).with_name("explained.txt")


def machine(ranks, how):
    """Three levels, uneven, for any number of processes. Few have a far link only where it decides."""
    if ranks < 4 and how == "measured" and ranks > 1:
        return f"site:2(10ms,100Mbit/s) proc:1{'|2' if ranks == 3 else ''}(1us)"
    if ranks < 4:
        return f"proc:{ranks}(1us)"
    left = ranks // 2
    nodes = [left - left // 2, left // 2, ranks - left]
    return f"site:2(10ms,100Mbit/s) node:2|1(1ms,1Gbit/s) proc:{'|'.join(map(str, nodes))}(1us)"


# How calls are planned: all that can be, calls that do not block too; or those that are measured to gain.
HOW = {"forced": ["ESPALIER_FORCE=1", "ESPALIER_NONBLOCKING=1"], "measured": ["ESPALIER_NONBLOCKING=measured"]}


def explained(mpi):
    """Differences that are known, as 'MPI | name | reason' a line: their names, as regular expressions."""
    lines = [line.split("|", 2) for line in EXPLAINED.read_text().splitlines() if line and line[0] != "#"]
    return [(re.compile(name.strip()), reason.strip()) for who, name, reason in lines if who.strip() in (mpi, "both")]


class Result:
    def __init__(self, code, text, seconds, planned):
        self.code, self.text, self.seconds, self.planned = code, text, seconds, planned


class Stack:
    """One MPI, with or without the library."""

    def __init__(self, mpi, build, ours, preloads=(), how="forced", before=()):
        self.mpi, self.ours, self.how = mpi, ours, how
        libraries = [build / "lib" / "libespalier.so"] if ours else []
        self.preload = ":".join(map(str, [*before, *libraries, *preloads])) or "-"

    def run(self, ranks, words, folder, seconds, settings=()):
        """The code is 124 if it did not end in time."""
        with tempfile.TemporaryDirectory() as place:
            story = pathlib.Path(place) / "explain.txt"
            own = [f"ESPALIER_MACHINE={machine(ranks, self.how)}", f"ESPALIER_EXPLAIN={story}", *HOW[self.how]]
            line = [sys.executable, str(ROOT / "tests/mpi/launch.py"), self.mpi, str(ranks), self.preload,
                    *(own if self.ours else []), *settings, "--", *map(str, words)]
            begin = time.monotonic()
            done = subprocess.run(line, cwd=folder, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, check=False,
                                  stdin=subprocess.DEVNULL, env={**os.environ, "LAUNCH_SECONDS": str(seconds)})
            took = time.monotonic() - begin
            told = re.findall(r"(\d+) calls? planned", story.read_text()) if story.exists() else []
        return Result(done.returncode, done.stdout.decode(errors="replace"), took, sum(map(int, told)))


def twice(stack, is_right, seconds, ranks, words, folder, settings):
    """A loaded machine loses a job now and then: twice is a failure."""
    for _ in range(2):
        result = stack.run(ranks, words, folder, seconds, settings)
        if is_right(result.code, result.text):
            return True, result
    return False, result


def tell(mpi, name, result):
    say(f"  DIFFERS: {mpi}: {name}: right natively, with us exit code {result.code}:")
    for line in result.text.strip().splitlines()[-8:]:
        say(f"    {line[:200]}")


def compare(mpi, build, cases, is_right, seconds=300, preloads=(), how="forced", before=()):
    """cases: (name, ranks, words, folder, settings). Prints differences; returns those that nothing explains.

    before, preloads: libraries that are preloaded before ours and after it
    """
    native, ours = (Stack(mpi, build, is_ours, preloads, how, before) for is_ours in (False, True))
    known, lists, planned = explained(mpi), {}, 0
    for name, ranks, words, folder, settings in cases:
        right_native, plain = twice(native, is_right, seconds, ranks, words, folder, settings)
        # Load comes and goes; a hang stays.
        limit = max(60.0, 10 * plain.seconds) if right_native else seconds / 3
        right_ours, result = twice(ours, is_right, limit, ranks, words, folder, settings)
        planned += result.planned
        verdict = {(1, 1): "equal", (0, 0): "wrong both ways", (1, 0): "wrong with us", (0, 1): "wrong natively"}[
            int(right_native), int(right_ours)]
        reason = next((why for pattern, why in known if pattern.fullmatch(name)), None)
        if verdict == "wrong with us" and reason:
            verdict = "explained"
        lists.setdefault(verdict, []).append(name)
        say(f"  {verdict}: {name}: {plain.seconds:.1f} s, with us {result.seconds:.1f} s, {result.planned} calls planned"
            + (f" ({reason})" if verdict == "explained" else ""))
        if verdict == "wrong with us":
            tell(mpi, name, result)
    say(f"{mpi}: " + ", ".join(f"{len(names)} {verdict}" for verdict, names in sorted(lists.items()))
        + f"; {planned} calls planned on rank 0")
    for verdict in sorted(set(lists) - {"equal"}):
        say(f"  {verdict}: {'; '.join(lists[verdict])}")
    return lists.get("wrong with us", [])
