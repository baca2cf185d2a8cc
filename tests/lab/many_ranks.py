#!/usr/bin/env python3
"""Many real ranks on the hosts of a lab: start, calls, results, messages on each level; both MPIs.

usage: many_ranks.py BUILD [--hosts 16] [--each 16] [--calls 1000] [--mpi mpich,openmpi] [--seconds 600]   (make bench-many)

For each MPI the program tests/lab/many_ranks.cpp runs
  native        without the library
  named         with the library, which is told the machine: results, and messages and bytes on each level as planned
  cold, warm    with the library, which finds the machine in MPI_Init (ESPALIER_FORCE=1), without and with a cache
Ranks sleep while they wait, without real-time priority: with many times as many ranks as cores that would starve all others.
Skipped (exit code 77) without root and TUN.
"""
import argparse
import os
import pathlib
import subprocess
import sys
import tempfile
import time

STATE = os.environ.get("ESPALIER_LAB", f"/run/espalier-many-{os.getpid()}")


def run(words, seconds, **more):
    return subprocess.run([str(w) for w in words], capture_output=True, text=True, check=False, timeout=seconds,
                          env={**os.environ, "ESPALIER_LAB": STATE}, **more)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("build")
    parser.add_argument("--hosts", type=int, default=16)
    parser.add_argument("--each", type=int, default=16)
    parser.add_argument("--calls", type=int, default=1000)
    parser.add_argument("--mpi", default="mpich,openmpi")
    parser.add_argument("--how", default="native,named,cold,warm")
    # 256 ranks take 196 s on 2 busy cores, 40 of them to start (docs/lab.md): three times that.
    parser.add_argument("--seconds", type=int, default=600, help="of each run")
    options = parser.parse_args()
    build = pathlib.Path(options.build).resolve()
    espalier = build / "bin/espalier"
    sites = 2 if options.hosts % 2 == 0 else 1
    machine = (f"site:{sites}(10ms,1Gbit/s,name=wan) machine:{options.hosts // sites}(250us,1Gbit/s,name=lan) "
               f"proc:{options.each}")
    up = run([espalier, "lab", "up", machine], 120)
    if up.returncode != 0:
        print(up.stderr.strip())
        return 77 if "a lab needs root" in up.stderr else 1
    bad = 0
    try:
        with tempfile.TemporaryDirectory() as folder:
            for mpi in options.mpi.split(","):
                for how in options.how.split(","):
                    bad += not one_run(espalier, build, mpi, how, folder, options)
    finally:
        run([espalier, "lab", "down"], 60)
    return 1 if bad else 0


def one_run(espalier, build, mpi, how, folder, options):
    words = [espalier, "lab", "run", "--env", "ESPALIER_LAB_PRIORITY=0"]
    if how != "native":
        words += ["--preload", build / "lib/libespalier.so", "--env", "ESPALIER_FORCE=1"]
    if how in ("cold", "warm"):
        words += ["--env", "ESPALIER_MACHINE=", "--env", f"XDG_CACHE_HOME={folder}/{mpi}"]
    words += ["--", build / f"mpi/many_ranks.{mpi}", "--calls", options.calls]
    begin = time.monotonic()
    try:
        ran = run(words, options.seconds)
        text, code = ran.stdout.strip() or ran.stderr.strip()[-600:], ran.returncode
    except subprocess.TimeoutExpired:
        text, code = f"not ended after {options.seconds} s", -1
    ranks = options.hosts * options.each
    print(f"{mpi:8} {how:6} {ranks} ranks {time.monotonic() - begin:6.1f} s, code {code}: {text}", flush=True)
    return code == 0


if __name__ == "__main__":
    sys.exit(main())
