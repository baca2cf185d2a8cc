#!/usr/bin/env python3
"""Which units clang-tidy is to look at: those of a build, each source once.

    lint_units.py BUILD_DIR OUT_DIR [PART ...]

Prints their paths, one a line. Writes OUT_DIR/compile_commands.json with one command for each, and OUT_DIR/count: how many
sources they hold. With PARTs only units with a source whose path begins with one of them.
"""
import json
import os
import pathlib
import re
import sys


def sources_of(unit):
    """Those that a unity unit includes; of any other, itself."""
    if "/Unity/unity_" not in unit:
        return (unit,)
    return tuple(re.findall(r'^#include "(.*)"$', pathlib.Path(unit).read_text(), re.M))


def for_clang(entry):
    """Without what clang refuses."""
    return {**entry, "command": entry["command"].replace(" -fno-gnu-unique", "")}


def main():
    build, out, *parts = sys.argv[1:]
    root = os.getcwd() + "/"
    parts = tuple(root + part for part in parts) or (root,)
    chosen = {}
    for entry in json.loads(pathlib.Path(build, "compile_commands.json").read_text()):
        sources = sources_of(entry["file"])
        is_generated = sources[0] == entry["file"] and entry["file"].startswith(build + "/")
        if not is_generated and any(source.startswith(parts) for source in sources):
            chosen.setdefault(sources, for_clang(entry))
    pathlib.Path(out, "compile_commands.json").write_text(json.dumps(list(chosen.values())))
    pathlib.Path(out, "count").write_text(str(len({source for sources in chosen for source in sources})))
    print("\n".join(entry["file"] for entry in chosen.values()))


if __name__ == "__main__":
    main()
