#!/usr/bin/env python3
"""`espalier run --profile`: what a program did is what its profile says, action by action.

    recorded.py ESPALIER MPI RANKS SEED PROGRAM [FORTRAN_PROGRAM ...]

PROGRAM (recorded.cpp) writes down itself what it does; a program of Fortran writes the same notes of a fixed sequence.
"""
import json
import os
import pathlib
import subprocess
import sys
import tempfile


def unfolded(actions):
    for action in actions:
        if action[0] == "loop":
            body = list(unfolded(action[2]))
            for _ in range(action[1]):
                yield from body
        elif action[0] != "compute":
            yield action


def line_of(action, profile):
    if action[0] in ("send", "recv"):
        return " ".join(str(word) for word in action)
    members = profile["processes"] if action[3] == 0 else len(profile["communicators"][action[3] - 1])
    return f"{action[0]} {action[1]} {action[2]} {members}"


def pairs_of(notes):
    pairs = {}
    for rank, lines in enumerate(notes):
        for words in (line.split() for line in lines):
            if words[0] == "send":
                messages, size = pairs.get((rank, int(words[1])), (0, 0))
                pairs[rank, int(words[1])] = (messages + 1, size + int(words[2]))
    return pairs


def run(espalier, mpi, ranks, program, arguments, folder, binding=()):
    launcher = [f"mpiexec.{mpi}", *binding]
    if mpi == "openmpi":
        launcher += ["--allow-run-as-root", "--oversubscribe", "--mca", "mpi_yield_when_idle", "1"]
    file = folder / "app.profile"
    variables = dict(os.environ)
    polite = pathlib.Path(espalier).resolve().parents[1] / "mpi" / "give_way.so"
    if mpi == "mpich" and polite.exists():
        variables["LD_PRELOAD"] = str(polite)
    if "SANITIZER_RUNTIME" in os.environ:  # the recorder is preloaded before it; and MPIs leak
        variables["ASAN_OPTIONS"] = "verify_asan_link_order=0:detect_leaks=0"
    done = subprocess.run([espalier, "run", "--profile", str(file), "--", *launcher, "-n", str(ranks), program, *arguments],
                          stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, timeout=1400, check=False,
                          env=variables)
    assert done.returncode == 0, done
    assert f"the profile of {ranks} processes is in {file}" in done.stderr, done.stderr
    assert [p.name for p in folder.iterdir() if p.name.startswith("app.profile")] == ["app.profile"]
    return file


def check(file, folder, ranks):
    profile = json.loads(file.read_text())
    assert profile["processes"] == ranks
    notes = [(folder / str(rank)).read_text().splitlines() for rank in range(ranks)]
    for rank, process in enumerate(profile["trace"]):
        seen = [line_of(action, profile) for action in unfolded(process["actions"])]
        assert 0 < process["in_collectives_ps"] < process["in_mpi_ps"] < process["ran_ps"]
        for at, (got, wanted) in enumerate(zip(seen, notes[rank])):
            assert got == wanted, f"rank {rank}, action {at}: \"{got}\", not \"{wanted}\""
        assert len(seen) == len(notes[rank]), (rank, len(seen), len(notes[rank]))
    sent = {}
    for key in ("pairs", "executed"):
        for source, to, messages, size in profile[key]:
            old = sent.get((source, to), (0, 0))
            sent[source, to] = (old[0] + messages, old[1] + size)
    for pair, (messages, size) in pairs_of(notes).items():
        assert sent[pair][0] >= messages and sent[pair][1] >= size, (pair, sent[pair], messages, size)
    return sum(len(lines) for lines in notes)


def shown(espalier, file):
    done = subprocess.run([espalier, "profile", "show", str(file)], stdout=subprocess.PIPE, text=True, check=False)
    assert done.returncode == 0 and done.stdout, done


def computed(actions):
    """Picoseconds of computation."""
    total = 0
    for action in actions:
        if action[0] == "loop":
            total += action[1] * computed(action[2])
        elif action[0] == "compute":
            total += action[1]
    return total


def crowded(espalier, mpi, program):
    """Four processes that may use one core, as in a container of one: computation is what each of them computes."""
    cores = os.sched_getaffinity(0)
    with tempfile.TemporaryDirectory() as name:
        os.sched_setaffinity(0, {min(cores)})
        try:
            file = run(espalier, mpi, 4, program, [name, "--compute", "200"], pathlib.Path(name),
                       ["--bind-to", "none"] if mpi == "openmpi" else [])
        finally:
            os.sched_setaffinity(0, cores)
        for rank, process in enumerate(json.loads(file.read_text())["trace"]):
            took = computed(process["actions"]) / 1e9
            assert 190 < took < 400, f"rank {rank} computed for 200 ms, and {took} ms are recorded"


def refused(espalier, mpi, program):
    done = subprocess.run([espalier, "run", "--profile", "/nowhere/app.profile", "--", f"mpiexec.{mpi}", "-n", "1", program],
                          stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, check=False)
    assert done.returncode == 2 and 'there is no folder "/nowhere"' in done.stderr, done


def main():
    espalier, mpi, ranks, seed, *programs = sys.argv[1:]
    for program in programs:
        with tempfile.TemporaryDirectory() as name:
            folder = pathlib.Path(name)
            file = run(espalier, mpi, int(ranks), program, [name, "--seed", seed], folder)
            count = check(file, folder, int(ranks))
            shown(espalier, file)
            print(f"{program}, seed {seed}: {count} actions, all as they were")
    if int(ranks) == 4:
        crowded(espalier, mpi, programs[0])
    refused(espalier, mpi, programs[0])


if __name__ == "__main__":
    main()
