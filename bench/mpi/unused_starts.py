#!/usr/bin/env python3
"""What planning of non-blocking calls costs a program that makes none: instructions of ours for each call that blocks.

    unused_starts.py BUILD [VALUE ...]        values of ESPALIER_NONBLOCKING, 0 and measured if none is given

Two ranks under valgrind's callgrind; only what runs in our own libraries is counted, so waiting inside the MPI library is not. Handed on: calls
that are native, on one node. Planned: forced, on a machine with a far link; there our own polling is counted too, so that runs differ
much. A round is a broadcast, an allreduce and a barrier: its figure is the difference of two runs with other numbers of rounds. Start:
instructions of the shorter run. For each, rank 0 and rank 1.
"""
import os
import pathlib
import re
import subprocess
import sys
import tempfile

NEAR = ["ESPALIER_CACHE=0", "ESPALIER_TRIAL=0"]  # trials depend on clocks
FAR = ["ESPALIER_MACHINE=site:2(10ms,100Mbit/s) proc:1(1us)", "ESPALIER_FORCE=1"]
FEW, MANY = 50, 250
ROOT = pathlib.Path(__file__).resolve().parents[2]


def own_instructions(file):
    """Of our own libraries, without what they call."""
    own, total, skips, names = False, 0, False, {}
    for line in file.read_text(errors="replace").splitlines():
        found = re.match(r"ob=\((\d+)\)(?: (.*))?", line)
        if found:
            if found.group(2):
                names[found.group(1)] = found.group(2)
            own = "libespalier" in names[found.group(1)]
        elif line.startswith("cob=") or line.startswith("cfi=") or line.startswith("cfn="):
            found = re.match(r"cob=\((\d+)\) (.*)", line)
            if found:
                names[found.group(1)] = found.group(2)
        elif line.startswith("calls="):
            skips = True
        elif re.match(r"[0-9+*-]", line):
            if own and not skips:
                total += int(line.split()[1])
            skips = False
    return total


def run(build, mpi, settings, calls):
    """Instructions of rank 0 and rank 1."""
    with tempfile.TemporaryDirectory() as folder:
        line = [sys.executable, str(ROOT / "tests/mpi/launch.py"), mpi, "2", f"{build}/lib/libespalier.so", *settings, "--", "valgrind", "-q",
                "--tool=callgrind", f"--callgrind-out-file={folder}/out.%q{{{'PMI_RANK' if mpi == 'mpich' else 'OMPI_COMM_WORLD_RANK'}}}",
                f"{build}/mpi/only_blocking.{mpi}", str(calls)]
        subprocess.run(line, check=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, env=os.environ)
        return [own_instructions(pathlib.Path(folder) / f"out.{rank}") for rank in (0, 1)]


def main():
    build = str(pathlib.Path(sys.argv[1]).resolve())
    values = sys.argv[2:] or ["0", "measured"]
    print(f"{'':30}{'start':>24}{'a round':>20}")
    for mpi in ("mpich", "openmpi"):
        for how, settings in (("handed on", NEAR), ("planned", FAR)):
            for value in values:
                named = [*settings, f"ESPALIER_NONBLOCKING={value}"]
                few, many = run(build, mpi, named, FEW), run(build, mpi, named, MANY)
                rounds = [(b - a) / (MANY - FEW) for a, b in zip(few, many)]
                print(f"{mpi + ', ' + how + ', ' + value:30}{few[0]:>12}{few[1]:>12}{rounds[0]:>10.1f}{rounds[1]:>10.1f}", flush=True)


if __name__ == "__main__":
    main()
