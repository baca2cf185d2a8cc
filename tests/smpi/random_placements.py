#!/usr/bin/env python3
"""Random programs on random machines under SimGrid's SMPI: ours against the best of libscotch and TreeMatch-style groups.

    random_placements.py BUILD FIRST_SEED COUNT PERCENT

Fails unless ours is at most 5 % slower in so many of 100 cases.
"""
import pathlib
import subprocess
import sys
import tempfile

sys.path.insert(0, str(pathlib.Path(__file__).parent))
from launch import EXACT  # noqa: E402
from placement import MESSAGES, WITHOUT_RUNTIME  # noqa: E402


def times(build, seed):
    with tempfile.TemporaryDirectory() as directory:
        predicted = subprocess.run([f"{build}/bin/write_random_placement", str(seed), directory], check=True,
                                   stdout=subprocess.PIPE, text=True).stdout.split()
        seen = {}
        for name in ("ours", "scotch", "treematch"):
            hosts = pathlib.Path(directory, f"hosts.{name}")
            line = ["smpirun", "-platform", f"{directory}/platform.xml", "-hostfile", str(hosts),
                    "-np", str(len(hosts.read_text().split())), "--log=root.thres:warning"]
            line += [f"--cfg={option}" for option in EXACT + MESSAGES]
            done = subprocess.run(line + [f"{build}/smpi/replay_profile", f"{directory}/profile.json"], check=True,
                                  env=WITHOUT_RUNTIME, stdout=subprocess.PIPE, text=True)
            seen[name] = float(done.stdout)
        return seen, {name: float(value) for name, value in zip(predicted[::2], predicted[1::2])}


def main():
    build, first, count, percent = sys.argv[1], *map(int, sys.argv[2:])
    ratios, errors = [], []
    for seed in range(first, first + count):
        seen, predicted = times(build, seed)
        ratio = seen["ours"] / min(seen["scotch"], seen["treematch"])
        ratios.append(ratio)
        errors += [predicted[name] / seen[name] - 1 for name in seen]
        if ratio > 1.05:
            print(f"seed {seed}: ours {ratio:.3f} of the best; seen {seen}, predicted {predicted}", flush=True)
    ratios.sort()
    errors = sorted(abs(e) for e in errors)
    within = sum(r <= 1.05 for r in ratios)
    print(f"{within} of {count} within 5 % of the best; median {ratios[count // 2]:.3f}, worst {ratios[-1]:.3f}; "
          f"predictions off by {100 * errors[len(errors) // 2]:.1f} % (median), {100 * errors[-1]:.1f} % (worst)")
    return 0 if 100 * within >= percent * count else 1


if __name__ == "__main__":
    sys.exit(main())
