"""Programs on the lab under each stack: as they are, with exported rules, with Espalier's library that knows nothing, something or all.

| stack | what the ranks have |
| native | the MPI library as it is |
| rules | the files of `espalier export`, nothing preloaded |
| cold | Espalier's library by default, nothing known: it finds the machine itself |
| warm | the same, with what an earlier run of the program found out |
| told | Espalier's library, and the lab's machine told to it |
"""
import json
import math
import pathlib
import re
import subprocess
from dataclasses import dataclass

STACKS = ["native", "rules", "cold", "warm", "told"]


@dataclass
class Place:
    """Where all happens. Files that ranks read must not lie in /tmp, of which hosts of a lab have their own."""
    tool: pathlib.Path
    build: pathlib.Path
    work: pathlib.Path
    state: str
    machine: str
    ranks: int = 12  # of the machine


class Failed(Exception):
    pass


def of_first_ranks(machine, all_ranks, ranks):
    """The line of a machine with the first ranks of this one alone; None if there is no such line."""
    if ranks == all_ranks:
        return machine
    levels = [(name, int(count), rest) for name, count, rest in re.findall(r"(\w+):(\d+)((?:\([^()|*]*\))?)", machine)]
    is_line = " ".join(f"{name}:{count}{rest}" for name, count, rest in levels) == machine and levels[0][0] != "random"
    if not is_line or math.prod(count for _, count, _ in levels) != all_ranks:
        return None  # a file, parts that differ, another placement
    out, below = [], all_ranks
    for name, count, rest in levels:
        below //= count
        if ranks > below and ranks % below != 0:
            return None  # the last part would have fewer
        out.append(f"{name}:{max(1, ranks // below)}{rest}")
        ranks = min(ranks, below)
    return " ".join(out)


def rules_of(place, mpi, ranks):
    """Variables that make the MPI library read the files of `espalier export`, which are written once."""
    folder = place.work / f"rules-{mpi}-{ranks}"
    if not folder.exists():
        folder.mkdir()
        machine = of_first_ranks(place.machine, place.ranks, ranks)
        promise = ["--commutative"] if mpi == "openmpi" else []
        subprocess.run([place.tool, "export", mpi, "-m", machine, "--output", folder, "--force", *promise], stdout=subprocess.DEVNULL,
                       check=True)
    if mpi == "openmpi":
        return ["OMPI_MCA_coll_tuned_use_dynamic_rules=1", "OMPI_MCA_coll_han_priority=0",
                f"OMPI_MCA_coll_tuned_dynamic_rules_filename={folder}/openmpi-rules.conf"]
    return [f"MPIR_CVAR_COLL_SELECTION_TUNING_JSON_FILE={folder}/mpich-collectives.json",
            f"MPIR_CVAR_CH4_COLL_SELECTION_TUNING_JSON_FILE={folder}/mpich-compositions.json"]


def options_of(place, stack, mpi, job, number):
    """Options of `espalier lab run`. The cache is in memory of the hosts; every cold run has an empty one."""
    if stack == "native":
        return []
    if stack == "rules":
        return [word for rule in rules_of(place, mpi, job.ranks) for word in ("--env", rule)]
    if stack == "told":
        return ["--espalier", "--env", "ESPALIER_CACHE=0"]
    cache = f"/tmp/cache-{'warm' if stack == 'warm' else f'cold-{number}'}-{job.name}-{mpi}"
    return ["--espalier", "--env", "ESPALIER_MACHINE=", "--env", f"XDG_CACHE_HOME={cache}"]


def lived(file):
    """Seconds of the rank that lived longest."""
    lines = [line.split() for line in file.read_text().splitlines()] if file.exists() else []
    return max((int(line[1]) / 1e9 for line in lines), default=None)


def run(place, mpi, job, stack, number=0, extra=()):
    """Seconds that the program took, by its longest rank. Raises Failed if it was wrong or did not end in its time."""
    times = place.work / "times"
    times.unlink(missing_ok=True)
    variables = [word for one in [f"ESPALIER_LAB_TIMES={times}", *job.variables] for word in ("--env", one)]
    line = [place.tool, "lab", "run", "--state", place.state, "--mpi", mpi, "-n", job.ranks, *variables,
            *options_of(place, stack, mpi, job, number), *extra, "--", *job.words]
    try:
        done = subprocess.run(list(map(str, line)), cwd=job.folder or place.work, capture_output=True, text=True, errors="replace",
                              timeout=job.seconds, check=False)
    except subprocess.TimeoutExpired:
        raise Failed(f"{stack}: did not end within {job.seconds} s") from None
    if done.returncode != 0 or not job.is_right(done.stdout):
        raise Failed(f"{stack}: exit code {done.returncode}: " + "\n".join((done.stdout + done.stderr).strip().splitlines()[-6:]))
    took = lived(times)
    if took is None:
        raise Failed(f"{stack}: no rank wrote how long it lived to {times}")
    return took


def recorded(place, mpi, job, stack):
    """The profile of one run: what was called, and how long ranks were in it."""
    file = place.work / "program.profile"
    file.unlink(missing_ok=True)
    run(place, mpi, job, stack, number="recorded", extra=["--profile", file])
    return json.loads(file.read_text())
