#!/usr/bin/env python3
"""Plans follow a network that changes in mid-run, and noise changes nothing: real MPI on an emulated machine.

usage: drift.py BUILD [--only slow|narrow|noise] [--mpi NAME]       (make bench-drift)
Per operation: the link is changed at call 60 and put back at call 160. Told are the call at which plans were made anew,
and the median of the last calls of each phase beside a fresh start under the same figures. Fails if plans change more
than 30 calls late, or calls are more than 1.2 times as slow as after a fresh start. Needs root and TUN (else exit 77).
"""
import argparse
import os
import pathlib
import re
import signal
import statistics
import subprocess
import sys

STATE = f"/run/espalier-drift-{os.getpid()}"
FAST, SLOW = ("2ms", "100Mbit/s"), ("40ms", "100Mbit/s")
NARROW = ("2ms", "10Mbit/s")
OPERATIONS = [("bcast", 262144), ("allreduce", 65536), ("allreduce", 8), ("alltoall", 4096)]
FAILED = []


def machine(latency, bandwidth):
    return f"site:2({latency},{bandwidth},name=wan) machine:1|2(250us,1Gbit/s,name=lan) proc:4 placement=cyclic"


class Lab:
    def __init__(self, build, mpi):
        self.build, self.mpi = build, mpi
        self.espalier = str(build / "bin" / "espalier")
        self.environment = {**os.environ, "ESPALIER_LAB": STATE}

    def do(self, *words):
        ran = subprocess.run([self.espalier, "lab", *words], capture_output=True, text=True, check=False,
                             env=self.environment)
        if ran.returncode != 0:
            print(ran.stderr.strip())
            sys.exit(77 if "a lab needs root" in ran.stderr else 1)

    def up(self, figures):
        self.do("up", machine(*figures))

    def set(self, figures):
        self.do("set", "wan", "--latency", figures[0], "--bandwidth", figures[1])

    def follow(self, operation, size, calls, at=None, settings=()):
        """(milliseconds, how) of each call, and the calls at which plans were made anew; at: {call: what to do}."""
        words = [self.espalier, "lab", "run", "--mpi", self.mpi, "--preload",
                 str(self.build / "lib" / "libespalier.so"), "--env", "ESPALIER_LOG=1"]
        for setting in settings:
            words += ["--env", setting]
        words += ["--", str(self.build / "mpi" / f"follow.{self.mpi}"), operation, str(size), str(calls),
                  *map(str, at or ())]
        seen, anew = [], []
        with subprocess.Popen(words, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
                              env=self.environment) as job:
            for line in job.stdout:
                if "plans are made anew" in line:
                    anew.append(len(seen))
                    print(f"      call {len(seen)}: {line.strip()}", flush=True)
                found = re.match(r"(\d+) (\d+\.\d+) (.*)", line)
                if not found:
                    continue
                seen.append((float(found[2]), found[3]))
                if at and len(seen) in at:
                    at[len(seen)]()
        if len(seen) != calls:
            raise RuntimeError(f"{operation} ended after {len(seen)} calls of {calls}")
        return seen, anew


def last(seen, end, count=15):
    return statistics.median(time for time, _ in seen[end - count:end])


def check(is_right, what):
    if not is_right:
        FAILED.append(what)
        print(f"    FAILED {what}", flush=True)


def drift(lab, name, other):
    print(f"{lab.mpi}: {name}: {' '.join(FAST)} becomes {' '.join(other)} at call 60, and is back at call 160", flush=True)
    for operation, size in OPERATIONS:
        fresh, ways = {}, set()
        for figures in (FAST, other):
            lab.up(figures)
            seen, _ = lab.follow(operation, size, 60)
            fresh[figures] = last(seen, 60)
            ways.add(seen[-1][1].split(":")[0])
            lab.do("down")
        lab.up(FAST)
        seen, anew = lab.follow(operation, size, 260, {60: lambda: lab.set(other), 160: lambda: lab.set(FAST)})
        lab.do("down")
        phases = [("before", last(seen, 60), fresh[FAST]), ("changed", last(seen, 160), fresh[other]),
                  ("back", last(seen, 260), fresh[FAST])]
        told = "; ".join(f"{phase} {now:.2f} ms ({now / then:.2f} x fresh)" for phase, now, then in phases)
        print(f"  {operation} {size} B: anew at {anew}; {told}; plan at the end {seen[-1][1]}", flush=True)
        label = f"{lab.mpi} {name} {operation} {size}"
        is_affected = fresh[other] > 1.5 * fresh[FAST]
        if is_affected and ways != {"native"}:  # else there is nothing to change
            check(any(60 <= call <= 90 for call in anew), f"{label}: not anew within 30 calls")
            check(any(160 <= call <= 190 for call in anew), f"{label}: not back within 30 calls")
        for phase, now, then in phases[1:]:
            check(now <= 1.2 * then + 0.3, f"{label}: {phase} {now:.2f} ms, fresh {then:.2f} ms")


def noise(lab):
    """Latency and bandwidth change by up to 10 %, again and again, in 10,000 calls."""
    calls = 10000
    lab.up(("2ms", "100Mbit/s"))
    at = {}
    for step in range(100, calls, 100):
        shift = (step * 7919 % 2001 / 1000 - 1) / 10
        figures = (f"{2000 * (1 + shift):.0f}us", f"{100000 * (1 - shift):.0f}kbit/s")
        at[step] = lambda figures=figures: lab.set(figures)
    seen, anew = lab.follow("allreduce", 8, calls, at)
    lab.do("down")
    print(f"{lab.mpi}: noise of 10 %, {len(seen)} calls: anew at {anew}", flush=True)
    check(not anew, f"{lab.mpi}: noise made plans anew")


def main():
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(143))  # through `finally`: no lab stays behind
    parser = argparse.ArgumentParser()
    parser.add_argument("build", type=pathlib.Path)
    parser.add_argument("--only", choices=["slow", "narrow", "noise"])
    parser.add_argument("--mpi", choices=["mpich", "openmpi"])
    options = parser.parse_args()
    try:
        for mpi in [options.mpi] if options.mpi else ["mpich", "openmpi"]:
            lab = Lab(options.build.resolve(), mpi)
            if options.only in (None, "slow"):
                drift(lab, "a slower WAN", SLOW)
            if options.only in (None, "narrow"):
                drift(lab, "a narrower WAN", NARROW)
            if options.only in (None, "noise"):
                noise(lab)
    finally:
        subprocess.run([str(options.build / "bin" / "espalier"), "lab", "down"], check=False, capture_output=True,
                       env={**os.environ, "ESPALIER_LAB": STATE})
    print(f"{len(FAILED)} failed" + "".join(f"\n  {what}" for what in FAILED))
    return 1 if FAILED else 0


if __name__ == "__main__":
    sys.exit(main())
