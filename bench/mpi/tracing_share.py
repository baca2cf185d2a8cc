#!/usr/bin/env python3
"""What tracing costs a run: the events that were taken down, each at its measured price, beside the time of the calls.

    tracing_share.py BUILD [PROGRAM ARGUMENT...]

The price of an event is that of trace_bench: the clock is read, and an entry added to a bounded log. valgrind, if it is there, says how
many instructions that is. Calls run on this host with the library preloaded, so messages are as short as they get: over a network the
share is smaller. Without PROGRAM it is examples/steps.cpp under each MPI.
"""
import json
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

RANKS = "4"
MACHINE = "site:2(30ms,100Mbit/s) proc:2(5us)"
MPIS = {"mpich": ["mpiexec.mpich"], "openmpi": ["mpiexec.openmpi", "--allow-run-as-root", "--oversubscribe"]}


def nanoseconds_of_an_event(build):
    ran = subprocess.run([f"{build}/bin/trace_bench"], check=True, text=True, stdout=subprocess.PIPE)
    return float(ran.stdout.split()[0])


def instructions_of_an_event(build, folder):
    """From two runs that differ in their number of events only; the clock is one call of the kernel there, not counted."""
    counts = []
    for events in ("100000", "300000"):
        ran = subprocess.run(["valgrind", "--tool=callgrind", f"--callgrind-out-file={folder}/out", f"{build}/bin/trace_bench",
                              "--events", events], check=True, text=True, stderr=subprocess.PIPE, stdout=subprocess.DEVNULL)
        counts.append(int(re.search(r"Collected : (\d+)", ran.stderr).group(1)))
    return (counts[1] - counts[0]) / 200000


def share(file, price):
    """Events, time of all ranks in traced calls in ns, and percent of it."""
    trace = json.loads(pathlib.Path(file).read_text())
    events, time = 0, 0
    for call in trace["calls"]:
        messages = call["messages"]
        events += 2 * len(call["begin"])
        events += sum(at is not None for key in ("send_begin", "send_end", "recv_begin", "recv_end") for at in messages[key])
        time += sum(end - begin for begin, end in zip(call["begin"], call["end"]))
    return events, time, 100 * events * price / time


def main():
    build = str(pathlib.Path(sys.argv[1]).resolve())
    price = nanoseconds_of_an_event(build)
    with tempfile.TemporaryDirectory() as folder:
        print(f"an event: {price:.1f} ns of processor time")
        if shutil.which("valgrind"):
            print(f"an event: {instructions_of_an_event(build, folder):.0f} instructions")
        print(f"below 2 % wherever a rank takes down an event each {50 * price / 1000:.1f} us, or less often")
        print(f"{'':10}{'events':>10}{'in calls, ms':>14}{'tracing, %':>12}")
        for mpi, launcher in MPIS.items():
            program = sys.argv[2:] or [f"{build}/examples/steps.{mpi}"]
            line = [f"{build}/bin/espalier", "run", "--force", "--machine", MACHINE, "--trace", f"{folder}/trace", "--", *launcher, "-n",
                    RANKS, *program]
            subprocess.run(line, check=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, env=os.environ | {"ESPALIER_TRIAL": "0"})
            events, time, percent = share(f"{folder}/trace", price)
            print(f"{mpi:10}{events:>10}{time / 1e6:>14.1f}{percent:>12.3f}", flush=True)


if __name__ == "__main__":
    main()
