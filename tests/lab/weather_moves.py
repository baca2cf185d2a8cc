#!/usr/bin/env python3
"""A link that goes bad on the lab changes where `espalier run --place --weather` starts the next program.

usage: weather_moves.py ESPALIER WHERE.openmpi
Three sites with two hosts each; hosts measure the links between sites, the forecast places four processes of a program on two of them,
and it runs there. Then the link between these two becomes slow, is measured again, and the program starts elsewhere.
Skipped (exit code 77) with one line where root or TUN is missing.
"""
import json
import os
import pathlib
import re
import subprocess
import sys
import tempfile
import time

from launchers import launchers
from patience import PATIENCE

ESPALIER, WHERE = sys.argv[1:]
STATE = f"/run/espalier-lab-weather-{os.getpid()}"
SITES = ["site0", "site1", "site2"]
LAUNCHER = launchers(STATE)["openmpi"]
INVENTORY = {"format": "espalier-inventory-1", "name": "lab", "between": {"latency": "5 ms"}, "inside": {"latency": "50 us"},
             "hosts": [{"name": f"{site}-machine{m}", "cluster": site} for site in SITES for m in range(2)]}
PORT = 7411
RECORDS = 6  # so many samples of a bad link are news for every forecaster


def lab(action, *arguments):
    return subprocess.run([ESPALIER, "lab", action, "--state", STATE, *map(str, arguments)], stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                          text=True, timeout=PATIENCE, check=False)


def on_lab(host, *words):
    ran = lab("exec", host, "--", *words)
    assert ran.returncode == 0, (words, ran)
    return ran.stdout


class Answers:
    """`espalier weather answer` on the first host of each site but the first."""

    def __enter__(self):
        self.running = [subprocess.Popen([ESPALIER, "lab", "exec", "--state", STATE, f"{site}-machine0", "--", ESPALIER, "weather", "answer",
                                          "--port", str(PORT)], stderr=subprocess.PIPE, text=True) for site in SITES[1:]]
        for one in self.running:
            assert "answering" in one.stderr.readline(), "weather answer said nothing"
        return self

    def __exit__(self, *_):
        for one in self.running:
            one.terminate()
            one.communicate(timeout=PATIENCE)


def record(history):
    """What each link between two sites is like now."""
    for index, site in enumerate(SITES[:-1]):
        to = [word for other in SITES[index + 1:] for word in ("--to", f"{other}={other}-machine0:{PORT}")]
        for _ in range(RECORDS):
            on_lab(f"{site}-machine0", ESPALIER, "weather", "record", "--history", history, "--here", site, *to, "--bytes", "0")


def sites_of_next_start(folder, history):
    said = on_lab("site0-machine0", ESPALIER, "run", "--place", folder / "inventory.json", "--by", "lu.S", "--weather", history, "--hosts",
                  folder / "hosts", "--", *LAUNCHER, "-n", 4, WHERE)
    hosts = dict(re.findall(r"^rank (\d) (\S+)$", said, re.MULTILINE))
    assert len(hosts) == 4, said
    return {host.split("-")[0] for host in hosts.values()}


def check(folder):
    history = folder / "weather.db"
    (folder / "inventory.json").write_text(json.dumps(INVENTORY))
    with Answers():
        record(history)
        before = sorted(sites_of_next_start(folder, history))
        assert len(before) == 2, before
        ran = lab("set", "<>".join(before), "--latency", "45ms")
        assert ran.returncode == 0, ran
        time.sleep(0.1)  # frames that are on their way
        record(history)
        after = sorted(sites_of_next_start(folder, history))
    assert len(after) == 2 and after != before, (before, after)
    print(f"on {' and '.join(before)}; with 45 ms between them on {' and '.join(after)}")


def main():
    ran = lab("up", "site:3(5ms,100Mbit/s) machine:2(50us,1Gbit/s)")
    if ran.returncode != 0:
        if "a lab needs root" in ran.stderr:
            print("skipped: a lab needs root, namespaces and TUN")
            return 77
        print(ran.stderr, file=sys.stderr)
        return 1
    try:
        with tempfile.TemporaryDirectory(dir="/var/tmp") as name:  # a lab's hosts have a /tmp of their own
            check(pathlib.Path(name))
    finally:
        lab("down")
    return 0


if __name__ == "__main__":
    sys.exit(main())
