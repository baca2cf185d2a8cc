#!/usr/bin/env python3
"""The published schema against the tool: what the tool writes is valid, what it refuses mostly is not.

usage: check_machine_schema.py ESPALIER SOURCE_DIR
"""
import json
import pathlib
import subprocess
import sys

import jsonschema

TOOL, SOURCE = sys.argv[1], pathlib.Path(sys.argv[2])
SCHEMA = json.loads((SOURCE / "data" / "machine.schema.json").read_text())
VALIDATOR = jsonschema.Draft202012Validator(SCHEMA)

HEAD = {"format": "espalier-machine-1"}
INVALID = [
    {},
    {"format": "espalier-machine-1"},
    {"format": "espalier-machine-2", "processes": 1},
    {**HEAD, "processes": 0},
    {**HEAD, "processes": "2"},
    {**HEAD, "processes": 2, "sped": 1},
    {**HEAD, "processes": 2, "notes": "none"},
    {**HEAD, "processes": 2, "notes": [1]},
    {**HEAD, "children": []},
    {**HEAD, "children": [{"name": 3}]},
    {**HEAD, "processes": 2, "send": "3 parsecs"},
    {**HEAD, "processes": 2, "levels": [{"uplink": {"duplex": "double"}}]},
    {**HEAD, "processes": 2, "placement": "random"},
    {**HEAD, "processes": 2, "pairs": [{"latency": "1 ms"}]},
]


def show(machine: str):
    return subprocess.run([TOOL, "show", machine, "--json"], text=True, capture_output=True)


def main() -> int:
    VALIDATOR.check_schema(SCHEMA)
    failures = 0
    machines = sorted(str(p) for p in (SOURCE / "data" / "machines").glob("*.json"))
    for path in machines:
        VALIDATOR.validate(json.loads(pathlib.Path(path).read_text()))
    for machine in machines + [f"random:{seed}" for seed in range(40)]:
        run = show(machine)
        errors = [e.message for e in VALIDATOR.iter_errors(json.loads(run.stdout))] if run.returncode == 0 else [run.stderr]
        if errors:
            failures += 1
            print(f"{machine}: {errors[:3]}")
    for value in INVALID:
        path = pathlib.Path("invalid-machine.json")
        path.write_text(json.dumps(value))
        if VALIDATOR.is_valid(value) or show(str(path)).returncode != 2:
            failures += 1
            print(f"accepted: {value}")
        path.unlink()
    print(f"{len(machines) + 40 + len(INVALID)} machines, {failures} failures")
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
