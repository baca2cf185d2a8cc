#!/usr/bin/env python3
"""Bounds of many calls on many machines are proven again by check_witness.py, and it refuses forged ones.

    witness_test.py ESPALIER SOURCE_DIR IRREGULAR_CASES     LONG_TESTS=1: on all machines that are stored, and on more random ones
"""
import copy
import json
import os
import pathlib
import subprocess
import sys

sys.dont_write_bytecode = True
sys.path.insert(0, str(pathlib.Path(__file__).parent))
from check_witness import Machine, check  # noqa: E402

OPERATIONS = ["broadcast", "reduce", "allreduce", "barrier", "gather", "scatter", "allgather", "alltoall",
              "reduce-scatter", "scan", "exscan"]
REDUCTIONS = {"reduce", "allreduce", "reduce-scatter", "scan", "exscan"}
SYNTHETIC = [
    "site:2(10ms,100Mbit/s) machine:1|2(500us,1Gbit/s) proc:3(5us)",
    "site:3(20ms,1Gbit/s,cap=50Mbit/s) node:2(50us,10Gbit/s) proc:2(1us) placement=cyclic",
    "site:2(1ms,8Mbit/s) proc:5(1us) placement=cyclic",
    "proc:9(10us,recv=2us+1MB/s)",
    "proc:12(1us,send=5us,recv=1us)",
    "proc:6(1us,backbone=100Mbit/s)",
    "proc:5(1us,10Gbit/s,reduce=1MB/s)",
    "proc:2(3us,cap=1Gbit/s)",
    "proc:8(send=100us|300us*4|100us|300us*2)",
]
SQUARE = {"format": "espalier-machine-1", "levels": [{"latency": "1 us"}], "processes": 4,
          "pairs": [{"between": [a, b], "latency": "2 us", "capacity": rate} for a, b, rate in [
              (0, 1, "1 Gbit/s"), (2, 3, "1 Gbit/s"), (0, 2, "8 Mbit/s"), (0, 3, "8 Mbit/s"), (1, 2, "8 Mbit/s"),
              (1, 3, "8 Mbit/s")]]}


def machines(source, folder):
    stored = [str(p) for p in sorted((source / "data" / "machines").glob("*.json"))]
    square = folder / "witness_square.json"
    square.write_text(json.dumps(SQUARE))
    is_long = "LONG_TESTS" in os.environ
    drawn = [f"random:{seed}:{3 + seed % 11}" for seed in range(1, 41 if is_long else 3)]
    return stored[::1 if is_long else 8] + SYNTHETIC + [str(square)] + drawn


def run(tool, *arguments):
    return json.loads(subprocess.run([tool, *arguments, "--json"], check=True, capture_output=True).stdout)


def calls_on(index, large):
    """Every operation, with a size, root and order that change from machine to machine."""
    for number, operation in enumerate(OPERATIONS):
        turn = index + number
        size = ("8", "64KiB", "1KiB", "400KiB")[turn % 4]
        for ordered in ([False, True] if operation in REDUCTIONS and not large else [turn % 3 == 0]):
            yield operation, size, ordered and operation in REDUCTIONS


def forgeries(plan):
    """The same plan with one figure of its witness, or the bound, changed to prove more or something else."""
    for key, value in plan["witness"].items():
        if key in ("kind", "rank", "direction"):  # another rank or direction may prove as much
            continue
        if key == "depth" and plan["witness"].get("through") == "flows":  # between the same ranks
            continue
        forged = copy.deepcopy(plan)
        if isinstance(value, int):
            for change in (value + 1, value + value // 2 + 7, value - 1):
                forged = copy.deepcopy(plan)
                forged["witness"][key] = change
                if key == "value_ps":
                    forged["bound_ps"] = change
                yield key, forged
        elif key == "ranks":
            forged["witness"][key] = value[1:]
            yield key, forged
        elif key == "hops":
            for hop in range(len(value)):
                for figure in ("send_ps", "latency_ps", "recv_ps"):
                    forged = copy.deepcopy(plan)
                    forged["witness"]["hops"][hop][figure] += 1
                    yield f"hops[{hop}].{figure}", forged
                forged = copy.deepcopy(plan)
                forged["witness"]["hops"][hop]["to"] = value[hop]["from"]
                yield f"hops[{hop}].to", forged
    forged = copy.deepcopy(plan)
    forged["finish_ps"] = plan["bound_ps"] - 1
    yield "finish_ps", forged


def cases(tool, source, irregular):
    """(what it is called, the machine, the plan)"""
    for index, name in enumerate(machines(source, pathlib.Path.cwd())):
        machine = Machine(run(tool, "show", name))
        for operation, size, ordered in calls_on(index, machine.size > 20):
            has_root = operation in ("broadcast", "reduce", "gather", "scatter")
            root = str(index % machine.size if has_root else 0)
            arguments = ["plan", operation, "--machine", name]
            arguments += ["--root", root] if has_root else []
            arguments += ["--size", size] if operation != "barrier" else []
            plan = run(tool, *arguments, *(["--ordered"] if ordered else []))
            yield f"{operation} of {size} from {root} on {name}{' in order' if ordered else ''}", machine, plan
    output = subprocess.run([irregular, "150" if "LONG_TESTS" in os.environ else "30"], check=True, capture_output=True).stdout
    for seed, case in enumerate(json.loads(output), 1):
        yield f"irregular case {seed}", Machine(case["machine"]), case["plan"]


def main():
    tool, source, irregular = sys.argv[1], pathlib.Path(sys.argv[2]), sys.argv[3]
    proven, forged, kinds, failures = 0, 0, {}, []
    for label, machine, plan in cases(tool, source, irregular):
        kind = plan["witness"]["kind"]
        kinds[kind] = kinds.get(kind, 0) + 1
        proven += 1
        wrong = check(machine, plan)
        if wrong:
            failures.append(f"{label}: {wrong}: {plan['bound_because']}")
            continue
        if machine.size > 20 or kind == "nothing":
            continue
        for what, false in forgeries(plan):
            forged += 1
            try:
                accepted = check(machine, false) is None
            except (IndexError, KeyError, ValueError, TypeError):
                accepted = False
            if accepted:
                failures.append(f"{label}: accepts a forged {what} of {plan['witness']}")
    print(f"{proven} bounds proven again, {forged} forgeries; by kind: {kinds}")
    missing = {"way", "fan", "cut", "backbone", "processor", "combining"} - set(kinds)
    if missing:
        failures.append(f"no bound of kind {sorted(missing)} was tried")
    for failure in failures[:20]:
        print(failure, file=sys.stderr)
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
