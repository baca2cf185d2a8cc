#!/usr/bin/env python3
"""Simulated times of our runtime beside the lower bound and the algorithms of MPI libraries (SMPI's selectors).

    table.py BIN_DIR [--machine M] [--placement block,cyclic] [--bytes 8,65536,1048576] [--peers ompi,mpich,...]
             [--every N] [--within RATIO] [NAME=VALUE ...]

Times are means over all roots (or every Nth). A peer whose data were wrong is left out of its cell. With --within
only our own times are taken, and the exit code is 1 if one is further than that from its bound.
"""
import argparse
import csv
import io
import pathlib
import subprocess
import sys

sys.dont_write_bytecode = True
import launch  # noqa: E402

GRID = "site:2(30ms,100Mbit/s) machine:1|2(500us,1Gbit/s) proc:16(5us,cap=10Gbit/s,send=1us,recv=1us)"


def rows(text):
    return {(line[0], int(line[1])): line[2:] for line in csv.reader(io.StringIO(text)) if len(line) > 2}


class Bench:
    def __init__(self, options):
        self.options = options
        self.root = pathlib.Path(options.bin_dir)
        self.sizes = options.bytes.split(",")
        self.calls = [f"{operation}:{size}" for operation in ("broadcast", "reduce", "allreduce") for size in self.sizes]
        self.calls.append("barrier:0")

    def bounds(self, machine):
        line = [str(self.root / "bin/smpi_bounds"), machine, str(self.options.every)] + self.sizes
        return rows(subprocess.run(line, check=True, stdout=subprocess.PIPE, text=True).stdout)

    def times(self, machine, settings, selector):
        done = launch.run(str(self.root / "bin/write_platform"), machine, settings, [f"smpi/coll-selector:{selector}"],
                          [str(self.root / "smpi/smpi_times"), "--every", str(self.options.every)] + self.calls,
                          stdout=subprocess.PIPE, text=True)
        return rows(done.stdout) if done.returncode == 0 else {}


def size_text(size):
    return "-" if size == 0 else f"{size >> 20} MiB" if size >= 1 << 20 else \
        f"{size >> 10} KiB" if size >= 1 << 10 else f"{size} B"


def best_peer(peers, key):
    """(microseconds, name) of the fastest with right data, or None."""
    found = [(float(cells[key][0]), name) for name, cells in peers.items() if key in cells and cells[key][1] == "1"]
    return min(found, default=None)


def show(placement, bench, settings, peers):
    """Prints a table; returns the worst ratio to the bound."""
    machine = f"{bench.options.machine} placement={placement}"
    bounds = bench.bounds(machine)
    ours = bench.times(machine, {"ESPALIER_FORCE": "1"} | settings, "default")
    theirs = {p: bench.times(machine, {"ESPALIER_DISABLE": "1"}, p) for p in peers}
    print(f"{placement}: {bench.options.machine}; ms, mean over roots")
    print(f"{'operation':<10}{'size':>8}{'bound':>10}{'espalier':>10}{'x bound':>9}{'best peer':>21}{'x peer':>8}"
          f"  {'planned':<9}plan")
    worst = 0
    for key, (bound, *_) in sorted(bounds.items()):
        if key not in ours:
            print(f"{key[0]:<10}{size_text(key[1]):>8}{float(bound) / 1e3:>10.3f}  failed")
            return float("inf")
        time, right, planned, plan = ours[key]
        ratio = float(time) / float(bound) if right == "1" else float("inf")
        worst = max(worst, ratio)
        peer = best_peer(theirs, key)
        beside = f"{peer[0] / 1e3:>10.3f} {peer[1]:<10}{float(time) / peer[0]:>8.2f}" if peer else " " * 29
        print(f"{key[0]:<10}{size_text(key[1]):>8}{float(bound) / 1e3:>10.3f}{float(time) / 1e3:>10.3f}{ratio:>9.3f}"
              f"{beside}  {planned:<9}{plan}")
    print(flush=True)
    return worst


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("bin_dir")
    parser.add_argument("--machine", default=GRID)
    parser.add_argument("--placement", default="block,cyclic")
    parser.add_argument("--bytes", default="8,65536,1048576")
    parser.add_argument("--peers", default="ompi,mpich,mvapich2,impi")
    parser.add_argument("--every", type=int, default=1)
    parser.add_argument("--within", type=float)
    parser.add_argument("settings", nargs="*")
    options = parser.parse_args()
    bench = Bench(options)
    peers = [] if options.within or not options.peers else options.peers.split(",")
    settings = dict(s.split("=", 1) for s in options.settings)
    worst = max(show(placement, bench, settings, peers) for placement in options.placement.split(","))
    if options.within and worst > options.within:
        print(f"error: {worst:.3f} x the bound; at most {options.within} is wanted", file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
