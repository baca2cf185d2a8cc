#!/usr/bin/env python3
"""Workloads (examples/npb) under SimGrid's SMPI as several policies place them, beside their predictions.

    placement.py BUILD INVENTORY [--check] [--noise N] WORKLOAD ...

WORKLOAD is lu.C:heavy=1@4 and the like: 4 % of the time steps are run. A table of simulated seconds, what was predicted for
as many steps, and gains. With --noise N each is run N times, every latency between clusters off by up to 10 %, and half of the
95 % interval of the mean is printed. With --check it fails unless all that arrived was right, ours is at most 3 % slower than the
paper's policy, and the gains of the paper are met within 20 %.
"""
import json
import math
import os
import pathlib
import random
import subprocess
import sys
import tempfile

sys.path.insert(0, str(pathlib.Path(__file__).parent))
from launch import EXACT  # noqa: E402

POLICIES = ["sequential", "sorted", "full", "ours"]
STUDENT = {2: 12.706, 3: 4.303, 4: 3.182, 5: 2.776, 6: 2.571, 7: 2.447, 8: 2.365, 9: 2.306, 10: 2.262}
# What park2004 has: over no policy, over the sorted list.
PAPER = {"lu.C": (2.0, 1.4), "mg.W": (1.8, None), "is.W": (None, 1.0), "ep.C": (1.0, 1.0)}
MESSAGES = ["smpi/os:0:1e-5:0", "smpi/ois:0:1e-5:0", "smpi/or:0:1e-5:0"]  # as the inventory says: 10 us

# The runtime is linked in; what it does in the first collective would take simulated time.
WITHOUT_RUNTIME = os.environ | {"ESPALIER_DISABLE": "1"}


def simulated(build, directory, workload):
    """Seconds; a wrong message ends it all."""
    name, _, percent = workload.partition("@")
    name, _, heavy = name.partition(":heavy=")
    program, letter = name.split(".")
    arguments = [f"{build}/smpi/{program}.smpi", letter, "--steps", percent or "100", "--heavy", heavy or "0"]
    line = ["smpirun", "-platform", f"{directory}/platform.xml", "-hostfile", f"{directory}/hosts", "-np", "16",
            "--log=root.thres:warning", "--cfg=smpi/coll-selector:mpich"]
    line += [f"--cfg={option}" for option in EXACT + MESSAGES]
    done = subprocess.run(line + arguments, check=True, env=WITHOUT_RUNTIME, stdout=subprocess.PIPE, text=True).stdout
    words = done.split()
    if words[-2:] != ["0", "wrong"]:
        raise SystemExit(f"{workload}: {done}")
    return float(words[3])


def run(build, inventory, workload, policy):
    with tempfile.TemporaryDirectory() as directory:
        predicted = subprocess.run([f"{build}/bin/write_placement", workload.partition("@")[0], "16", inventory, policy, directory],
                                   check=True, stdout=subprocess.PIPE, text=True).stdout
        return simulated(build, directory, workload), float(predicted)


def noisy(inventory, seed, folder):
    """The inventory with every latency between clusters off by up to 10 %."""
    document = json.loads(pathlib.Path(inventory).read_text())
    rng = random.Random(seed)
    for link in document["links"]:
        value, unit = link["latency"].split()
        link["latency"] = f"{round(float(value) * rng.uniform(0.9, 1.1))} {unit}"
    file = pathlib.Path(folder, f"{seed}.json")
    file.write_text(json.dumps(document))
    return str(file)


def mean(values):
    middle = sum(values) / len(values)
    if len(values) < 2:
        return middle, 0
    spread = math.sqrt(sum((v - middle) ** 2 for v in values) / (len(values) - 1) / len(values))
    return middle, STUDENT[len(values)] * spread


def row(build, inventory, workload, runs):
    """(mean, half interval, predicted) of each policy."""
    cells = []
    with tempfile.TemporaryDirectory() as folder:
        inventories = [noisy(inventory, seed, folder) for seed in range(runs)] or [inventory]
        for policy in POLICIES:
            both = [run(build, one, workload, policy) for one in inventories]
            share = float(workload.partition("@")[2] or 100) / 100
            cells.append((*mean([t for t, _ in both]), mean([p for _, p in both])[0] * share))
    return cells


def judged(workload, times):
    """What is wrong with a row."""
    over_none, over_sorted = PAPER.get(workload.partition("@")[0].partition(":")[0], (None, None))
    if times[3] > 1.03 * times[2]:
        yield "ours is slower than the paper's policy"
    for wanted, got in ((over_none, times[0] / times[2]), (over_sorted, times[1] / times[2])):
        if wanted is not None and not wanted / 1.2 <= got <= wanted * 1.2:
            yield f"a gain of {got:.2f}; the paper's is {wanted}"


def main():
    words = sys.argv[1:]
    check = "--check" in words
    runs = 0
    if "--noise" in words:
        at = words.index("--noise")
        runs = int(words[at + 1])
        del words[at:at + 2]
    build, inventory, *workloads = [w for w in words if w != "--check"]
    bad = 0
    print(f"{'':14}" + "".join(f"{p:>32}" for p in POLICIES) + "   none/full sorted/full  full/ours")
    for workload in workloads:
        cells = row(build, inventory, workload, runs)
        times = [t for t, _, _ in cells]
        print(f"{workload:14}" + "".join(f"{t:>11.3f} +-{half:>6.3f} ({p:>9.3f})" for t, half, p in cells)
              + f"{times[0] / times[2]:>12.2f}{times[1] / times[2]:>12.2f}{times[2] / times[3]:>11.2f}", flush=True)
        for what in judged(workload, times):
            print(f"{workload}: {what}", file=sys.stderr)
            bad = 1
    return bad if check else 0


if __name__ == "__main__":
    sys.exit(main())
