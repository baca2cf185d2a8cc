#!/usr/bin/env python3
"""The files that `espalier place` writes start real programs in a lab, on both MPIs, and every process is where it was put. And
the skeletons of examples/npb run there.

usage: rank_files.py ESPALIER WHERE.mpich WHERE.openmpi EXAMPLES
Skipped (exit code 77) with one line where root or TUN is missing.
"""
import json
import os
import pathlib
import re
import subprocess
import sys
import tempfile

from launchers import launchers
from patience import PATIENCE

ESPALIER, MPICH, OPENMPI, EXAMPLES = sys.argv[1:]
STATE = f"/run/espalier-lab-place-{os.getpid()}"
MACHINE = "site:2(5ms,100Mbit/s) machine:2(250us,1Gbit/s) proc:2"
SKIPPED = 77
SHIM = pathlib.Path(ESPALIER).resolve().parents[1] / "lib" / "libespalier-lab-shim.so"
INVENTORY = {
    "format": "espalier-inventory-1", "name": "lab",
    "between": {"latency": "5 ms", "bandwidth": "100 Mbit/s"}, "inside": {"latency": "250 us", "bandwidth": "1 Gbit/s"},
    # Listed in turn, so that placing them as listed is bad.
    "hosts": [{"name": f"site{s}-machine{m}", "cluster": f"site{s}", "slots": 2} for m in range(2) for s in range(2)],
}
LAUNCHERS = launchers(STATE, SHIM)
# The last word is followed by the file, or ends with "=" and takes it.
IS_PRRTE = "OpenRTE" not in subprocess.run(["mpiexec.openmpi", "--version"], stdout=subprocess.PIPE, text=True,
                                           check=True).stdout
FORMS = [("openmpi-rankfile", "openmpi", ["--rankfile"], OPENMPI),
         ("openmpi-hostfile", "openmpi", ["--bind-to", "none", "--map-by", "seq:OVERSUBSCRIBE", "--hostfile"], OPENMPI),
         ("mpich-machinefile", "mpich", ["-f"], MPICH)]
if IS_PRRTE:
    FORMS.append(("openmpi-rankfile", "openmpi", ["--map-by", "rankfile:file="], OPENMPI))


def lab(action, *arguments, timeout=PATIENCE):
    return subprocess.run([ESPALIER, "lab", action, "--state", STATE, *map(str, arguments)], stdout=subprocess.PIPE,
                          stderr=subprocess.PIPE, text=True, timeout=timeout, check=False)


def place(inventory, form, file, *options):
    done = subprocess.run([ESPALIER, "place", "--profile", "cg.S", "-n", "8", "-i", str(inventory), "--format", form, "-o",
                           str(file), "--json", *options], stdout=subprocess.PIPE, text=True, check=True)
    return [rank["host"] for rank in json.loads(done.stdout)["ranks"]]


def check_where(folder, inventory):
    for form, mpi, options, program in FORMS:
        for pins in ([], ["--pin", "0=site1-machine1", "--pin", "5=site0-machine0"]):
            file = folder / form.replace("-", "_")  # Open MPI 5.0.7 takes no rankfile with a "-" in its name
            wanted = place(inventory, form, file, *pins)
            hosts = [] if "rankfile" not in form else ["--host", ",".join(f"{host['name']}:2" for host in INVENTORY["hosts"])]
            named = [*hosts, *options[:-1], f"{options[-1]}{file}"] if options[-1].endswith("=") else [*hosts, *options, file]
            ran = lab("exec", "site0-machine0", "--", *LAUNCHERS[mpi], "-n", 8, *named, program)
            found = dict(re.findall(r"^rank (\d+) (\S+)$", ran.stdout, re.MULTILINE))
            assert [found.get(str(rank)) for rank in range(8)] == wanted, (form, ran.stdout, ran.stderr, wanted)
            print(f"{form}: 8 processes where they were put{', two of them pinned' if pins else ''}")


def check_workloads():
    """Every skeleton, by both MPIs in turn (LONG_TESTS=1: by each of them): nothing wrong arrives."""
    skeletons = ("lu", "mg", "is", "ep", "cg", "ft")
    is_long = "LONG_TESTS" in os.environ
    for turn, mpi in enumerate(("openmpi", "mpich")):
        for name in skeletons if is_long else skeletons[turn::2]:
            ran = lab("run", "-n", 8, "--", f"{EXAMPLES}/{name}.{mpi}", "S", "--steps", "4", "--heavy", "1")
            assert ran.returncode == 0 and ", 0 wrong" in ran.stdout, (name, mpi, ran)
            print(ran.stdout.strip(), f"({mpi})")


def main():
    ran = lab("up", MACHINE)
    if ran.returncode != 0:
        if "a lab needs root" in ran.stderr:
            print("skipped: a lab needs root, namespaces and TUN")
            return SKIPPED
        print(ran.stderr, file=sys.stderr)
        return 1
    try:
        with tempfile.TemporaryDirectory(dir="/var/tmp") as name:  # a lab's hosts have a /tmp of their own
            folder = pathlib.Path(name)
            inventory = folder / "inventory.json"
            inventory.write_text(json.dumps(INVENTORY))
            check_where(folder, inventory)
            check_workloads()
    finally:
        lab("down")
    return 0


if __name__ == "__main__":
    sys.exit(main())
