#!/usr/bin/env python3
"""Holds the include rules of docs/architecture.md: a room includes itself and the rooms named here; few files include CLI11.

Run by `make check` and by ctest. Exits 1 and names every line that breaks the rule.
"""
import pathlib
import re
import sys

# Same table as src/CMakeLists.txt.
MAY_INCLUDE = {
    "base": set(),
    "reproducible": {"base"},
    "topology": {"base"},
    "discover": {"base", "topology"},
    "model": {"base", "topology"},
    "tree": {"base", "topology", "model"},
    "schedule": {"base"},
    "verify": {"base", "schedule"},
    "sim": {"base", "topology", "model", "schedule"},
    "bound": {"base", "topology", "schedule"},
    "formats": {"base", "schedule", "verify", "sim"},
    "group": {"base", "topology", "model"},
    "collective": {"base", "topology", "model", "tree", "schedule"},
    "select": {"base", "topology", "model", "tree", "schedule", "sim", "collective"},
    "api": {"base", "topology", "model", "tree", "schedule", "verify", "sim", "bound", "collective", "select"},
    "runtime": {"base", "topology", "model", "tree", "schedule", "collective", "select"},
    "profile": {"base", "schedule"},
    "weather": {"base"},
    "place": {"base", "topology", "model", "schedule", "sim", "profile", "weather"},
    "front": set(),
    "mpi": {"front", "base", "topology", "discover", "schedule", "collective", "runtime", "profile", "place"},
    "pmpi": {"front", "base", "topology", "schedule", "runtime", "profile", "mpi"},
    "record": {"front", "base", "schedule", "profile", "mpi", "pmpi"},
    "group_mpi": {"base", "topology", "model", "group", "mpi"},
    "report": {"base", "topology", "model", "tree", "schedule", "sim"},
    "measure": {"base", "topology", "schedule", "bound", "report"},
    "reproduce": {"base", "topology", "model", "tree", "schedule", "verify", "sim", "bound", "group", "collective", "select", "profile", "place", "report", "measure"},
    "launch": {"base"},
    "doctor": {"base", "topology", "discover", "schedule", "runtime", "launch"},
    "lab": {"base", "topology"},
    "league": {"base", "topology", "schedule", "bound", "report", "measure", "launch"},
    "cli": {"base", "reproducible", "topology", "discover", "model", "tree", "schedule", "verify", "sim", "bound", "formats", "group", "collective", "select", "profile", "weather", "place", "report", "measure", "reproduce", "launch", "doctor", "lab", "league"},
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
        room = parts[0] if len(parts) > 1 else "cli"  # main.cpp lives beside the rooms
        if room not in MAY_INCLUDE:
            yield path, 1, f'room "{room}" is not in the table of scripts/check_includes.py'
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
            if target.startswith("CLI/") and "/".join(parts) not in CLI11_FILES:
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
