#!/usr/bin/env python3
"""Plans for scatterv and gatherv, predicted and run under SMPI.

    check.py IRREGULAR_CASES REPLAY [--seeds FIRST LAST] [--close PERCENT] [--worst PERCENT] [--median PERCENT]
    check.py IRREGULAR_CASES REPLAY --dichev | --cells

For each seed a machine, placement, lengths and operation; every plan for it is run. Printed: how much longer the chosen
plan takes than the best of all, and how far predictions are off. Exits 1 unless 95 of 100 choices are within --close of the
best, none is beyond --worst, and the median error is below --median.
"""
import argparse
import pathlib
import statistics
import subprocess
import sys
import tempfile

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent / "smpi"))
from launch import EXACT  # noqa: E402


def run_case(cases, replay, which):
    """What the case is, and of each plan its name, predicted and simulated seconds."""
    with tempfile.TemporaryDirectory() as directory:
        made = subprocess.run([cases, which, directory], capture_output=True, text=True, check=False)
        if made.returncode == 3:
            return None
        made.check_returncode()
        hosts = pathlib.Path(directory, "hosts")
        line = ["smpirun", "-platform", f"{directory}/platform.xml", "-hostfile", str(hosts),
                "-np", str(len(hosts.read_text().split())), "--log=root.thres:critical"]
        line += [f"--cfg={option}" for option in EXACT]
        done = subprocess.run(line + [replay, f"{directory}/plans"], capture_output=True, text=True, check=False)
        rows = [text.split("\t") for text in done.stdout.splitlines() if text.count("\t") == 2]
        if done.returncode != 0 or not rows:
            sys.exit(f"{which}: smpirun failed: {done.stderr[-2000:]}")
        return made.stdout.strip(), [(name, int(p) / 1e12, int(t) / 1e12) for name, p, t in rows]


def error(row):
    return 100 * abs(row[1] / row[2] - 1)


def check(options):
    losses, errors = [], []
    for seed in range(options.seeds[0], options.seeds[1] + 1):
        what, rows = run_case(options.cases, options.replay, str(seed))
        best = min(rows, key=lambda row: row[2])
        linear = next(row for row in rows if row[0] == "linear")
        losses.append(100 * (rows[0][2] / best[2] - 1))
        errors += [error(row) for row in rows]
        print(f"{seed:4} {what}: chosen {rows[0][0]} {rows[0][2] * 1e3:.3f} ms, {losses[-1]:.2f} % behind {best[0]}; "
              f"linear {linear[2] * 1e3:.3f} ms; error median {statistics.median(map(error, rows)):.2f} %, "
              f"worst {max(map(error, rows)):.2f} %", flush=True)
    close = sum(loss <= options.close for loss in losses)
    print(f"{close} of {len(losses)} choices within {options.close} % of the best of all, worst {max(losses):.2f} %; "
          f"{len(errors)} predictions: median error {statistics.median(errors):.3f} %, worst {max(errors):.2f} %")
    good = close >= 0.95 * len(losses) and max(losses) <= options.worst and statistics.median(errors) < options.median
    return 0 if good else 1


def dichev(options):
    print("case,linear_ms,binomial_ms,minimum_first_ms,maximum_first_ms,traeff_ms,model_traeff_ms,ours_ms,"
          "minimum_first_gain_percent,traeff_gain_percent,median_error_percent")
    number = 0
    while (case := run_case(options.cases, options.replay, f"dichev:{number}")) is not None:
        what, rows = case
        times = [row[2] for row in rows[:7]]
        gains = [100 * (1 - times[2] / times[1]), 100 * (1 - times[5] / times[4])]
        print(f'"{what}",' + ",".join(f"{t * 1e3:.3f}" for t in times) + "," + ",".join(f"{g:.1f}" for g in gains) +
              f",{statistics.median(map(error, rows)):.2f}", flush=True)
        number += 1
    return 0


def cells(options):
    """Where sending straight to or from everybody loses: what the chosen plan takes, and some others."""
    number, good = 0, True
    while (case := run_case(options.cases, options.replay, f"cell:{number}")) is not None:
        what, rows = case
        times = {name: run for name, _, run in rows}
        best = min(times.values())
        good = good and rows[0][2] <= 1.03 * best and rows[0][2] < times["linear"]
        shown = ["linear", "linear one by one", "binomial", "minimum-first", "model-traeff", "clustered-1"]
        print(f"{what}: {rows[0][0]} {rows[0][2] * 1e3:.3f} ms (best {best * 1e3:.3f}); " +
              ", ".join(f"{name} {times[name] * 1e3:.3f}" for name in shown if name in times), flush=True)
        number += 1
    return 0 if good else 1


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("cases")
    parser.add_argument("replay")
    parser.add_argument("--seeds", type=int, nargs=2, default=[1, 100])
    parser.add_argument("--close", type=float, default=3)
    parser.add_argument("--worst", type=float, default=10)
    parser.add_argument("--median", type=float, default=10)
    parser.add_argument("--dichev", action="store_true")
    parser.add_argument("--cells", action="store_true")
    options = parser.parse_args()
    return cells(options) if options.cells else dichev(options) if options.dichev else check(options)


if __name__ == "__main__":
    sys.exit(main())
