#!/usr/bin/env python3
"""The library with a thousand ranks and more, under SimGrid's SMPI, beside the choices of MPI libraries (SMPI's selectors).

    scale.py BUILD [--ranks 1024,4096] [--peers mpich,ompi,mvapich2,impi] [--operations broadcast,...] [--memory 4]
             [--limit 10] [--seconds 600] [--jobs 1] [--resume FILE] [--within RATIO]

One process simulates all ranks, on a machine of three levels: 4 sites of nodes of 16 processes. Data are really moved and
checked on all ranks. Beside the simulated times stand the processor time and the memory of each contender's runs. A block whose
buffers take more than --memory GiB over all ranks is halved until they fit: the table has its length. A run that takes more than
--seconds of processor time or --limit GiB of address space is ended; so is one that does not get on. Results are kept in FILE, so
that a run which was interrupted goes on.
"""
import argparse
import json
import os
import pathlib
import resource
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


class Scale:
    def __init__(self, options):
        self.options = options
        self.build = pathlib.Path(options.build)
        self.kept = {}
        if options.resume and pathlib.Path(options.resume).exists():
            for line in pathlib.Path(options.resume).read_text().splitlines():
                result = json.loads(line)
                self.kept[result["ranks"], result["team"]] = result

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
        line += [str(self.build / "smpi/smpi_times"), "--roots", "1"] + calls
        environment = os.environ | {"ESPALIER_MACHINE": f"{folder}/machine.json", "TMPDIR": folder}
        environment |= {"ESPALIER_FORCE": "1"} if ours else {"ESPALIER_DISABLE": "1"}
        text, *how = end(line, environment, self.options.seconds, self.options.limit << 30)
        rows = (r.split(",", 5) for r in text.splitlines() if r.count(",") >= 5)
        return {f"{r[0]}:{r[1]}": {"us": float(r[2]), "right": r[3] == "1", "planned": r[4], "plan": r[5]}
                for r in rows}, *how

    def run(self, folder, ranks, team):
        """All calls of a contender. A call that does not end is left out, and those after it are run again without it."""
        if (ranks, team) in self.kept:
            return self.kept[ranks, team]
        result = {"ranks": ranks, "team": team, "runs": 0, "clock": 0, "processor": 0, "memory": 0, "cells": {}}
        left = self.calls(ranks)
        while left:
            cells, code, clock, processor, memory = self.play(folder, ranks, team, left)
            result["runs"] += 1
            result["clock"] = round(result["clock"] + clock, 1)
            result["processor"] = round(result["processor"] + processor, 1)
            result["memory"] = max(result["memory"], memory)
            result["cells"] |= cells
            left = [call for call in left if call not in cells]
            print(f"{ranks} ranks, {team}: {len(cells)} calls in {processor:.0f} s of processor time, "
                  f"{memory / 2**30:.2f} GiB" + (f"; {left[0]} did not end ({code})" if left else ""),
                  file=sys.stderr, flush=True)
            left = left[1:]
        self.kept[ranks, team] = result
        if self.options.resume:
            with open(self.options.resume, "a", encoding="utf-8") as file:
                file.write(json.dumps(result) + "\n")
        return result


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
    parser.add_argument("--within", type=float, help="end with 1 if we are wrong, or slower than this times the best")
    options = parser.parse_args()
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
    if options.within is None:
        return 0
    bad = [r for r in rows if r["ours"] is None or (r["ratio"] is not None and r["ratio"] > options.within)]
    for r in bad:
        print(f"error: {r['operation']} of {size_text(r['size'])} on {r['ranks']} ranks: {number(r['ours'], '.1f')} us, "
              f"the best selector {number(r['best'], '.1f')}", file=sys.stderr)
    return 1 if bad else 0


if __name__ == "__main__":
    sys.exit(main())
