#!/usr/bin/env python3
"""Calls through the memory of a node leave nothing behind, and go by messages where memory cannot be had.

    in_memory_test.py MPI LIBRARY PROGRAM     LONG_TESTS=1: all cases, each under both MPIs
"""
import os
import pathlib
import subprocess
import sys
import tempfile
import time

import turns

MPI, LIBRARY, PROGRAM = sys.argv[1:4]
LAUNCH = pathlib.Path(__file__).with_name("launch.py")
FOLDER = tempfile.TemporaryDirectory()
USED = "shared memory"  # as ESPALIER_EXPLAIN tells of calls that went through it, or were to
ONCE = "shared memory in one copy"
THROUGH = "shared memory (all ranks share a node)"


def ours(folder):
    """What a program of ours may have left there: its name is in all that we name."""
    return {name for name in os.listdir(folder) if "espalier" in name}


def run(how, *settings, forced=True, arguments=()):
    """@return exit code, what the program printed, what ESPALIER_EXPLAIN told"""
    told = pathlib.Path(FOLDER.name) / "told"
    told.unlink(missing_ok=True)
    force = ["ESPALIER_FORCE=1"] if forced else []
    line = [sys.executable, str(LAUNCH), MPI, "3", LIBRARY, *force, f"ESPALIER_EXPLAIN={told}", *settings, "--", PROGRAM, how,
            *arguments]
    done = subprocess.run(line, capture_output=True, text=True, timeout=1400, check=False)
    return done.returncode, done.stdout + done.stderr, told.read_text() if told.exists() else ""


def some_of(cases):
    """Cases that are much alike: all of them in long runs, else the first."""
    return cases if turns.IS_LONG else cases[:1]


def every_other(cases):
    """Cases in which the MPI makes no difference: all of them in long runs, else half of them under each."""
    return cases if turns.IS_LONG else cases[MPI == "openmpi"::2]


def main():
    failures = []

    def expect(condition, what):
        if not condition:
            failures.append(what)

    before = {folder: ours(folder) for folder in ("/dev/shm", "/tmp")}
    code, printed, told = run("end", "ESPALIER_SHARED=1")
    expect(code == 0 and "wrong 0" in printed, f"a usual run: {code} {printed}")
    expect(USED in told and "shared memory: at most" in told, f"not through memory: {told}")
    code, printed, told = run("end")
    expect(code == 0 and USED not in told, f"forced through memory without being asked: {told}")
    for settings in some_of([[], ["ESPALIER_SHARED=tried"]]):
        code, printed, told = run("tried", *settings, forced=False)
        expect(code == 0 and "wrong 0" in printed, f"tried {settings}: {code} {printed}")
        expect("shared memory: at most" in told, f"not tried {settings}: {told}")
    code, printed, told = run("tried", "ESPALIER_SHARED=0", forced=False)
    expect(code == 0 and "wrong 0" in printed and USED not in told, f"tried, though off: {code} {printed} {told}")
    code, printed, told = run("end", "ESPALIER_SHARED=tried")
    expect(code == 0 and USED not in told, f"forced, though it was only to be tried: {told}")
    code, printed, told = run("threads", "ESPALIER_SHARED=tried", forced=False)
    expect(code == 0 and "wrong 0" in printed, f"with MPI_THREAD_MULTIPLE: {code} {printed}")
    expect("shared memory: at most" in told, f"not tried with MPI_THREAD_MULTIPLE: {told}")
    code, printed, told = run("pairs", forced=False)
    expect(code == 0 and "wrong 0" in printed, f"what memory does not serve: {code} {printed}")
    named = [line for line in told.splitlines() if "kept shared memory" in line or line.startswith("    shared memory")]
    expect(not named, f"candidates of calls that memory does not serve: {named} in {told}")
    for forced in some_of([False, True]):
        code, printed, told = run("fork", "ESPALIER_SHARED=1" if forced else "ESPALIER_SHARED=tried", forced=forced)
        expect(code == 0 and "wrong 0" in printed and USED in told, f"beside children: {code} {printed} {told}")
    for how, settings, why in every_other([("end", ["ESPALIER_SHARED_MEMORY=100KiB"], "ESPALIER_SHARED_MEMORY allows no more"),
                                           ("limited", [], "the system gives no memory"),
                                           ("refused", [], "the system gives no memory"),
                                           ("unseen", [], "memory of another process cannot be opened")]):
        code, printed, told = run(how, "ESPALIER_SHARED=1", *settings)
        expect(code == 0 and "wrong 0" in printed, f"{how}: {code} {printed}")
        expect(f"{USED}: 1 communicator without: {why}" in told and THROUGH not in told, f"{how}: {printed} {told}")
    code, printed, told = run("refused", "ESPALIER_SHARED=tried", forced=False, arguments=["tried"])
    expect(code == 0 and "wrong 0" in printed and THROUGH not in told, f"refused, tried: {code} {printed} {told}")
    for shared, is_through in every_other([("tried", False), ("1", True)]):
        code, printed, told = run("tried", f"ESPALIER_SHARED={shared}", "IN_MEMORY_OF_DEVICES=1", forced=False)
        expect(code == 0 and "wrong 0" in printed, f"devices, {shared}: {code} {printed}")
        expect(("buffers on devices" in told) != is_through and ("shared memory: at most" in told) == is_through,
               f"devices, {shared}: {told}")
    # By one copy: asked for, tried, off, and where the system refuses it, also to one rank and later on.
    forced = ["ESPALIER_SHARED=1", "ESPALIER_ONE_COPY=1"]
    code, printed, told = run("unread", *forced, arguments=["99"])  # no rank is refused it
    can_read = "cannot be read" not in told
    expect(code == 0 and "wrong 0" in printed and (ONCE in told) == can_read, f"in one copy: {code} {printed} {told}")
    for settings in some_of([[*forced, "ESPALIER_ONE_COPY=0"], ["ESPALIER_SHARED=1"]]):
        code, printed, told = run("end", *settings)
        expect(code == 0 and "wrong 0" in printed and ONCE not in told and "cannot be read" not in told, f"in two copies: {code} {printed} {told}")
    code, printed, told = run("unread", *forced)
    expect(code == 0 and "wrong 0" in printed and ONCE not in told, f"unread: {code} {printed} {told}")
    expect("1 communicator with two copies alone: memory of other processes cannot be read" in told, f"unread: {told}")
    for rank in some_of(["1", "0"]):
        code, printed, told = run("unread", *forced, arguments=[rank])
        expect(code == 0 and "wrong 0" in printed, f"unread from the second call on: {code} {printed} {told}")
    code, printed, told = run("blocks", forced=False)
    expect(code == 0 and "wrong 0" in printed, f"blocks: {code} {printed}")
    expect((ONCE in told) == can_read or "took" in told, f"blocks: one copy is no candidate: {told}")
    for settings in some_of([forced, ["ESPALIER_SHARED=1"]]):
        code, printed, told = run("many", *settings)
        expect(code == 0 and "wrong 0" in printed, f"many communicators: {code} {printed}")
    for how, arguments in [("abort", []), *some_of([("kill", ["1"]), ("kill", ["0"]), ("kill", ["2"])])]:
        code, printed, _ = run(how, *forced, arguments=arguments)
        expect("wrong" not in printed, f"{how} {arguments}: it went on: {code} {printed}")
    for folder, names in before.items():
        left = ours(folder) - names
        for _ in range(20):  # other tests run beside this one: what they make goes away
            if not left:
                break
            time.sleep(0.5)
            left &= ours(folder)
        expect(not left, f"left in {folder}: {sorted(left)}")
    for failure in failures:
        print("FAILED:", failure)
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
