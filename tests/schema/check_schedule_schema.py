#!/usr/bin/env python3
"""The schema of schedules against the tool: what the tool writes is valid, what is not valid the tool refuses.

usage: check_schedule_schema.py ESPALIER SOURCE_DIR
"""
import json
import pathlib
import subprocess
import sys
import tempfile

import jsonschema

TOOL, SOURCE = sys.argv[1], pathlib.Path(sys.argv[2])
SCHEMA = json.loads((SOURCE / "data" / "schedule.schema.json").read_text())
VALIDATOR = jsonschema.Draft202012Validator(SCHEMA)

MACHINE = "site:2(30ms,100Mbit/s) machine:1|2(500us,1Gbit/s) proc:2(5us,10Gbit/s) placement=cyclic"
OPERATIONS = ["broadcast", "reduce", "allreduce", "barrier", "gather", "scatter", "allgather", "alltoall",
              "reduce-scatter", "scan", "exscan"]


def with_op(op, sets=(), **call):
    """A schedule of two ranks with this op."""
    return {"format": "espalier-schedule-1", "call": {"operation": "allgather", "ranks": 2, "count": 4, **call},
            "programs": [{"rank": 0, "sets": list(sets), "ops": [op]}, {"rank": 1, "ops": []}]}


COPY = {"op": "copy", "from": ["in", 0, 4], "to": ["out", 0, 4]}
INVALID = [
    {},
    {"format": "espalier-schedule-1"},
    {**with_op(COPY), "format": "espalier-schedule-2"},
    {**with_op(COPY), "speed": 1},
    {**with_op(COPY), "programs": []},
    with_op(COPY, operation="allsum"),
    with_op(COPY, count=-1),
    with_op(COPY, count=2**63),
    with_op(COPY, commutative=1),
    with_op({**COPY, "op": "shout"}),
    with_op({**COPY, "from": ["in", 0]}),
    with_op({**COPY, "from": ["attic", 0, 4]}),
    with_op({**COPY, "from": ["in", 0, 4, [0, 1]]}),
    with_op({**COPY, "after": [-1]}),
    with_op({**COPY, "operands": "both"}),
    with_op({"op": "send", "from": ["in", 0, 4]}),
    with_op({"op": "send", "peer": 1, "peers": 0, "from": ["in", 0, 4]}),
    with_op(COPY, sets=[[[0, 2**60, 1]]]),
    with_op(COPY, sets=[[[0, 0, 1]]]),
    with_op(COPY, sets=[[[0, 1]]]),
]


def run(*arguments):
    return subprocess.run([TOOL, *map(str, arguments)], text=True, capture_output=True)


def main() -> int:
    VALIDATOR.check_schema(SCHEMA)
    failures = 0
    with tempfile.TemporaryDirectory() as folder:
        path = pathlib.Path(folder, "schedule.json")
        written = []
        for operation in OPERATIONS:
            for size in ["8", "64KiB"]:
                root = ["--root", 3] if operation in ("broadcast", "reduce", "gather", "scatter") else []
                length = [] if operation == "barrier" else ["--size", size]
                made = run("plan", operation, "-m", MACHINE, *length, *root, "--schedule", path)
                written.append((f"{operation} {size}", made, path.read_text() if made.returncode == 0 else "{}"))
        for data in sorted((SOURCE / "tests" / "data").glob("msccl/*.xml")) + \
                sorted((SOURCE / "tests" / "data").glob("goal/*.goal")):
            made = run("convert", data)
            written.append((data.name, made, made.stdout or "{}"))
        for name, made, text in written:
            errors = [e.message[:200] for e in VALIDATOR.iter_errors(json.loads(text))]
            if errors or made.returncode != 0:
                failures += 1
                print(f"{name}: {errors[:3]} {made.stderr}")
        if not VALIDATOR.is_valid(with_op(COPY)):
            failures += 1
            print("refused: the schedule from which the wrong ones are made")
        for value in INVALID:
            path.write_text(json.dumps(value))
            if VALIDATOR.is_valid(value) or run("verify", path).returncode != 2:
                failures += 1
                print(f"accepted: {value}")
    print(f"{len(written) + 1 + len(INVALID)} schedules, {failures} failures")
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
