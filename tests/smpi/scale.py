#!/usr/bin/env python3
"""The library with a thousand ranks and more, under SimGrid's SMPI, beside the choices of MPI libraries (SMPI's selectors).

    scale.py BUILD [--ranks 1024,4096] [--peers mpich,ompi,mvapich2,impi] [--operations broadcast,...] [--memory 4]
             [--limit 10] [--seconds 600] [--jobs 1] [--resume FILE] [--within RATIO]

One process simulates all ranks, on a machine of three levels: 4 sites of nodes of 16 processes. Data are really moved and
checked on all ranks. Beside the simulated times stand the processor time and the memory of each contender's runs. A block whose
buffers take more than --memory GiB over all ranks is halved until they fit: the table has its length. A run that takes more than
--seconds of processor time or --limit GiB of address space is ended; so is one that does not get on.

Results are kept in FILE, so that a run which was interrupted goes on. A cell is taken over only if it is of the same call with as many
ranks, contender, machine, root, build (the program with the library in it), SimGrid and settings (ESPALIER_*); one that did not end, only
if it had as much time and memory. How many were is told at the end. The costs in the second table are those of all runs that cells are from.

--within RATIO ends with 1 if we are wrong, or slower than RATIO times the best selector, or if no selector ended: then nothing is shown.
"""
import argparse
import hashlib
import json
import os
import pathlib
import resource
import shutil
import subprocess
import sys
import tempfile
import time
from concurrent.futures import ThreadPoolExecutor

sys.dont_write_bytecode = True
import launch  # noqa: E402
from table import size_text  # noqa: E402

OPERATIONS = "broadcast,reduce,allreduce,barrier,gather,allgather"
SIZES = (8, 65536)
ROOTS = 1  # root 0 alone
INTERRUPTED = (-2, 130)  # by Ctrl-C, which says nothing of the call
MOST_FILES = resource.getrlimit(resource.RLIMIT_NOFILE)[1]  # a rank's variables are an open file


def machine(ranks):
    return (f"site:4(10ms,10Gbit/s) node:{ranks // 64}(20us,10Gbit/s) "
            f"proc:16(500ns,cap=20Gbit/s,send=300ns,recv=300ns)")


def buffer_bytes(operation, ranks, size):
    """Of all ranks together: what goes in and what comes out."""
    blocks = {"allgather": ranks + 1, "alltoall": 2 * ranks, "gather": 2, "scatter": 2}.get(operation, 2)
    return ranks * size * blocks


def sizes_of(operation, ranks, memory):
    if operation == "barrier":
        return [0]
    found = []
    for size in SIZES:
        while size > 8 and buffer_bytes(operation, ranks, size) > memory:
            size //= 2
        found.append(size)
    return sorted(set(found))


def end(line, environment, seconds, limit):
    """Runs a command; (its output, how it ended, seconds by the clock, of processor time, peak memory in bytes)."""
    begin = time.monotonic()
    limited = ["prlimit", f"--cpu={seconds}:{seconds + 5}", f"--as={limit}", f"--nofile={MOST_FILES}", "timeout", "-k", "5",
               str(10 * seconds)] + line
    with tempfile.TemporaryFile("w+") as out:
        process = subprocess.Popen(limited, env=environment, stdout=out, stderr=subprocess.DEVNULL)
        _, status, usage = os.wait4(process.pid, 0)
        process.returncode = os.waitstatus_to_exitcode(status)
        out.seek(0)
        text = out.read()
    return text, process.returncode, time.monotonic() - begin, usage.ru_utime + usage.ru_stime, usage.ru_maxrss * 1024


def simgrid():
    """What SimGrid says of itself."""
    if not shutil.which("smpirun"):
        sys.exit("error: there is no smpirun: install SimGrid (Debian: libsimgrid-dev)")
    return subprocess.run(["smpirun", "-version"], check=False, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True).stdout


def identity(build):
    """Of all that simulated times depend on besides the call: programs, with the library in them, SimGrid and settings."""
    said = hashlib.sha256()
    for name in ("smpi/smpi_times", "bin/write_platform"):
        if not (build / name).exists():
            sys.exit(f"error: there is no {build / name}: make bench-scale builds it")
        said.update((build / name).read_bytes())
    settings = sorted((name, value) for name, value in os.environ.items() if name.startswith("ESPALIER_") and name != "ESPALIER_MACHINE")
    said.update(json.dumps([simgrid(), launch.EXACT, launch.SHARED_PROGRAM, settings]).encode())
    return said.hexdigest()[:16]


def known(lines, calls, seconds, limit):
    """What runs tell of these calls, and what they cost. A call that did not end in less time or memory is not known."""
    result = {"runs": 0, "clock": 0, "processor": 0, "memory": 0, "cells": {}, "not_ended": set()}
    for line in lines:
        cells = {call: cell for call, cell in line["cells"].items() if call in calls}
        stuck = {call for call in line["not_ended"] if call in calls and line["seconds"] >= seconds and line["limit"] >= limit}
        if not cells and not stuck:
            continue
        result["runs"] += 1
        result["clock"] = round(result["clock"] + line["clock"], 1)
        result["processor"] = round(result["processor"] + line["processor"], 1)
        result["memory"] = max(result["memory"], line["memory"])
        result["cells"] |= cells
        result["not_ended"] |= stuck
    result["not_ended"] -= result["cells"].keys()
    return result


class Scale:
    def __init__(self, options):
        self.options = options
        self.build = pathlib.Path(options.build)
        self.identity = identity(self.build)
        self.kept = {}   # lines of FILE, one a run, by what they are of
        self.others = 0  # cells that are of something else
        if options.resume and pathlib.Path(options.resume).exists():
            for text in pathlib.Path(options.resume).read_text().splitlines():
                self.read(text)

    def read(self, text):
        try:
            line = json.loads(text) if text else {}
        except ValueError:  # cut off where a run was ended
            return
        if line.get("of") == self.identity:
            self.kept.setdefault(self.key(line), []).append(line)
        else:  # those before cells had an identity, too
            self.others += len(line.get("cells", ()))

    @staticmethod
    def key(line):
        return line["ranks"], line["team"], line["machine"], line["roots"], line["of"]

    def calls(self, ranks):
        return [f"{operation}:{size}" for operation in self.options.operations.split(",")
                for size in sizes_of(operation, ranks, self.options.memory << 30)]

    def play(self, folder, ranks, team, calls):
        """One run; (what it printed by call, how it ended, clock, processor time, memory)."""
        ours = team == "espalier"
        line = ["smpirun", "-platform", f"{folder}/platform.xml", "-hostfile", f"{folder}/hosts", "-np", str(ranks),
                "--log=root.thres:critical"]
        line += [f"--cfg={option}" for option in launch.EXACT + [launch.SHARED_PROGRAM]]
        line += [] if ours else [f"--cfg=smpi/coll-selector:{team}"]
        line += [str(self.build / "smpi/smpi_times"), "--roots", str(ROOTS)] + calls
        environment = os.environ | {"ESPALIER_MACHINE": f"{folder}/machine.json", "TMPDIR": folder}
        environment |= {"ESPALIER_FORCE": "1"} if ours else {"ESPALIER_DISABLE": "1"}
        text, *how = end(line, environment, self.options.seconds, self.options.limit << 30)
        rows = (r.split(",", 5) for r in text.splitlines() if r.count(",") >= 5)
        return {f"{r[0]}:{r[1]}": {"us": float(r[2]), "right": r[3] == "1", "planned": r[4], "plan": r[5]}
                for r in rows}, *how

    def run(self, folder, ranks, team):
        """All calls of a contender. A call that does not end is left out, and those after it are run again without it."""
        options, calls = self.options, self.calls(ranks)
        of = {"ranks": ranks, "team": team, "machine": machine(ranks), "roots": ROOTS, "of": self.identity,
              "seconds": options.seconds, "limit": options.limit}
        lines = self.kept.setdefault(self.key(of), [])
        old = known(lines, calls, options.seconds, options.limit)
        left = [call for call in calls if call not in old["cells"] and call not in old["not_ended"]]
        taken = len(calls) - len(left)
        while left:
            cells, code, clock, processor, memory = self.play(folder, ranks, team, left)
            if code in INTERRUPTED:
                raise KeyboardInterrupt
            left = [call for call in left if call not in cells]
            self.keep(lines, of | {"clock": round(clock, 1), "processor": round(processor, 1), "memory": memory, "cells": cells,
                                   "not_ended": left[:1]})
            print(f"{ranks} ranks, {team}: {len(cells)} calls in {processor:.0f} s of processor time, "
                  f"{memory / 2**30:.2f} GiB" + (f"; {left[0]} did not end ({code})" if left else ""),
                  file=sys.stderr, flush=True)
            left = left[1:]
        return known(lines, calls, options.seconds, options.limit) | {"ranks": ranks, "team": team, "taken": taken}

    def keep(self, lines, line):
        lines.append(line)
        if self.options.resume:
            with open(self.options.resume, "a", encoding="utf-8") as file:
                file.write("\n" + json.dumps(line) + "\n")  # what is before it may be cut off


def row_of(ranks, call, runs):
    """Cells of the table: our time, the best selector's, and what became of the others."""
    ours = runs["espalier"]["cells"].get(call)
    peers = {team: run["cells"].get(call) for team, run in runs.items() if team != "espalier"}
    right = {team: cell["us"] for team, cell in peers.items() if cell and cell["right"]}
    out = [f"{team} {'wrong' if cell else 'not ended'}" for team, cell in peers.items() if team not in right]
    best = min(right, key=right.get, default=None)
    operation, size = call.split(":")
    return {"ranks": ranks, "operation": operation, "size": int(size),
            "ours": ours["us"] if ours and ours["right"] else None, "plan": ours["plan"] if ours else "",
            "best": right.get(best), "peer": best, "out": ", ".join(out),
            "ratio": ours["us"] / right[best] if ours and ours["right"] and best else None}


def number(value, form):
    return "-" if value is None else format(value, form)


def show(rows, runs):
    print("| ranks | operation | block | Espalier, us | best selector, us | ratio | plan | left out |")
    print("|---|---|---|---|---|---|---|---|")
    for r in rows:
        print(f"| {r['ranks']} | {r['operation']} | {size_text(r['size'])} | {number(r['ours'], '.1f')} | "
              f"{number(r['best'], '.1f')} ({r['peer'] or 'none'}) | {number(r['ratio'], '.3f')} | {r['plan']} | "
              f"{r['out']} |")
    print("\n| ranks | contender | runs | by the clock, s | processor time, s | memory, GiB |")
    print("|---|---|---|---|---|---|")
    for r in runs:
        print(f"| {r['ranks']} | {r['team']} | {r['runs']} | {r['clock']:.0f} | {r['processor']:.0f} | "
              f"{r['memory'] / 2**30:.2f} |")


def taken_over(scale, runs):
    """A line on cells of earlier runs; empty if none are kept."""
    if not scale.options.resume:
        return ""
    cells = sum(len(scale.calls(run["ranks"])) for run in runs)
    text = f"{sum(run['taken'] for run in runs)} of {cells} cells were taken over from {scale.options.resume}"
    return text + (f"; {scale.others} cells there are of other builds or settings" if scale.others else "")


def failures(rows, within):
    """Why each cell fails that is not shown to be within this ratio."""
    for r in rows:
        call = f"{r['operation']} of {size_text(r['size'])} on {r['ranks']} ranks"
        if r["ours"] is None:
            yield f"{call}: ours is wrong or did not end"
        elif r["ratio"] is None:
            yield f"{call}: not shown, no selector ended with right data ({r['out']})"
        elif r["ratio"] > within:
            yield f"{call}: {r['ours']:.1f} us, the best selector ({r['peer']}) {r['best']:.1f}: {r['ratio']:.3f} times, at most {within} is wanted"


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("build")
    parser.add_argument("--ranks", default="1024,4096")
    parser.add_argument("--peers", default="mpich,ompi,mvapich2,impi")
    parser.add_argument("--operations", default=OPERATIONS)
    parser.add_argument("--memory", type=int, default=4)
    parser.add_argument("--limit", type=int, default=10)
    parser.add_argument("--seconds", type=int, default=600)
    parser.add_argument("--jobs", type=int, default=1)
    parser.add_argument("--resume")
    parser.add_argument("--within", type=float, help="end with 1 if we are wrong, slower than this times the best, or nothing is shown")
    options = parser.parse_args()
    if options.within is not None and not options.peers:
        parser.error("--within compares with selectors: name some with --peers")
    scale = Scale(options)
    teams = ["espalier"] + [p for p in options.peers.split(",") if p]
    rows, all_runs = [], []
    for ranks in (int(r) for r in options.ranks.split(",")):
        with tempfile.TemporaryDirectory() as folder, ThreadPoolExecutor(options.jobs) as pool:
            subprocess.run([str(scale.build / "bin/write_platform"), machine(ranks), folder], check=True)
            runs = dict(zip(teams, pool.map(lambda team: scale.run(folder, ranks, team), teams)))
        rows += [row_of(ranks, call, runs) for call in scale.calls(ranks)]
        all_runs += runs.values()
    show(rows, all_runs)
    if said := taken_over(scale, all_runs):
        print(f"\n{said}")
    bad = [] if options.within is None else list(failures(rows, options.within))
    for why in bad:
        print(f"error: {why}", file=sys.stderr)
    return 1 if bad else 0


if __name__ == "__main__":
    sys.exit(main())
