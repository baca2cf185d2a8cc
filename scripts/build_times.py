#!/usr/bin/env python3
"""What the build costs: processor time by room, the ten worst units, totals for `make demo`, `make` and `make check`.

    build_times.py [--jobs N] [--json FILE] [--every K] [--last STEP] [SOURCE...]

Builds each source tree (default: this one) from nothing in a folder of its own, without a compiler cache, and puts
scripts/timed_command.py in front of the compiler and the linker. Several trees, for example a checkout of an older
version, are built one after the other and printed side by side: figures of different machines or days cannot be compared.

--last STEP (demo, make or check) ends after that command.
--every K compiles every K-th unit only (by name; no linking), of trees with more than 100 units for a step, and multiplies: a sample, for trees that take
an hour. The totals then carry the standard error of such a sample.
"""
import argparse
import collections
import concurrent.futures
import json
import math
import os
import pathlib
import re
import subprocess
import sys
import tempfile
import time

HERE = pathlib.Path(__file__).resolve().parent.parent
TIMED = HERE / "scripts" / "timed_command.py"
# What each command builds, in this order: a later one pays only for what the earlier ones left.
STEPS = ["demo", "make", "check"]


def room_of(output):
    """The part of the project that an object or library belongs to."""
    found = re.search(r"CMakeFiles/([^/]+)\.dir/", output)
    name = found.group(1) if found else "linking"
    name = name.removeprefix("espalier_").removeprefix("espalier-")
    return re.sub(r"[._](mpich|openmpi|mpiabi|smpi)$", r" (\1)", name)


def run(command, **kwargs):
    result = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, check=False, **kwargs)
    if result.returncode != 0:
        sys.exit(f"error: {' '.join(map(str, command))}\n{result.stdout[-4000:]}")
    return result.stdout


def parts_of(source, step):
    """(preset, targets) of all that the Makefile of a tree builds for a step; no targets: all of them."""
    if step == "make":
        return [("release", [])]
    text = (source / "Makefile").read_text()
    if step == "check":
        # Beside `make`: what is sanitized, and in older trees the fuzzers.
        recipe = re.search(r"^check:.*\n((?:\t.*\n)*)", text, re.M).group(1)
        return ([("asan", ["sanitized_tests"])] if "check-sanitized" in recipe else []) + ([("fuzz", [])] if "fuzz-short" in recipe else [])
    found = re.search(r"^demo:.*\n\t\$\(call preset,release,([^)]*)\)", text, re.M)
    if not found:
        sys.exit(f"error: {source}/Makefile: what `make demo` builds is not to be found\n  hint: it is \"$(call preset,release,TARGETS)\" below \"demo:\"")
    return [("release", found.group(1).split())]


def objects_of(tree, targets):
    """The objects that go into targets, in the order of their names."""
    asked = targets or ["all"]
    return sorted({line for line in run(["ninja", "-C", str(tree), "-t", "inputs", *asked]).splitlines() if line.endswith(".o")})


def compile_alone(tree, unit, environment):
    """By its own command, since Ninja would first build all that a unit waits for; by Ninja where it needs what is generated."""
    command = run(["ninja", "-C", str(tree), "-t", "commands", "-s", unit]).splitlines()[-1]
    (tree / unit).parent.mkdir(parents=True, exist_ok=True)
    done = subprocess.run(command, shell=True, cwd=tree, env=environment, capture_output=True, check=False)
    if done.returncode != 0:
        run(["cmake", "--build", tree, "-j", "1", "--target", unit], env=dict(environment, ESPALIER_BUILD_TIMES=os.devnull))
        subprocess.run(command, shell=True, cwd=tree, env=environment, check=True)


def standard_error(times, every):
    """Of the total that is told by a sample of one unit in `every`, taken as a random one."""
    if every == 1 or len(times) < 2:
        return 0.0
    mean = sum(times) / len(times)
    variance = sum((t - mean) ** 2 for t in times) / (len(times) - 1)
    return every * math.sqrt(len(times) * variance * (1 - 1 / every))


def build(source, folder, jobs, every, steps):
    """Seconds of processor time by step and unit, and by the clock by step."""
    launchers = [f"-DCMAKE_{l}_{k}_LAUNCHER={TIMED}" for l in ("C", "CXX") for k in ("COMPILER", "LINKER")]
    launchers.append("-DCCACHE_PROGRAM=")  # older trees put it in front of the compiler whatever they are told
    units, wall, share, earlier = {}, {}, {}, set()
    environment = dict(os.environ, CCACHE_DISABLE="1")
    for step in steps:
        log = folder / f"{step}.jsonl"
        environment["ESPALIER_BUILD_TIMES"] = str(log)
        begin = time.monotonic()
        print(f"{source.name}: what `make {'' if step == 'make' else step}` builds ...", file=sys.stderr, flush=True)
        share[step] = 1
        for preset, targets in parts_of(source, step):
            tree = folder / preset
            if not (tree / "build.ninja").exists():
                run(["cmake", "--preset", preset, "-B", tree, *launchers], cwd=source, env=environment)
            if every > 1:
                objects = [o for o in objects_of(tree, targets) if (preset, o) not in earlier]
                earlier.update((preset, o) for o in objects)
                share[step] = max(share[step], every if len(objects) > 100 else 1)
                if share[step] > 1:
                    with concurrent.futures.ThreadPoolExecutor(jobs) as pool:
                        list(pool.map(lambda unit: compile_alone(tree, unit, environment), objects[::share[step]]))
                    continue
                targets = objects or ["help"]
            run(["cmake", "--build", tree, "-j", str(jobs), *(["--target", *targets] if targets else [])], cwd=source, env=environment)
        wall[step] = time.monotonic() - begin
        units[step] = [json.loads(line) for line in log.read_text().splitlines()] if log.exists() else []
        if not units["demo"]:
            sys.exit(f"error: {source}: nothing was timed\n  hint: its CMake files put another launcher in front of the compiler")
    return {"units": units, "wall": wall, "share": share}


def columns(rows, heads):
    widths = [max(len(str(row[i])) for row in [heads, *rows]) for i in range(len(heads))]
    for row in [heads, *rows]:
        print("  ".join(str(cell).ljust(w) if i == 0 else str(cell).rjust(w) for i, (cell, w) in enumerate(zip(row, widths))).rstrip())


def report(results):
    names = list(results)
    by_room = {name: collections.Counter() for name in names}
    for name, result in results.items():
        for step, units in result["units"].items():
            for unit in units:
                by_room[name][room_of(unit["output"])] += unit["cpu"] * result["share"][step]
    rooms = sorted({room for counter in by_room.values() for room in counter}, key=lambda room: -by_room[names[0]][room])
    print("\nProcessor seconds by room")
    columns([[room, *[f"{by_room[n][room]:.1f}" for n in names]] for room in rooms], ["room", *names])
    print("\nIn all: processor seconds (seconds by the clock); each step pays for what the one before it left")
    rows = []
    for step in results[names[0]]["units"]:
        cells = []
        for n in names:
            times, every = [unit["cpu"] for unit in results[n]["units"][step]], results[n]["share"][step]
            cells.append(f"{sum(times) * every:.0f} ({results[n]['wall'][step]:.0f})" if every == 1 else
                         f"{sum(times) * every:.0f} +- {standard_error(times, every):.0f} ({len(times)} of some {len(times) * every} units)")
        rows.append([{"make": "make", "demo": "make demo", "check": "make check (sanitizers, fuzzers)"}[step], *cells])
    totals = [sum(u["cpu"] * results[n]["share"][step] for step, units in results[n]["units"].items() for u in units) for n in names]
    rows.append(["all", *[f"{t:.0f} ({sum(results[n]['wall'].values()):.0f})" for n, t in zip(names, totals)]])
    columns(rows, ["command", *names])
    for n in names:
        worst = sorted((u for units in results[n]["units"].values() for u in units), key=lambda u: -u["cpu"])[:10]
        print(f"\nThe ten worst of {n}")
        columns([[u["output"], f"{u['cpu']:.1f}", u["mib"]] for u in worst], ["unit", "s", "MiB"])


def main():
    parser = argparse.ArgumentParser(description="What the build costs, by room.")
    parser.add_argument("sources", nargs="*", type=pathlib.Path, metavar="SOURCE")
    parser.add_argument("--jobs", type=int, default=os.cpu_count())
    parser.add_argument("--json", type=pathlib.Path)
    parser.add_argument("--every", type=int, default=1, metavar="K")
    parser.add_argument("--last", choices=STEPS, default=STEPS[-1], metavar="STEP")
    options = parser.parse_args()
    results = {}
    for source in [s.resolve() for s in options.sources] or [HERE]:
        with tempfile.TemporaryDirectory(prefix="build-times-") as folder:
            results[str(source.name)] = build(source, pathlib.Path(folder), options.jobs, max(options.every, 1), STEPS[:STEPS.index(options.last) + 1])
    report(results)
    if options.json:
        options.json.write_text(json.dumps(results, indent=1))


if __name__ == "__main__":
    main()
