#!/usr/bin/env python3
"""Discovery on simulated machines of more nodes than a computer emulates: levels, latencies, bandwidths.

    discovery.py WRITE_PLATFORM ESPALIER PROGRAM [MACHINE ...]      without machines: those below

Fails if clusters differ, latencies by more than 10 %, or bandwidths by more than 15 %.
"""
import json
import pathlib
import subprocess
import sys

sys.dont_write_bytecode = True
sys.path.insert(0, str(pathlib.Path(__file__).parent.parent / "lab"))
import launch  # noqa: E402
from machines import Machine, described, differences  # noqa: E402

NODE = "proc:1(send=1us,recv=1us)"
MACHINES = [
    f"site:2(10ms,100Mbit/s) node:16(50us,1Gbit/s) {NODE}",
    f"site:3(25ms,1Gbit/s) rack:4(500us,10Gbit/s) node:4(50us,1Gbit/s) {NODE}",
    f"node:40(50us,1Gbit/s) {NODE}",
    # An odd number: in every round somebody has nothing to do.
    f"site:2(10ms,100Mbit/s) node:9|10(50us,1Gbit/s) {NODE}",
    f"node:19(50us,1Gbit/s) {NODE}",
    f"node:13(50us,1Gbit/s) {NODE}",
    f"continent:2(80ms,200Mbit/s) site:2(10ms,1Gbit/s) rack:2(200us,1Gbit/s) node:8(20us,1Gbit/s) {NODE}",
]


def found_on(write_platform, program, machine):
    # Real latencies are far above what a poll takes; where they are simulated nothing else does.
    options = ["smpi/test:1e-6", "smpi/iprobe:1e-6"]
    ran = launch.run(write_platform, machine, {"ESPALIER_DISABLE": "1"}, options,
                     [program, "--no-cache", "--seconds", "60"], capture_output=True, text=True)
    lines = [line for line in ran.stdout.splitlines() if line.startswith("espalier-discovered ")]
    if ran.returncode != 0 or not lines:
        sys.exit(f"{machine}: it ended with {ran.returncode}\n{ran.stdout}\n{ran.stderr[-2000:]}")
    return json.loads(lines[0].split(" ", 1)[1])


def main():
    write_platform, espalier, program, *machines = sys.argv[1:]
    failed = False
    for machine in machines or MACHINES:
        answer = found_on(write_platform, program, machine)
        wanted = described(espalier, machine)
        wrong = differences(Machine(json.loads(answer["machine"])), wanted, range(len(wanted.leaf_of)))
        print(f"{machine}\n  " + "\n  ".join(answer["words"] + answer["notes"]))
        for sentence in wrong[:5]:
            print(f"  WRONG: {sentence}")
        failed |= bool(wrong)
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
