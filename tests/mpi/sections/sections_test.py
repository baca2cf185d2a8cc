#!/usr/bin/env python3
"""Runs random sections of MPI natively and with the library preloaded, and compares them.

    sections_test.py MPI LIBRARY PROGRAM [options]         (--help lists them)

Every section must give the same hash and the same classes of errors on every rank, and the program the same exit code, under
forced plans on random machines, through the memory of this node and of two, and with default settings on a far machine and on the one
that is found. A failure is
minimised: its section alone, then without the steps that it does not need. A run in which no rank gets on for --patience
seconds hangs.
"""
import argparse
import os
import sys
import time

import job
import minimise

# One launch each: kinds that end the program or start others.
ALONE = ["fatal", "abort", "uncaught", "spawn"]
TOGETHER = ["plain", "world", "repeated", "tried", "starts", "empty_types", "between", "neighbours", "info", "many", "session", "copies", "returns", "jumps",
            "ahead", "deletes", "throws", "threads"]
# Asked for by name, or by --slow: seconds a section, without the library too.
SLOW = ["exhausted", "far_ahead"]
# What MPI_Init_thread asks for; none: MPI_Init; mixed: other levels on other ranks.
LEVELS = ["none", "single", "funneled", "serialized", "multiple", "mixed"]

# Settings under which calls must run along plans.
PLANNED = {"forced", "nonblocking", "thread", "shared", "once"}


def arguments():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("mpi", choices=["mpich", "openmpi"])
    parser.add_argument("library")
    parser.add_argument("program")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--sections", type=int, default=200, help="in all, under each of the settings")
    parser.add_argument("--launch", type=int, default=400, help="sections of one launch")
    parser.add_argument("--ranks", default="2,3,2,4,3,5,7", help="numbers of ranks that take turns")
    parser.add_argument("--kinds", default=",".join(TOGETHER), help="also " + ",".join(SLOW))
    parser.add_argument("--alone", default="", help="kinds that are launched alone: all, or some of " + ",".join(ALONE))
    parser.add_argument("--slow", type=int, default=0, help="sections of kinds that take seconds, besides the others")
    parser.add_argument("--levels", default="none", help="thread levels that take turns: all, or some of " + ",".join(LEVELS))
    parser.add_argument("--settings", default="forced,nonblocking,shared,once,nodes,default,bare",
                        help="also thread, without the kinds jumps and throws: MPICH holds a lock there when it calls handlers")
    parser.add_argument("--seconds", type=float, default=1e9, help="begin no launch after so long")
    parser.add_argument("--patience", type=float, default=120)
    parser.add_argument("--only", type=int, help="this section, traced")
    parser.add_argument("--drop", default="", help="steps to leave out, with --only")
    parser.add_argument("--times", action="store_true", help="show how long each run takes")
    parser.add_argument("--keep-going", action="store_true", help="show all failures, not the first")
    options = parser.parse_args()
    # The ranks run in folders of their own.
    options.library, options.program = os.path.abspath(options.library), os.path.abspath(options.program)
    return options


def launches(options):
    """Shares of the sections, with other ranks and thread levels in turn."""
    ranks = [int(r) for r in options.ranks.split(",")]
    levels = LEVELS if options.levels == "all" else options.levels.split(",")
    first = 0
    while first < options.sections:
        turn = first // options.launch
        count = min(options.launch, options.sections - first)
        yield job.Launch(options.mpi, options.program, ranks[turn % len(ranks)], options.seed + turn, first, count,
                         options.kinds, levels[turn % len(levels)])
        first += count


def slow(options):
    """On few ranks: those of MPICH poll."""
    for turn in range(options.slow):
        yield job.Launch(options.mpi, options.program, 2 + turn // 2 % 2, options.seed, turn, 1, SLOW[turn % 2], "none")


def alone(options):
    kinds = ALONE if options.alone == "all" else options.alone.split(",") if options.alone else []
    for turn, kind in enumerate(kinds):
        yield job.Launch(options.mpi, options.program, 2 + turn % 2, options.seed, turn, 1, kind, "none")


def timed(launch, setting, options):
    begin = time.monotonic()
    result = job.run(launch, setting, options)
    if options.times:
        name = setting.name if setting else "native"
        print(f"{launch.text()}, level {launch.levels}, {name}: {time.monotonic() - begin:.1f} s", flush=True)
    return result


def main():
    options = arguments()
    failures = done = planned = broken = 0
    todo = list(launches(options)) + list(slow(options)) + list(alone(options))
    if options.only is not None:
        todo = [one.alone(options.only, options.drop) for one in todo if one.holds(options.only)]
    end = time.monotonic() + options.seconds
    for launch in todo:
        if time.monotonic() > end:
            break
        native = timed(launch, None, options)
        if native.hangs or (native.code != 0 and launch.kinds not in ALONE):
            print(f"native, without the library: {native.text()}\n  {launch.text()}\n{native.output[-2000:]}", flush=True)
            failures += 1
            continue
        if launch.kinds not in ALONE and native.breaks_off(launch):
            # MPICH 4.2's launcher ends such a job with code 0.
            print(f"native, without the library, ends in mid-run: left out: {native.text()}\n  {launch.text()}", flush=True)
            broken += 1
            continue
        for name in options.settings.split(","):
            setting = job.Setting(name, launch, options.library)
            result = timed(launch, setting, options)
            done += launch.count
            planned += result.planned()
            difference = job.compare(native, result)
            if difference is None:
                continue
            failures += 1
            minimise.report(launch, setting, difference, options)
            if not options.keep_going:
                break
        if failures and not options.keep_going:
            break
    if not planned and not failures and done >= 40 and PLANNED & set(options.settings.split(",")):
        print("no call ran along a plan: nothing was compared")
        failures += 1
    if broken * 4 > len(todo):
        print(f"{broken} of {len(todo)} launches end in mid-run natively")
        failures += 1
    print(f"{options.mpi}: {done} sections compared, seed {options.seed}, {planned} calls of rank 0 along plans, {failures} failures")
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
