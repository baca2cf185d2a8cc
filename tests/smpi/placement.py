#!/usr/bin/env python3
"""Runs workloads under SimGrid's SMPI as several policies place them, beside their predictions.

    placement.py BUILD INVENTORY [--check] WORKLOAD ...

A table of simulated seconds (examples/skeleton.cpp, a tenth of the time steps), what was predicted, and ratios.
With --check it fails unless every message was right, and ours is at most 3 % slower than the paper's policy.
"""
import pathlib
import subprocess
import sys
import tempfile

sys.path.insert(0, str(pathlib.Path(__file__).parent))
from launch import EXACT  # noqa: E402

POLICIES = ["sequential", "sorted", "full", "ours"]


def run(build, inventory, workload, policy, steps):
    with tempfile.TemporaryDirectory() as directory:
        predicted = subprocess.run([f"{build}/bin/write_placement", workload, "16", inventory, policy, directory],
                                   check=True, capture_output=True, text=True).stdout
        line = ["smpirun", "-platform", f"{directory}/platform.xml", "-hostfile", f"{directory}/hosts", "-np", "16",
                "--log=root.thres:warning"] + [f"--cfg={option}" for option in EXACT]
        done = subprocess.run(line + [f"{build}/smpi/skeleton.smpi", workload, "--steps", str(steps)], check=True,
                              capture_output=True, text=True).stdout
    words = done.split()
    if words[3] != "0":
        raise SystemExit(f"{workload}, {policy}: {done}")
    return float(words[1]), float(predicted)


def main():
    check = "--check" in sys.argv
    build, inventory, *workloads = [a for a in sys.argv[1:] if a != "--check"]
    bad = 0
    print(f"{'':14}" + "".join(f"{p:>24}" for p in POLICIES) + "   none/full sorted/full")
    for workload in workloads:
        steps = 10 if workload.startswith("lu") else 100
        rows = [run(build, inventory, workload, policy, steps) for policy in POLICIES]
        times = [t for t, _ in rows]
        print(f"{workload:14}" + "".join(f"{t:>12.3f} ({p:>9.3f})" for t, p in rows)
              + f"{times[0] / times[2]:>12.2f}{times[1] / times[2]:>12.2f}", flush=True)
        if times[3] > 1.03 * times[2]:
            print(f"{workload}: ours is slower than the paper's policy", file=sys.stderr)
            bad = 1
    return bad if check else 0


if __name__ == "__main__":
    sys.exit(main())
