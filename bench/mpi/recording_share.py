#!/usr/bin/env python3
"""What recording a profile costs the programs of examples/npb, by where the processor is found.

    recording_share.py BUILD [CLASS [RANKS [STEPS]]]

Linux's perf looks 4,000 times a second which library each process is in. The recorder's share is that of its own library, and of
the clock ([vdso]) and libc beyond what they have without it: other work on the machine makes runs longer, but changes this little,
where two runs by the clock differ by more than is to be seen. Waiting counts as the program's.
"""
import pathlib
import subprocess
import sys
import tempfile

PROGRAMS = ["lu", "mg", "is", "ep", "cg", "ft"]
MPIS = {"mpich": ["mpiexec.mpich"], "openmpi": ["mpiexec.openmpi", "--allow-run-as-root", "--oversubscribe"]}
HELPERS = ["[vdso]", "libc.so.6"]


def shares(command, folder):
    """Percent of all samples by library, and how many there were."""
    data = f"{folder}/perf.data"
    subprocess.run(["perf", "record", "-q", "-e", "cpu-clock:u", "-F", "4000", "-o", data, *command], check=True,
                   stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, cwd=folder)
    text = subprocess.run(["perf", "report", "-i", data, "--sort", "dso", "--stdio", "-n"], check=True, text=True,
                          stdout=subprocess.PIPE, stderr=subprocess.DEVNULL).stdout
    counts = {}
    for line in text.splitlines():
        words = line.split()
        if len(words) == 3 and words[0].endswith("%"):
            counts[words[2]] = int(words[1])
    return {name: 100 * n / sum(counts.values()) for name, n in counts.items()}, sum(counts.values())


def main():
    build = str(pathlib.Path(sys.argv[1]).resolve())
    letter, ranks, steps = (sys.argv[2:] + ["W", "2", "100"][len(sys.argv) - 2:])[:3]
    print(f"class {letter}, {ranks} processes, {steps} % of the steps; percent of samples")
    print(f"{'':14}{'recorder':>10}{'clock, libc':>13}{'together':>10}{'samples':>10}")
    for mpi, launcher in MPIS.items():
        for program in PROGRAMS:
            line = [*launcher, "-n", ranks, f"{build}/examples/{program}.{mpi}", letter, "--steps", steps]
            with tempfile.TemporaryDirectory() as folder:
                plain, _ = shares(line, folder)
                seen, count = shares([f"{build}/bin/espalier", "run", "--profile", f"{folder}/p", "--", *line], folder)
            own = seen.get(f"libespalier-profile-{mpi}.so", 0) + seen.get("libespalier-profile.so", 0)
            more = sum(max(0, seen.get(name, 0) - plain.get(name, 0)) for name in HELPERS)
            print(f"{program + ' ' + mpi:14}{own:>10.2f}{more:>13.2f}{own + more:>10.2f}{count:>10}", flush=True)


if __name__ == "__main__":
    main()
