#!/usr/bin/env python3
"""What `espalier plan --mpi` names is what the library runs without trials, for the reason that ESPALIER_EXPLAIN prints.

    what_runs_test.py MPI LIBRARY|WRITE_PLATFORM TOOL PROGRAM [--machines N] [--calls N] [--seed N]

Random machines, operations, sizes off powers of two too, and roots; on each machine also every operation with blocks of unequal lengths.
MPI is mpich, openmpi (then comes the library to preload) or smpi (then comes write_platform). The tool gets the same machine and says
what would run and why, of scatterv, gatherv and allgatherv also what the first calls run along; every call must have run along that. Every reason of
the tool must stand in what ESPALIER_EXPLAIN prints of the operation, and every reason there must be one of the tool's.
"""
import argparse
import concurrent.futures
import json
import os
import pathlib
import random
import re
import subprocess
import sys
import tempfile

HERE = pathlib.Path(__file__).parent
OPERATIONS = ["broadcast", "reduce", "allreduce", "barrier", "gather", "scatter", "allgather", "alltoall", "reduce-scatter",
              "scan", "exscan"]
ROOTED = {"broadcast", "reduce", "gather", "scatter", "scatterv", "gatherv"}
UNEQUAL = ["scatterv", "gatherv", "allgatherv", "alltoallv"]
MOST_CALLS = 40  # of one word: until the root of a scatterv plans by the lengths
# What ESPALIER_EXPLAIN prints of a plan: operation, size, communicator, calls, predicted and measured time, plan (why) <- mark.
ROW = re.compile(r"  (\S+) .*?  (?:-|[\d.]+ (?:us|ms|s)) +(?:-|[\d.]+ (?:us|ms|s))  (.+?) \(((?:the|at least|named) .*?)\)(?: <- .*)?$")
NATIVE = re.compile(r"  native (\S+): \d+ \((.*)\)$")
# The first call of all makes the hidden communicator.
FIRST = "first calls on a communicator"
# Of these only the root knows the tree, and rank 0 explains.
BY_COUNTS = "the root's choice, by the lengths of all blocks"


def random_machine(rng, most):
    """A machine of one to three levels in one line."""
    while True:
        levels, size = [], 1
        for level in range(rng.choice([1, 2, 2, 2, 3, 3])):
            width = rng.randint(1, 5) if rng.random() < 0.3 else rng.randint(2, 4)
            size *= width
            latency = rng.choice([["100us", "2ms", "10ms", "30ms"], ["20us", "100us", "500us"], ["1us", "5us"]][level])
            rate = rng.choice(["10Mbit/s", "100Mbit/s", "1Gbit/s", "10Gbit/s"])
            costs = rng.choice(["", ",send=1us,recv=1us", ",send=20us,recv=10us"])
            backbone = rng.choice(["", "", f",backbone={rng.choice(['10Mbit/s', '1Gbit/s'])}"])
            levels.append(f"l{level}:{width}({latency},{rate}{backbone}{costs})")
        if 2 <= size <= most:
            return " ".join(levels) + rng.choice(["", " placement=cyclic"]), size


def random_call(rng, size):
    operation = rng.choice(OPERATIONS)
    longest = 14 if operation in ("gather", "scatter", "allgather", "alltoall", "reduce-scatter") else 19
    length = int(2 ** rng.uniform(0, longest))
    if rng.random() < 0.3:
        length = 1 << length.bit_length()
    if operation in ("reduce", "allreduce", "reduce-scatter", "scan", "exscan"):
        length = max(8, length // 8 * 8)
    if operation == "barrier":
        length = 0
    return operation, length, rng.randrange(size) if operation in ROOTED else 0


def unequal_call(rng, operation, size, folder):
    """The operation, a file with lengths, and the root."""
    blocks = size * size if operation == "alltoallv" else size
    longest = 2 ** rng.uniform(0, 12 if operation == "alltoallv" else 17)
    kind = rng.choice(["uniform", "giant", "zeros", "few"])
    lengths = []
    for _ in range(blocks):
        length = int(longest * rng.random())
        if kind == "zeros" and rng.random() < 0.7:
            length = 0
        lengths.append(length // 50 if kind in ("giant", "few") else length)
    if kind == "giant":
        lengths[rng.randrange(blocks)] = int(longest)
    file = pathlib.Path(folder, f"{operation}.{rng.getrandbits(32)}")
    file.write_text(" ".join(map(str, lengths)))
    return operation, str(file), rng.randrange(size) if operation in ROOTED else 0


def launched(options, machine, size, words, explained):
    program = [options.program, *words]
    settings = {"ESPALIER_TRIAL": "0", "ESPALIER_EXPLAIN": str(explained)}
    if options.mpi == "smpi":
        sys.path.insert(0, str(HERE.parent / "smpi"))
        import launch as smpi
        return smpi.run(options.library, machine, settings, [], program, capture_output=True, text=True)
    settings["ESPALIER_MACHINE"] = machine
    line = [sys.executable, HERE / "launch.py", options.mpi, str(size), options.library]
    line += [f"{name}={value}" for name, value in settings.items()]
    return subprocess.run(line + ["--"] + program, capture_output=True, text=True, check=False)


def said(options, machine, call):
    operation, length, root = call
    line = [options.tool, "plan", operation, "-m", machine, "--json", "--mpi", options.mpi]
    if operation in UNEQUAL:
        line += ["--counts", length]
    elif operation != "barrier":
        line += ["-s", str(length)]
    if operation in ROOTED:
        line += ["-r", str(root)]
    ran = subprocess.run(line, capture_output=True, text=True, check=False)
    if ran.returncode != 0:
        sys.exit(f"{' '.join(line)}\n{ran.stderr}")
    return json.loads(ran.stdout)


def expected(call, answer):
    """Words for the program, and the plan that each must run along. The first call of all is native."""
    word = ":".join(map(str, call))
    if call[0] not in UNEQUAL:
        return {word: answer["runs"]}
    first = answer["first_calls"]
    words = {f"{word}:2": answer["first_runs"] if first else answer["runs"]}
    if 0 < first <= MOST_CALLS:
        words[f"{word}:{first + 2}"] = answer["runs"]
    return words


def reason(operation, name, why):
    """A row of what ESPALIER_EXPLAIN prints, where gatherv is a gather."""
    return operation.removesuffix("v") if operation in UNEQUAL else operation, "" if why == BY_COUNTS else name, why


def reasons_of(text):
    """All rows that ESPALIER_EXPLAIN printed."""
    found = set()
    for line in text.splitlines():
        if row := ROW.fullmatch(line):
            found.add(reason(*row.groups()))
        elif (native := NATIVE.fullmatch(line)) and native[2] != FIRST:
            found.add((native[1], "native", native[2]))
    return found


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("mpi", choices=["mpich", "openmpi", "smpi"])
    parser.add_argument("library")
    parser.add_argument("tool")
    parser.add_argument("program")
    parser.add_argument("--machines", type=int, default=4)
    parser.add_argument("--calls", type=int, default=10)
    parser.add_argument("--seed", type=int, default=1)
    options = parser.parse_args()
    rng = random.Random(options.seed)
    wrong = planned = compared = 0
    for _ in range(options.machines):
        machine, size = random_machine(rng, 40 if options.mpi == "smpi" else 8)
        with tempfile.TemporaryDirectory() as folder:
            calls = [random_call(rng, size) for _ in range(options.calls)]
            calls += [unequal_call(rng, operation, size, folder) for operation in UNEQUAL]
            wanted, reasons, at_first = {}, set(), set()
            with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
                for call, answer in zip(calls, pool.map(lambda one: said(options, machine, one), calls)):
                    wanted |= expected(call, answer)
                    one = reason(call[0], answer["runs"], answer["why"])
                    first = answer.get("first_calls", 0)
                    if first <= MOST_CALLS:
                        reasons.add(one)
                    if first > 0:  # before that another plan may run, for a reason that the tool does not say
                        at_first.add(one[0])
            explained = pathlib.Path(folder, "explained")
            ran = launched(options, machine, size, list(wanted), explained)
            printed = reasons_of(explained.read_text()) if explained.exists() else set()
        if ran.returncode != 0:
            sys.exit(f"seed {options.seed}, machine \"{machine}\": exit code {ran.returncode}\n{ran.stdout}{ran.stderr}")
        names = dict(line.split("\t") for line in ran.stdout.splitlines() if "\t" in line)
        for word, name in wanted.items():
            compared += 1
            planned += names[word] != "native"
            if names[word] == name:
                continue
            wrong += 1
            print(f"{word} on \"{machine}\": plan says {name}, {names[word]} ran")
        for operation, name, why in reasons ^ printed:
            if operation in at_first and (operation, name, why) not in reasons:
                continue
            wrong += 1
            who = "plan alone" if (operation, name, why) in reasons else "ESPALIER_EXPLAIN alone"
            print(f"{operation} on \"{machine}\": {who} says {name} ({why})")
    print(f"seed {options.seed}: {compared} calls compared, {planned} along plans, {wrong} differ")
    return 1 if wrong or compared == 0 or planned == 0 else 0


if __name__ == "__main__":
    sys.exit(main())
