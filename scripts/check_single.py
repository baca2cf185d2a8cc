#!/usr/bin/env python3
"""Does every source of src/ compile by itself? The sources of a room are compiled together otherwise (ADR 20).

    check_single.py BUILD_DIR [--jobs N]

BUILD_DIR is configured with ESPALIER_UNITY=OFF (preset dev). The compiler reads each source, warns, and writes nothing: that
takes two thirds of the time. What is compiled for several MPIs is looked at once, tests are left out. Exits 1 if a source
is refused.
"""
import argparse
import concurrent.futures
import json
import os
import pathlib
import shlex
import subprocess
import sys


def sources_of(build, root):
    """Command and folder of each source, by its path from the root: the first of several variants."""
    chosen = {}
    for entry in json.loads((build / "compile_commands.json").read_text()):
        path = pathlib.Path(entry["file"])
        if root / "src" in path.parents and not path.name.endswith("_test.cpp"):
            chosen.setdefault(str(path.relative_to(root)), entry)
    return chosen


def make_generated_headers(build):
    outputs = subprocess.run(["ninja", "-C", build, "-t", "targets", "rule", "CUSTOM_COMMAND"], stdout=subprocess.PIPE, text=True, check=True).stdout
    headers = [line for line in outputs.split() if line.endswith((".hpp", ".h")) and not line.startswith("/")]
    if headers:
        subprocess.run(["ninja", "-C", build, *headers], stdout=subprocess.DEVNULL, check=True)


def refused(entry):
    """What the compiler says; nothing if it takes the source."""
    command = shlex.split(entry["command"])
    if pathlib.Path(command[0]).name == "ccache":
        del command[0]
    at = command.index("-o")
    del command[at : at + 2]
    result = subprocess.run(
        command + ["-fsyntax-only"], cwd=entry["directory"], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, errors="replace", check=False
    )
    return result.stdout if result.returncode != 0 else ""


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("build", type=pathlib.Path)
    parser.add_argument("--jobs", type=int, default=os.cpu_count() or 2)
    options = parser.parse_args()
    if not (options.build / "compile_commands.json").is_file():
        sys.exit(f"error: {options.build}: no compile_commands.json\n  hint: cmake --preset dev, then scripts/check_single.py build/dev")
    build = options.build.resolve()
    root = pathlib.Path(__file__).resolve().parent.parent
    sources = sources_of(build, root)
    if not sources or any("/Unity/unity_" in path for path in sources):
        sys.exit(f"error: {options.build}: no single sources\n  hint: configure it with -DESPALIER_UNITY=OFF (preset dev)")
    make_generated_headers(build)
    bad = 0
    with concurrent.futures.ThreadPoolExecutor(options.jobs) as pool:
        for done, (path, said) in enumerate(zip(sources, pool.map(refused, sources.values())), 1):
            if said:
                bad += 1
                print(f"{path}: does not compile by itself\n{said}", flush=True)
            if done % 100 == 0:
                print(f"{done} of {len(sources)} sources", flush=True)
    print(f"{len(sources)} sources, each by itself: {'all compile' if bad == 0 else f'{bad} do not compile'}")
    sys.exit(1 if bad else 0)


if __name__ == "__main__":
    main()
