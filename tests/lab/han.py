#!/usr/bin/env python3
"""Rules of `espalier export openmpi-han` in use: HAN takes the calls that they name, over hosts of a lab, and results stay right.

usage: han.py ESPALIER PROGRAM          PROGRAM: tests/tuning/collectives.c for Open MPI
Needs root and TUN (else exit 77). Some seconds.
"""
import os
import pathlib
import re
import subprocess
import sys
import tempfile

ESPALIER, PROGRAM = sys.argv[1:]
STATE = f"/run/espalier-han-{os.getpid()}"
MACHINE = "site:2(2ms,100Mbit/s) proc:2 placement=cyclic"


def lab(*words, **more):
    return subprocess.run([ESPALIER, "lab", *words], text=True, capture_output=True, check=False, env={**os.environ, "ESPALIER_LAB": STATE}, **more)


def run(settings):
    words = [word for name, value in settings.items() for word in ("--env", f"{name}={value}")]
    done = lab("run", *words, "--", PROGRAM, timeout=300)
    assert done.returncode == 0 and "wrong 0" in done.stdout, f"{done.stdout}\n{done.stderr}"
    return done.stderr


def main():
    up = lab("up", MACHINE)
    if up.returncode != 0:
        print(up.stderr.strip())
        return 77 if "a lab needs root" in up.stderr else 1
    try:
        with tempfile.TemporaryDirectory(dir="/var/tmp") as folder:
            report = subprocess.run([ESPALIER, "export", "openmpi-han", "-m", MACHINE, "--output", folder], stdout=subprocess.PIPE, text=True,
                                    check=True).stdout
            settings = dict(re.findall(r"(OMPI_MCA_\w+)=(\S+)", report.replace("$PWD", folder)))
            rules = (pathlib.Path(folder) / "openmpi-han.conf").read_text()
            assert " han" in rules, rules
            said = run(settings | {"OMPI_MCA_coll_han_verbose": "80"})
            chosen = set(re.findall(r"component \d+ \((\w+)\)", said))
            assert {"han", "tuned"} <= chosen, f"{chosen}: {said[-3000:]}"
    finally:
        lab("down")
    return 0


if __name__ == "__main__":
    sys.exit(main())
