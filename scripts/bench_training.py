#!/usr/bin/env python3
"""Data-parallel training on three emulated sites: gradients of 26 MB averaged by Gloo, by the MPI library and along plans.

    bench_training.py BUILD [--steps N] [--ranks N] [--only WAYS] [--order ORDERS]

Needs root, TUN, python3-torch and python3-mpi4py (else a line says so, exit code 77). Runs examples/training.py with ranks in blocks and in turn over the sites. A step's
time is the median of all but the first. "bound" is what a reduce-scatter and an allgather between the sites must carry. In reproducible mode both placements must
give the same bits.
"""
import argparse
import os
import pathlib
import re
import signal
import statistics
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parents[1]
PYTHON = "/usr/bin/python3"  # the one that Debian's packages are for
SITES, RATE, LATENCY = 3, 100e6 / 8, 0.010
ON_THE_WIRE = 1538 / 1448  # Ethernet, IP and TCP around each 1448 bytes
WAYS = ["gloo", "native", "espalier", "reproducible"]


def machine(ranks, order):
    return f"site:{SITES}(10ms,100Mbit/s) proc:{ranks // SITES} placement={order}"


def options_of(way):
    if way == "espalier":
        return ["--espalier", "--env", "ESPALIER_CACHE=0"]
    if way == "reproducible":
        return ["--espalier", "--env", "ESPALIER_CACHE=0", "--env", "ESPALIER_REPRODUCIBLE=1"]
    return []


def train(tool, state, way, steps, port):
    """(bytes of gradients, [(loss, bits, seconds)]) of one run."""
    build = tool.parents[1]
    line = [tool, "lab", "run", "--state", state, "--mpi", "openmpi", *options_of(way), "--env", f"PYTHONPATH={build}/python",
            "--env", "GLOO_SOCKET_IFNAME=eth0", "--env", f"MASTER_PORT={port}", "--env", "OMP_NUM_THREADS=1", "--",
            PYTHON, ROOT / "examples" / "training.py", "gloo" if way == "gloo" else "mpi", steps]
    done = subprocess.run(list(map(str, line)), capture_output=True, text=True, timeout=600, check=False)
    found = re.findall(r"^step \d+ loss (\S+) (\S+) seconds (\S+)$", done.stdout, re.M)
    if done.returncode != 0 or len(found) != steps:
        raise SystemExit(f"{way}: exit code {done.returncode}\n{done.stdout}\n{done.stderr[-2000:]}")
    size = float(re.search(r"([\d.]+) MB of gradients", done.stdout)[1]) * 1e6
    return size, [(float(loss), bits, float(seconds)) for loss, bits, seconds in found]


def main():
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(143))  # through `finally`: no lab stays behind
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("build", type=pathlib.Path)
    parser.add_argument("--steps", type=int, default=6)
    parser.add_argument("--ranks", type=int, default=6)
    parser.add_argument("--only", default=",".join(WAYS), help="some of gloo, native, espalier, reproducible")
    parser.add_argument("--order", default="block,cyclic", help="orders of the ranks over the sites")
    options = parser.parse_args()
    if subprocess.run([PYTHON, "-c", "import torch, mpi4py"], stderr=subprocess.DEVNULL, check=False).returncode != 0:
        print("package python3-torch or python3-mpi4py is not installed")
        return 77
    tool = options.build.resolve() / "bin" / "espalier"
    state = os.environ.get("ESPALIER_LAB") or f"/run/espalier-lab-training-{os.getpid()}"
    curves, port = {}, 29510
    print(f"{'order':8}{'way':14}{'s a step':>10}{'x bound':>9}{'loss, first and last':>26}")
    for order in options.order.split(","):
        up = subprocess.run([tool, "lab", "up", machine(options.ranks, order), "--state", state], capture_output=True, text=True, check=False)
        if up.returncode != 0:
            print(up.stderr.strip())
            return 77 if "a lab needs root" in up.stderr else 1
        try:
            for way in options.only.split(","):
                port += 1
                size, steps = train(tool, state, way, options.steps, port)
                bound = 2 * (SITES - 1) / SITES * size * ON_THE_WIRE / RATE + 2 * LATENCY
                taken = statistics.median(seconds for _, _, seconds in steps[1:])
                curves[order, way] = [(loss, bits) for loss, bits, _ in steps]
                print(f"{order:8}{way:14}{taken:10.3f}{taken / bound:9.2f}{steps[0][0]:14.6f}{steps[-1][0]:12.6f}", flush=True)
        finally:
            subprocess.run([tool, "lab", "down", "--state", state], stdout=subprocess.DEVNULL, check=False)
    return check(curves)


def check(curves):
    """Loss curves are alike, and in reproducible mode the same to the last bit."""
    wrong = []
    first = next(iter(curves.values()))
    for key, curve in curves.items():
        if any(abs(a[0] - b[0]) > 1e-4 * abs(b[0]) for a, b in zip(curve, first)):
            wrong.append(f"the loss of {key} differs: {curve}, not {first}")
    exact = [curve for (_, way), curve in curves.items() if way == "reproducible"]
    if any(curve != exact[0] for curve in exact):
        wrong.append("reproducible: the orders differ in bits")
    for line in wrong:
        print(line)
    if not wrong:
        print("loss curves are equal within 1e-4" + ("; reproducible ones bit by bit" if len(exact) > 1 else ""))
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
