#!/usr/bin/env python3
"""MPICH's own test suite, what of it is about collectives, communicators, types and threads: natively and along plans.

    mpich_suite.py BUILD WORK [MPI ...] [--parts PART ...] [--only NAME ...] [--how forced|measured] [--blocks-first]

Its source comes from Debian at run time and stays in WORK. Open MPI cannot compile all of it; what it cannot is named.
"""
import argparse
import os
import pathlib
import subprocess
import sys

from compare import HOW, compare
from obtain import blocks_first, debian_source, gives_way, say

PARTS = ["coll", "errors/coll", "threads/coll", "threads/comm", "f77/coll", "f90/coll", "f08/coll", "comm", "datatype"]
HELPERS = ["dtpools", "util"]


def configured(source, folder, mpi):
    if (folder / "f08" / "coll" / "Makefile").exists():
        return True
    folder.mkdir(exist_ok=True)
    compilers = [f"MPICC=mpicc.{mpi}", f"MPIF77=mpif77.{mpi}", f"MPIFC=mpif90.{mpi}", "CC=gcc", "F77=gfortran",
                 "FC=gfortran"]
    # Some take minutes to optimise. One routine is called with arguments of different types, which gfortran refuses since
    # version 10; Debian's wrappers of MPICH tell it not to, those of Open MPI do not.
    flags = ["CFLAGS=-O0", *(f"{kind}=-O0 -fallow-argument-mismatch" for kind in ("FFLAGS", "FCFLAGS"))]
    if mpi == "openmpi":  # its helpers use what MPI 3 took away
        flags.append("CPPFLAGS=-DOMPI_OMIT_MPI1_COMPAT_DECLS=0")
    configure = [source / "test/mpi/configure", "-q", "--disable-cxx", "--enable-fortran=all", "--disable-romio",
                 "--disable-rma", "--disable-spawn", "--enable-threads=multiple", *compilers, *flags]
    done = subprocess.run(configure, cwd=folder, capture_output=True, text=True, check=False)
    if done.returncode != 0:
        say(f"skipped: MPICH's tests with {mpi}: configure: {(done.stderr.strip().splitlines() or ['failed'])[-1]}")
    return done.returncode == 0


def built(source, work, mpi, parts):
    folder = work / f"build.{mpi}"
    if not configured(source, folder, mpi):
        return None
    jobs = f"-j{os.cpu_count()}"
    # Configured outside of MPICH's own build, the suite leaves out what some of its Fortran tests are linked with.
    for language in ("f77", "f90", "f08"):
        subprocess.run(["make", "-C", "util", f"libmtest_{language}.la",
                        f"am_libmtest_{language}_la_OBJECTS=mtest_{language}.lo"], cwd=folder, capture_output=True,
                       check=False)
    for part in HELPERS + parts:
        if (folder / part / "Makefile").exists():
            subprocess.run(["make", "-k", jobs, "-C", part], cwd=folder, capture_output=True, check=False)
    return folder


def listed(lists):
    """(program, ranks, arguments, settings, is_meant_to_fail) of each line of the suite's list."""
    path = next((path for path in lists if path.exists()), None)
    for line in path.read_text().splitlines() if path else ():
        words = line.split("#")[0].split()
        if len(words) < 2 or not words[1].isdigit():
            continue
        options = [word.split("=", 1) for word in words[2:] if "=" in word]
        fails = any(key in ("resultTest", "xfail") for key, _ in options)
        arguments = [value for key, value in options if key == "arg"]
        settings = [value for key, value in options if key == "env"]
        yield words[0], int(words[1]), arguments, settings, fails


def cases(source, folder, part, only):
    missing, failing, here = set(), set(), folder / part
    lists = [here / "testlist", source / "test/mpi" / part / "testlist"]
    for program, ranks, arguments, settings, is_meant_to_fail in listed(lists):
        if only and program not in only:
            continue
        if is_meant_to_fail:
            failing.add(program)
            continue
        if not (here / program).exists():
            missing.add(program)
            continue
        name = " ".join([f"{part}/{program}", f"-n {ranks}", *arguments, *settings])
        yield name, ranks, [here / program, *arguments], here, settings
    for names, why in ((missing, "not built"), (failing, "not run, since the suite itself expects them to fail")):
        if names:
            say(f"  {why}: {part}: {', '.join(sorted(names))}")


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("build", type=pathlib.Path)
    parser.add_argument("work", type=pathlib.Path)
    parser.add_argument("mpis", nargs="*")
    parser.add_argument("--parts", nargs="+", default=PARTS)
    parser.add_argument("--only", nargs="+", default=[])
    parser.add_argument("--how", choices=list(HOW), default="forced", help="how calls are planned")
    parser.add_argument("--blocks-first", action="store_true",
                        help="communicators begin with calls that block, so that those that do not can be planned")
    wanted = parser.parse_args()
    work = wanted.work.resolve()
    work.mkdir(parents=True, exist_ok=True)
    source = debian_source("mpich", work)
    if source is None:
        return 0
    worse = []
    for mpi in wanted.mpis or ("mpich", "openmpi"):
        folder = built(source, work, mpi, wanted.parts)
        if folder is None:
            continue
        for part in wanted.parts:
            say(f"{mpi}: {part}:")
            worse += compare(mpi, wanted.build.resolve(), cases(source, folder, part, wanted.only),
                             lambda code, text: code == 0 and "No Errors" in text, seconds=100,
                             preloads=gives_way(mpi, work), how=wanted.how,
                             before=[blocks_first(mpi, work)] if wanted.blocks_first else [])
    return 1 if worse else 0


if __name__ == "__main__":
    sys.exit(main())
