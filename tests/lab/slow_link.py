#!/usr/bin/env python3
"""A link that is slower than the planner believes is named by espalier trace, and by the page of espalier view.

usage: slow_link.py ESPALIER TRACED MPI      Needs root and TUN (else exit 77).
"""
import json
import os
import pathlib
import shutil
import subprocess
import sys
import time

ESPALIER, TRACED, MPI = sys.argv[1:]
STATE = f"/run/espalier-slow-link-{os.getpid()}"
# Hosts of a lab have folders /tmp of their own.
FOLDER = pathlib.Path(f"/var/tmp/espalier-slow-link-{os.getpid()}")
MACHINE = "site:3(5ms,100Mbit/s,name=wan) proc:2"


# What MPICH 4.2.1 says in MPI_Finalize where one way takes much longer than others, without the library too.
RESET = "Connection reset by remote peer"


def run_tool(*words):
    return subprocess.run([ESPALIER, *map(str, words)], capture_output=True, text=True, check=False,
                          env={**os.environ, "ESPALIER_LAB": STATE})


def tool(*words):
    ran = run_tool(*words)
    if ran.returncode != 0:
        print(ran.stdout + ran.stderr)
        sys.exit(77 if "a lab needs root" in ran.stderr else 1)
    return ran.stdout


def run_traced(trace):
    settings = [word for one in ("ESPALIER_FORCE=1", "ESPALIER_TRIAL=0") for word in ("--env", one)]
    ran = run_tool("lab", "run", "--mpi", MPI, "--trace", trace, *settings, "--", TRACED)
    if ran.returncode == 0:
        return
    native = run_tool("lab", "run", "--mpi", MPI, "--env", "ESPALIER_DISABLE=1", "--", TRACED)
    assert RESET in ran.stderr and RESET in native.stderr and trace.exists(), (ran, native)
    print("the MPI library ends in MPI_Finalize here, without the library too")


def shown_links(trace):
    """The links of one run, the one that took longest beyond the plan first."""
    trace.unlink(missing_ok=True)
    run_traced(trace)
    links = json.loads(tool("trace", trace, "--json"))["links"]
    for link in links:
        print(f"{link['link']}: {link['median_excess_ps'] / 1e9:.2f} ms longer, median of {link['messages']}")
    return links[:2]


def is_named(worst, second):
    return worst["link"] == "site0 - site2" and worst["median_excess_ps"] > max(5e9, 3 * second["median_excess_ps"])


def page_names_it(trace):
    looked = subprocess.run([ESPALIER, "view", str(trace), "--html", "-"], capture_output=True, text=True, check=False)
    if "this build has no page" in looked.stderr:
        print("the page was not looked at: this build has none")
        return True
    assert looked.returncode == 0, looked.stderr
    return "over site0 - site2" in looked.stdout


def main():
    trace = FOLDER / "out.trace"
    tool("lab", "up", MACHINE)
    try:
        tool("lab", "set", "site0<>site2", "--latency", "45ms")  # behind the planner's back
        # Where others keep the processors for longer than the link does its messages, a run says nothing of the link.
        for tries in (4, 3, 2, 1):
            worst, second = shown_links(trace)
            named, on_page = is_named(worst, second), page_names_it(trace)
            if (named and on_page) or tries == 1:
                break
            time.sleep(10)
    finally:
        tool("lab", "down")
    assert named, (worst, second)
    assert on_page, "the page does not name the link"


FOLDER.mkdir()
try:
    main()
finally:
    if "KEEP_TRACE" in os.environ and (FOLDER / "out.trace").exists():
        shutil.copy(FOLDER / "out.trace", os.environ["KEEP_TRACE"])
    shutil.rmtree(FOLDER)
