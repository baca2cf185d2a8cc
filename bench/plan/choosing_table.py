#!/usr/bin/env python3
"""Tables of docs/prediction.md from the JSON that choosing_bench prints, read from standard input."""
import json
import math
import sys

GROWTH = {"1": lambda n: 1.0, "log P": math.log, "sqrt P": math.sqrt, "P": float, "P log P": lambda n: n * math.log(n)}


def growth(points):
    """The form that fits best from 1,024 ranks on, each point weighed by its own size."""
    points = [(n, t) for n, t in points if n >= 1024]
    if len(points) < 3:
        return "-"
    found = []
    for name, form in GROWTH.items():
        logs = [math.log(t) - math.log(form(n)) for n, t in points]
        mean = sum(logs) / len(logs)
        found.append((sum((x - mean) ** 2 for x in logs), name))
    return min(found)[1]


def told(ms):
    if ms >= 1000:
        return f"{ms / 1000:.1f} s"
    return f"{ms:.0f} ms" if ms >= 9.95 else f"{ms:.1f} ms" if ms >= 0.95 else f"{ms:.2f} ms"


def kept(kib):
    return f"{kib / 1024:.1f} MB" if kib >= 1000 else f"{max(1, round(kib))} KB"


def main():
    rows = {}
    for run in json.load(sys.stdin)["benchmarks"]:
        if run.get("run_type") == "aggregate":
            continue
        what, operation, machine, ranks = run["name"].split("/")[:4]
        rows.setdefault((what, machine), {}).setdefault(operation, {})[int(ranks)] = (run["cpu_time"], run["heap_KiB"])
    for (what, machine), operations in sorted(rows.items()):
        sizes = sorted({n for by_ranks in operations.values() for n in by_ranks})
        print(f"\n{what}, {machine}\n")
        print("| operation | " + " | ".join(f"{n:,}" for n in sizes) + " | growth |")
        print("|---" * (len(sizes) + 2) + "|")
        for operation, by_ranks in operations.items():
            cells = [f"{told(by_ranks[n][0])}, {kept(by_ranks[n][1])}" if n in by_ranks else "-" for n in sizes]
            fit = growth(sorted((n, t) for n, (t, _) in by_ranks.items()))
            print(f"| {operation} | " + " | ".join(cells) + f" | {fit} |")


main()
