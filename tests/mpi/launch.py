#!/usr/bin/env python3
"""Runs a program under one of the two MPIs with our library preloaded, as the tests want it.

    launch.py MPI RANKS LIBRARY [NAME=VALUE ...] -- PROGRAM [ARGUMENT ...]

LIBRARY may be "-" for none. Ranks of MPICH give way to others while they poll, if give_way.so lies beside the program. Exits with the launcher's code, or, where $LAUNCH_CODE names the codes that a job
which is to fail must end with, with 0 if it did. With $LAUNCH_SPAWNS the launcher itself has the settings too, and so have the
processes that ranks spawn: PRRTE does not hand those of -x on. $LAUNCH_FORGIVES is what MPI may end a program with in MPI_Finalize, when all ranks
have passed their checks. A run that takes longer than $LAUNCH_SECONDS (default 1400) is
ended and counts as a failure.
"""
import os
import pathlib
import subprocess
import sys
import tempfile


def all_settings(mpi, library, settings, program):
    """With what is preloaded among them."""
    preloads = [library] if library != "-" else []
    polite = pathlib.Path(program[0]).with_name("give_way.so")
    if mpi == "mpich" and polite.exists():
        preloads.append(str(polite))
    if "SANITIZER_RUNTIME" in os.environ:
        if preloads:
            preloads.insert(0, os.environ["SANITIZER_RUNTIME"])  # it must come first
        settings = settings + [("ASAN_OPTIONS", "detect_leaks=0")]  # MPIs leak
    return settings + [("LD_PRELOAD", " ".join(preloads))] if preloads else settings


def command(mpi, ranks, library, settings, program):
    # Two cores for all: ranks that poll must give way.
    if mpi == "mpich":
        line = ["mpiexec.mpich", "-n", ranks]
        flag = "-genv"
    else:
        line = ["mpiexec.openmpi", "--allow-run-as-root", "--oversubscribe", "--mca", "mpi_yield_when_idle", "1",
                "-n", ranks]
        flag = "-x"
    for name, value in all_settings(mpi, library, settings, program):
        line += [flag, name, value] if mpi == "mpich" else [flag, f"{name}={value}"]
    return line + program


def end(job):
    """A launcher that is asked to end takes its ranks along; one that is killed may leave them behind."""
    job.terminate()
    try:
        job.wait(10)
    except subprocess.TimeoutExpired:
        job.kill()


def main():
    at = sys.argv.index("--")
    mpi, ranks, library, *settings = sys.argv[1:at]
    settings, program = [tuple(s.split("=", 1)) for s in settings], sys.argv[at + 1:]
    line = command(mpi, ranks, library, settings, program)
    own = dict(all_settings(mpi, library, settings, program)) if "LAUNCH_SPAWNS" in os.environ else {}
    forgives = os.environ.get("LAUNCH_FORGIVES")
    with tempfile.TemporaryFile("w+", errors="replace") as said:
        kept = {"stdout": said, "stderr": said} if forgives else {}
        with subprocess.Popen(line, env={**os.environ, **own}, **kept) as job:
            try:
                code = job.wait(float(os.environ.get("LAUNCH_SECONDS", "1400")))
            except subprocess.TimeoutExpired:
                print(f"launch: not done in time: {' '.join(line)}", file=sys.stderr)
                end(job)
                return 124
        said.seek(0)
        output = said.read()
        sys.stdout.write(output)
        if forgives and forgives in output and "FAILED" not in output and output.count("all checked") == int(ranks):
            return 0
    wanted = os.environ.get("LAUNCH_CODE")
    if wanted is None:
        return code
    if str(code) in wanted.split():
        return 0
    print(f"launch: the job ended with {code}, not {wanted}", file=sys.stderr)
    return 1


if __name__ == "__main__":
    sys.exit(main())
