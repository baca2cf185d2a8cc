#!/usr/bin/env python3
"""Holds the include rules of docs/architecture.md: a room includes itself and the rooms named here; few files include CLI11.

Run by `make check` and by ctest. Exits 1 and names every line that breaks the rule.
"""
import pathlib
import re
import sys

# The wings of src/, each with its rooms. Same tables as src/CMakeLists.txt. A room stands below all that it includes.
WINGS = {
    "base": ["base", "reproducible"],
    "plan": ["topology", "model", "tree", "schedule", "verify", "sim", "bound", "cost", "collective", "select", "formats", "report"],
    "find": ["discover"],
    "place": ["profile", "map", "weather", "place"],
    "groups": ["group"],
    "run": ["front", "launch", "runtime", "trace", "shared", "mpi", "pmpi", "record", "group_mpi"],
    "study": ["measure", "reproduce", "league", "lab"],
    "tool": ["api", "doctor", "overlay", "view", "tuning", "cli"],
}
WING_OF = {room: wing for wing, rooms in WINGS.items() for room in rooms}
MAY_INCLUDE = {
    "base": set(),
    "reproducible": {"base"},
    "topology": {"base"},
    "model": {"base", "topology"},
    "tree": {"base", "topology", "model"},
    "schedule": {"base"},
    "verify": {"base", "schedule"},
    "sim": {"base", "topology", "model", "schedule"},
    "bound": {"base", "topology", "schedule"},
    "cost": {"base", "topology", "tree", "sim"},
    "collective": {"base", "topology", "model", "tree", "schedule", "cost"},
    "select": {"base", "topology", "model", "tree", "schedule", "sim", "cost", "collective"},
    "formats": {"base", "schedule", "verify", "sim"},
    "report": {"base", "topology", "model", "tree", "schedule", "sim"},
    "discover": {"base", "topology"},
    "profile": {"base", "schedule"},
    "map": {"base", "topology", "schedule", "sim", "profile"},
    "weather": {"base"},
    "place": {"base", "topology", "sim", "profile", "map"},
    "group": {"base", "topology", "model"},
    "front": set(),
    "launch": {"base"},
    "runtime": {"base", "topology", "model", "tree", "schedule", "collective", "select"},
    "trace": {"base", "schedule"},
    "shared": {"base"},
    "mpi": {"base", "topology", "schedule", "select", "collective", "discover", "profile", "map", "front", "runtime", "trace", "shared"},
    "pmpi": {"base", "topology", "schedule", "profile", "front", "runtime", "mpi"},
    "record": {"base", "schedule", "profile", "front", "mpi", "pmpi"},
    "group_mpi": {"base", "topology", "model", "group", "mpi"},
    "measure": {"base", "topology", "schedule", "bound", "report"},
    "reproduce": {"base", "topology", "model", "tree", "schedule", "verify", "sim", "bound", "collective", "select", "report", "profile", "map", "place", "group", "measure"},
    "league": {"base", "topology", "schedule", "bound", "report", "launch", "measure"},
    "lab": {"base", "topology"},
    "api": {"base", "topology", "model", "tree", "schedule", "verify", "sim", "bound", "collective", "select", "report"},
    "doctor": {"base", "topology", "schedule", "discover", "launch", "runtime"},
    "overlay": {"base", "topology", "schedule", "sim", "collective", "select", "report", "trace"},
    "view": {"base", "topology", "schedule", "sim", "bound", "collective", "select", "report", "trace", "overlay"},
    "tuning": {"base", "topology", "tree", "schedule", "sim", "collective", "select", "report", "lab"},
    "cli": {"base", "reproducible", "topology", "model", "tree", "schedule", "verify", "sim", "bound", "collective", "select", "formats", "report", "discover", "profile", "map", "weather", "place", "group", "launch", "measure", "reproduce", "league", "lab", "trace", "doctor", "overlay", "view", "tuning"},
}
TEST_ONLY = {"support"}  # tests/support, for *_test.cpp
# Headers of base that are public too, by links in include/espalier, so they name each other as neighbours.
NEIGHBOURS = {"contract.hpp", "error.hpp", "expected.hpp", "types.hpp"}
MPI_ROOMS = {"mpi", "pmpi", "record", "group_mpi"}
# CLI11's headers take seconds to compile: all else of the tool includes the front of them, cli/options.hpp.
CLI11_FILES = {"cli/manual.cpp", "cli/options.cpp", "cli/run.cpp", "cli/usage.cpp"}
INCLUDE = re.compile(r'^\s*#\s*include\s*(["<])([^">]+)[">]')


def broken_rules(root: pathlib.Path):
    source = root / "src"
    for path in sorted(source.rglob("*")):
        if path.suffix not in {".cpp", ".hpp", ".h", ".c"}:
            continue
        parts = path.relative_to(source).parts
        room = parts[1] if len(parts) > 2 else "cli"  # main.cpp lives beside the rooms of the tool
        if WING_OF.get(room) != parts[0]:
            yield path, 1, f'room "{room}" of wing "{parts[0]}" is not in the table of scripts/check_includes.py'
            continue
        is_test = path.name.endswith("_test.cpp")
        allowed = MAY_INCLUDE[room] | {room} | (TEST_ONLY if is_test else set())
        if room == "base":
            allowed |= NEIGHBOURS
        for number, line in enumerate(path.read_text().splitlines(), 1):
            match = INCLUDE.match(line)
            if not match:
                continue
            quote, target = match.groups()
            if target == "mpi.h" and room not in MPI_ROOMS:
                yield path, number, f"only {sorted(MPI_ROOMS)} may include <mpi.h>"
            if target.startswith("CLI/") and "/".join(parts[1:]) not in CLI11_FILES:
                yield path, number, f'only {sorted(CLI11_FILES)} may include <{target}>; include "cli/options.hpp"'
            if quote == '"' and target.split("/")[0] not in allowed:
                yield path, number, f'{room} may not include "{target}"; it may include {sorted(allowed)}'


def main() -> int:
    root = pathlib.Path(sys.argv[1] if len(sys.argv) > 1 else ".")
    broken = list(broken_rules(root))
    for path, number, what in broken:
        print(f"{path}:{number}: error: {what}", file=sys.stderr)
    return 1 if broken else 0


if __name__ == "__main__":
    sys.exit(main())
