#!/usr/bin/env python3
"""Tuning files of `espalier export` on emulated sites: each MPI as it is, with the files and without any preload, and with Espalier's library.

    bench_export.py ESPALIER [--mpi LIST] [--rounds N] [--cyclic] [--save FILE]

LIST is of mpich, openmpi and openmpi-han: Open MPI with rules of HAN too. --cyclic: ranks in turn instead of host by host. Needs root and TUN. The three are measured in turn, round by round; of all rounds the median counts. Shares are parts of a gain over the native
time that the files have, by the logarithms of the ratios: "share" of the preload's gain, "of best" of the gain that the best selectable
algorithm has with its simulated time, which `espalier export` promised ("simulated"). At the end stand the cells in which the files are slower
than native beyond the interval of the ratio, which takes three rounds.
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

ROOT = pathlib.Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT / "bench" / "programs"))
sys.dont_write_bytecode = True
import figures  # noqa: E402

MACHINE = "site:3(10ms,100Mbit/s) proc:4"
CALLS = {"broadcast,reduce,allreduce": "8,8KiB,128KiB,512KiB", "allgather": "8,2KiB,32KiB", "barrier": "8"}


def run(line, variables=None, **options):
    return subprocess.run(line, env=os.environ | (variables or {}), stdout=subprocess.PIPE, text=True, check=True, **options).stdout


def mpi_of(form):
    return form.removesuffix("-han")


def settings_of(form, folder):
    tuned = {"OMPI_MCA_coll_tuned_use_dynamic_rules": "1", "OMPI_MCA_coll_tuned_dynamic_rules_filename": f"{folder}/openmpi-rules.conf"}
    if form == "openmpi":
        return tuned | {"OMPI_MCA_coll_han_priority": "0"}
    if form == "openmpi-han":
        simple = {f"OMPI_MCA_coll_han_use_simple_{call}": "1" for call in ("bcast", "reduce", "allreduce")}
        return tuned | simple | {"OMPI_MCA_coll_han_priority": "100", "OMPI_MCA_coll_han_use_dynamic_file_rules": "1",
                                 "OMPI_MCA_coll_han_dynamic_rules_filename": f"{folder}/openmpi-han.conf"}
    return {"MPIR_CVAR_COLL_SELECTION_TUNING_JSON_FILE": f"{folder}/mpich-collectives.json",
            "MPIR_CVAR_CH4_COLL_SELECTION_TUNING_JSON_FILE": f"{folder}/mpich-compositions.json"}


def export(tool, form, machine, folder):
    options = ["--commutative"] if mpi_of(form) == "openmpi" else []
    report = json.loads(run([tool, "export", form, "-m", machine, "--output", folder, "--force", "--json", *options]))
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


def share(native, ours, best):
    """Which part of the best time's gain ours has, on a log scale; None if there is little to gain."""
    most = math.log(native / best)
    return math.log(native / ours) / most if most > 0.1 else None


def in_all(rows, best):
    """The share of all rows that have such a best time; None if there is nothing to gain."""
    known = [row for row in rows if row[best]]
    most = sum(math.log(row["native_ms"] / row[best]) for row in known)
    return sum(math.log(row["native_ms"] / row["files_ms"]) for row in known) / most if most > 0 else None


def row_of(call, row, rounds):
    """Medians of all rounds, and the ratio of the files' time to native's with its interval."""
    times = {way: [one[call][0] for one in rounds[way]] for way in ("native", "files", "preload")}
    promised = row["tuned_ps"] / 1e9 if row and row.get("tuned_ps") else None
    return {"operation": call[0], "bytes": call[1], **{f"{way}_ms": statistics.median(taken) for way, taken in times.items()},
            "simulated_ms": promised, "files_to_native": figures.ratio(times["files"], times["native"]) if len(times["files"]) > 2 else None}


def percent(value):
    return "-" if value is None else f"{100 * value:.0f} %"


def losses(rows):
    """Lines on the cells in which the files are slower than native by more than the interval."""
    for row in rows:
        ratio = row["files_to_native"]
        if ratio and figures.is_loss(ratio, 0):
            yield f"{row['operation']} {row['bytes']} B".ljust(24) + f"{row['native_ms']:9.1f}{row['files_ms']:9.1f}{ratio[0]:8.3f} ({ratio[1]:.3f}-{ratio[2]:.3f})"


def table(mpi, decided, rounds):
    count = len(rounds["native"])
    print(f"\n{mpi}, 12 ranks on 3 hosts, 10 ms and 100 Mbit/s between them, ms; median of {count} rounds")
    print(f"{'':24}{'bound':>8}{'native':>9}{'files':>9}{'preload':>9}{'gain':>7}{'share':>8}{'simulated':>11}{'of best':>9}")
    rows = []
    for call in rounds["native"][0]:
        decision = decided.get(call)
        row = row_of(call, decision, rounds)
        native, files, preload, simulated = (row[key] for key in ("native_ms", "files_ms", "preload_ms", "simulated_ms"))
        name = f"{call[0]} {call[1]} B"
        print(f"{name:24}{rounds['native'][0][call][1]:8.1f}{native:9.1f}{files:9.1f}{preload:9.1f}{native / files:7.2f}"
              f"{percent(share(native, files, preload)):>8}" + (f"{simulated:11.1f}" if simulated else f"{'-':>11}") +
              f"{percent(share(native, files, simulated) if simulated else None):>9}  {decision['algorithm'] if decision else ''}")
        rows.append(row)
    print(f"in all: {percent(in_all(rows, 'preload_ms'))} of the preload's gain on a log scale, "
          f"{percent(in_all(rows, 'simulated_ms'))} of the gain of the best selectable algorithms, simulated")
    if count < 3:
        print(f"slower than native beyond the interval: not known, {count} rounds have none (--rounds 3)")
        return rows
    lost = list(losses(rows))
    print(f"slower than native beyond the interval: {len(lost) or 'none'}")
    if lost:
        print(f"{'':24}{'native':>9}{'files':>9}{'ratio':>8}")
    for line in lost:
        print(line)
    return rows


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("tool")
    parser.add_argument("--mpi", default="mpich,openmpi")
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--cyclic", action="store_true")
    parser.add_argument("--save")
    options = parser.parse_args()
    machine = MACHINE + (" placement=cyclic" if options.cyclic else "")
    state = f"/run/espalier-lab-export-{os.getpid()}"
    saved = {}
    with tempfile.TemporaryDirectory(dir="/var/tmp") as folder:  # hosts of a lab have a /tmp of their own
        run([options.tool, "lab", "up", machine, "--state", state])
        try:
            for form in options.mpi.split(","):
                mpi = mpi_of(form)
                decided = export(options.tool, form, machine, folder)
                rounds = {"native": [], "files": [], "preload": []}
                for _ in range(options.rounds):
                    rounds["native"].append(measure(options.tool, state, mpi, {}))
                    rounds["files"].append(measure(options.tool, state, mpi, settings_of(form, folder)))
                    rounds["preload"].append(measure(options.tool, state, f"{mpi}+espalier", {}))
                saved[form] = table(form, decided, rounds)
        finally:
            run([options.tool, "lab", "down", "--state", state])
    if options.save:
        pathlib.Path(options.save).write_text(json.dumps(saved, indent=2) + "\n", encoding="utf-8")


if __name__ == "__main__":
    sys.exit(main())
