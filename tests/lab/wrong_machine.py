#!/usr/bin/env python3
"""A machine that was described wrongly costs nothing once trials are over: real MPI on an emulated machine.

usage: wrong_machine.py BUILD [--mpi NAME] [--only swapped|fast] [--bytes 8,16384]       (make bench-wrong-machine)
Every blocking collective, with what was decided in its first calls, against the MPI library's own in the same run:
once the sites are swapped in the description, once the WAN is called a LAN. Fails if a cell is slower than native by
more than 5 %. Needs root and TUN (else exit 77).
"""
import argparse
import os
import pathlib
import re
import signal
import subprocess
import sys
import tempfile

STATE = f"/run/espalier-wrong-{os.getpid()}"
TRUE = "site:2(10ms,100Mbit/s,name=wan) machine:1|2(250us,1Gbit/s,name=lan) proc:4"
WRONG = {
    "swapped": "site:2(10ms,100Mbit/s,name=wan) machine:2|1(250us,1Gbit/s,name=lan) proc:4",
    "fast": "site:2(20us,10Gbit/s,name=wan) machine:1|2(250us,1Gbit/s,name=lan) proc:4",
}


def lab(build, *words, **more):
    return subprocess.run([str(build / "bin" / "espalier"), "lab", *words], check=False, text=True,
                          env={**os.environ, "ESPALIER_LAB": STATE}, **more)


def play(build, mpi, name, sizes):
    """How many cells are slower; prints all."""
    with tempfile.TemporaryDirectory() as folder:
        machine = pathlib.Path(folder) / "machine"
        machine.write_text(WRONG[name] + "\n")
        print(f"{mpi}: {name}: described as {WRONG[name]}", flush=True)
        words = ["run", "--mpi", mpi, "--preload", str(build / "lib" / "libespalier.so"), "--env",
                 f"ESPALIER_MACHINE={machine}", "--", str(build / "mpi" / f"never_slower.{mpi}"), "--quick", "--all-bytes", sizes]
        ran = lab(build, *words, stdout=subprocess.PIPE)
    print(ran.stdout, end="", flush=True)
    found = re.search(r"(\d+) slower$", ran.stdout.strip())
    if ran.returncode != 0 or not found:
        print(f"FAILED {mpi} {name}: exit code {ran.returncode}, and no summary")
        return 1
    return int(found[1])


def main():
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(143))  # through `finally`: no lab stays behind
    parser = argparse.ArgumentParser()
    parser.add_argument("build", type=pathlib.Path)
    parser.add_argument("--mpi", choices=["mpich", "openmpi"])
    parser.add_argument("--only", choices=list(WRONG))
    parser.add_argument("--bytes", default="8,16384,1048576")
    options = parser.parse_args()
    build = options.build.resolve()
    up = lab(build, "up", TRUE, capture_output=True)
    if up.returncode != 0:
        print(up.stderr.strip())
        return 77 if "a lab needs root" in up.stderr else 1
    slower = 0
    try:
        for mpi in [options.mpi] if options.mpi else ["mpich", "openmpi"]:
            for name in [options.only] if options.only else WRONG:
                slower += play(build, mpi, name, options.bytes)
    finally:
        lab(build, "down", capture_output=True)
    print(f"{slower} slower")
    return 1 if slower else 0


if __name__ == "__main__":
    sys.exit(main())
