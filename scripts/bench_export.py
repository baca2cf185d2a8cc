#!/usr/bin/env python3
"""Tuning files of `espalier export` on emulated sites: each MPI as it is, with the files and without any preload, and with Espalier's library.

    bench_export.py ESPALIER [--mpi LIST] [--rounds N] [--save FILE]

Needs root and TUN. The three are measured in turn, round by round; of all rounds the median counts. "share" is the part of the preload's gain
that the files have, by the logarithms of the ratios; "simulated" is what `espalier export` promised.
"""
import argparse
import json
import math
import os
import pathlib
import statistics
import subprocess
import sys
import tempfile

MACHINE = "site:3(10ms,100Mbit/s) proc:4"
CALLS = {"broadcast,reduce,allreduce": "8,8KiB,128KiB,512KiB", "allgather": "8,2KiB,32KiB", "barrier": "8"}


def run(line, variables=None, **options):
    return subprocess.run(line, env=os.environ | (variables or {}), stdout=subprocess.PIPE, text=True, check=True, **options).stdout


def settings_of(mpi, folder):
    if mpi == "openmpi":
        return {"OMPI_MCA_coll_tuned_use_dynamic_rules": "1", "OMPI_MCA_coll_han_priority": "0",
                "OMPI_MCA_coll_tuned_dynamic_rules_filename": f"{folder}/openmpi-rules.conf"}
    return {"MPIR_CVAR_COLL_SELECTION_TUNING_JSON_FILE": f"{folder}/mpich-collectives.json",
            "MPIR_CVAR_CH4_COLL_SELECTION_TUNING_JSON_FILE": f"{folder}/mpich-compositions.json"}


def export(tool, mpi, folder):
    options = ["--commutative"] if mpi == "openmpi" else []
    report = json.loads(run([tool, "export", mpi, "-m", MACHINE, "--output", folder, "--force", "--json", *options]))
    return {(row["operation"], row["bytes"]): row for row in report["decisions"]}


def measure(tool, state, stack, variables):
    """(operation, bytes) -> (milliseconds, bound in milliseconds)"""
    times = {}
    for operations, sizes in CALLS.items():
        out = run([tool, "bench", "--on", "lab", "--state", state, "--stack", stack, "--operation", operations, "--size", sizes,
                   "--repeat", "5", "--json"], variables, timeout=600)
        for cell in json.loads(out)["results"]:
            assert not cell.get("wrong"), f"{stack}: wrong results in {cell}"
            times[cell["operation"], cell["bytes"]] = (cell["median_us"] / 1000, cell["bound_us"] / 1000)
    return times


def table(mpi, decided, rounds):
    print(f"\n{mpi}, 12 ranks on 3 hosts, 10 ms and 100 Mbit/s between them, ms; median of {len(rounds['native'])} rounds")
    print(f"{'':24}{'bound':>8}{'native':>9}{'files':>9}{'preload':>9}{'gain':>7}{'share':>8}{'simulated':>11}")
    logs = [0.0, 0.0]
    rows = []
    for call in rounds["native"][0]:
        native, files, preload = (statistics.median(r[call][0] for r in rounds[way]) for way in ("native", "files", "preload"))
        gain, most = math.log(native / files), math.log(native / preload)
        logs[0] += gain
        logs[1] += most
        row = decided.get(call)
        promised = row["tuned_ps"] / 1e9 if row else float("nan")
        share = f"{100 * gain / most:.0f} %" if most > 0.1 else "-"
        name = f"{call[0]} {call[1]} B"
        print(f"{name:24}{rounds['native'][0][call][1]:8.1f}{native:9.1f}{files:9.1f}{preload:9.1f}{native / files:7.2f}{share:>8}"
              f"{promised:11.1f}  {row['algorithm'] if row else ''}")
        rows.append({"operation": call[0], "bytes": call[1], "native_ms": native, "files_ms": files, "preload_ms": preload})
    print(f"in all: {100 * logs[0] / logs[1]:.0f} % of the preload's gain on a log scale")
    return rows


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("tool")
    parser.add_argument("--mpi", default="mpich,openmpi")
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--save")
    options = parser.parse_args()
    state = f"/run/espalier-lab-export-{os.getpid()}"
    saved = {}
    with tempfile.TemporaryDirectory(dir="/var/tmp") as folder:  # hosts of a lab have a /tmp of their own
        run([options.tool, "lab", "up", MACHINE, "--state", state])
        try:
            for mpi in options.mpi.split(","):
                decided = export(options.tool, mpi, folder)
                rounds = {"native": [], "files": [], "preload": []}
                for _ in range(options.rounds):
                    rounds["native"].append(measure(options.tool, state, mpi, {}))
                    rounds["files"].append(measure(options.tool, state, mpi, settings_of(mpi, folder)))
                    rounds["preload"].append(measure(options.tool, state, f"{mpi}+espalier", {}))
                saved[mpi] = table(mpi, decided, rounds)
        finally:
            run([options.tool, "lab", "down", "--state", state])
    if options.save:
        pathlib.Path(options.save).write_text(json.dumps(saved, indent=2) + "\n", encoding="utf-8")


if __name__ == "__main__":
    sys.exit(main())
