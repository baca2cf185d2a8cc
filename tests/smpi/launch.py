#!/usr/bin/env python3
"""Runs a program with our runtime inside on a simulated machine.

    launch.py WRITE_PLATFORM MACHINE [NAME=VALUE ...] [--cfg=OPTION ...] -- PROGRAM [ARGUMENT ...]

The platform is written from the machine (write_platform.cpp) and the runtime is given the same machine, so the two
agree. Exits with smpirun's code.
"""
import os
import pathlib
import subprocess
import sys
import tempfile

# SMPI's own factors would rescale the platform; computing takes no simulated time, and so nothing varies.
EXACT = ["network/model:SMPI", "smpi/lat-factor:0:1", "smpi/bw-factor:0:1", "network/crosstraffic:0",
         "network/weight-S:0", "network/TCP-gamma:1e15", "smpi/simulate-computation:no", "smpi/host-speed:1Gf",
         "smpi/wtime:0", "smpi/async-small-thresh:65536", "contexts/stack-size:256", "contexts/guard-size:0"]

# By default SMPI loads a copy of the program for each rank, 4 MB each. With this, ranks share the program, and only its variables are
# exchanged, some 20 KB, whenever another rank goes on: for many ranks.
SHARED_PROGRAM = "smpi/privatization:mmap"


def run(write_platform, machine, settings, options, program, **more):
    """settings: environment variables of the runtime; options: of SimGrid, "name:value"."""
    with tempfile.TemporaryDirectory() as directory:
        subprocess.run([write_platform, machine, directory], check=True)
        hosts = pathlib.Path(directory, "hosts")
        line = ["smpirun", "-platform", f"{directory}/platform.xml", "-hostfile", str(hosts),
                "-np", str(len(hosts.read_text().split())), "--log=root.thres:warning"]
        line += [f"--cfg={option}" for option in EXACT + options]
        environment = os.environ | {"ESPALIER_MACHINE": f"{directory}/machine.json"} | settings
        return subprocess.run(line + program, env=environment, check=False, **more)


def main():
    at = sys.argv.index("--")
    write_platform, machine, *more = sys.argv[1:at]
    settings = dict(s.split("=", 1) for s in more if not s.startswith("--cfg="))
    options = [o.removeprefix("--cfg=") for o in more if o.startswith("--cfg=")]
    return run(write_platform, machine, settings, options, sys.argv[at + 1:]).returncode


if __name__ == "__main__":
    sys.exit(main())
