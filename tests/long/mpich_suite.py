#!/usr/bin/env python3
"""MPICH's own test suite of collectives (test/mpi/coll), natively and along plans, under both MPIs.

    mpich_suite.py BUILD WORK [MPI ...] [--only NAME ...]

Its source comes from Debian at run time and stays in WORK. Open MPI cannot compile all of it; what it cannot is named.
"""
import argparse
import os
import pathlib
import subprocess
import sys

from compare import compare
from obtain import debian_source, say


def built(source, work, mpi):
    folder = work / f"build.{mpi}"
    folder.mkdir(exist_ok=True)
    if not (folder / "coll" / "Makefile").exists():
        configure = [source / "test/mpi/configure", "-q", "--disable-cxx", "--disable-fortran", "--disable-romio",
                     f"MPICC=mpicc.{mpi}", "CC=gcc", "CFLAGS=-O0"]  # some take minutes to optimise
        if mpi == "openmpi":  # its helpers use what MPI 3 took away
            configure.append("CPPFLAGS=-DOMPI_OMIT_MPI1_COMPAT_DECLS=0")
        done = subprocess.run(configure, cwd=folder, capture_output=True, text=True, check=False)
        if done.returncode != 0:
            say(f"skipped: MPICH's tests with {mpi}: configure: {(done.stderr.strip().splitlines() or ['failed'])[-1]}")
            return None
    jobs = f"-j{os.cpu_count()}"
    for part in ("dtpools", "util", "coll"):
        subprocess.run(["make", "-k", jobs, "-C", part], cwd=folder, capture_output=True, check=False)
    return folder / "coll"


def listed(coll):
    """(program, ranks, arguments, settings) of each line of the suite's list."""
    for line in (coll / "testlist").read_text().splitlines():
        words = line.split("#")[0].split()
        if len(words) < 2 or not words[1].isdigit():
            continue
        options = [word.split("=", 1) for word in words[2:] if "=" in word]
        if any(key == "resultTest" for key, _ in options):  # they are meant to fail
            continue
        arguments = [value for key, value in options if key == "arg"]
        settings = [value for key, value in options if key == "env"]
        yield words[0], int(words[1]), arguments, settings


def cases(coll, only):
    missing = set()
    for program, ranks, arguments, settings in listed(coll):
        if only and program not in only:
            continue
        if not (coll / program).exists():
            missing.add(program)
            continue
        name = " ".join([program, f"-n {ranks}", *arguments, *settings])
        yield name, ranks, [coll / program, *arguments], coll, settings
    if missing:
        say(f"  not built: {', '.join(sorted(missing))}")


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("build", type=pathlib.Path)
    parser.add_argument("work", type=pathlib.Path)
    parser.add_argument("mpis", nargs="*")
    parser.add_argument("--only", nargs="+", default=[])
    wanted = parser.parse_args()
    work = wanted.work.resolve()
    work.mkdir(parents=True, exist_ok=True)
    source = debian_source("mpich", work)
    if source is None:
        return 0
    worse = []
    for mpi in wanted.mpis or ("mpich", "openmpi"):
        coll = built(source, work, mpi)
        if coll is not None:
            worse += compare(mpi, wanted.build.resolve(), cases(coll, wanted.only),
                             lambda code, text: code == 0 and "No Errors" in text)
    return 1 if worse else 0


if __name__ == "__main__":
    sys.exit(main())
