#!/usr/bin/env python3
"""The programs of examples/npb do what the workloads of the same names say: recorded, they have the same trace.

    recorded_workloads.py ESPALIER MPI EXAMPLES RANKS PROGRAM ...
"""
import json
import pathlib
import subprocess
import sys
import tempfile

from recorded import run, unfolded


def workload(espalier, name, ranks):
    done = subprocess.run([espalier, "profile", "show", name, "-n", ranks, "--json"], stdout=subprocess.PIPE, check=True)
    return json.loads(done.stdout)


def trace(profile, rank):
    """Without the computation, and without messages that a process sends itself."""
    return [a for a in unfolded(profile["trace"][rank]["actions"]) if a[0] not in ("send", "recv") or a[1] != rank]


# The program's own last words: how many were wrong, and the time.
END = [["reduce", 4, 0, 0], ["reduce", 8, 0, 0]]


def compare(program, recorded, made, ranks):
    for rank in range(ranks):
        got, wanted = trace(recorded, rank), trace(made, rank) + END
        if program == "is":  # keys go as they fall: alltoallv, not alltoall
            got = [a for a in got if a[0] not in ("send", "recv")]
            wanted = [a for a in wanted if a[0] != "alltoall" or a[1] == 4]
        assert got == wanted, (program, rank, len(got), len(wanted),
                               next(((i, a, b) for i, (a, b) in enumerate(zip(got, wanted)) if a != b), None))
    assert recorded["pairs"] == made["pairs"], program


def main():
    espalier, mpi, examples, ranks, *programs = sys.argv[1:]
    for program in programs:
        with tempfile.TemporaryDirectory() as name:
            arguments = ["S", "--heavy", "2", "--steps", "100"]
            file = run(espalier, mpi, int(ranks), f"{examples}/{program}.{mpi}", arguments, pathlib.Path(name))
            made = workload(espalier, f"{program}.S" + (":heavy=2" if program == "lu" else ""), ranks)
            compare(program, json.loads(file.read_text()), made, int(ranks))
            print(f"{program}.S on {ranks}: as the workload says")


if __name__ == "__main__":
    main()
