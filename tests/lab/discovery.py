#!/usr/bin/env python3
"""Discovery on emulated machines: levels, latencies, bandwidths, slow nodes, traffic, time, plans; both MPIs.

usage: discovery.py BUILD [--runs N] [--slow-runs N] [--only PART,...]      (make bench-discovery)
Parts: levels slow traffic startup plans late. Prints a line a run; fails if one is outside its tolerance. Needs root and TUN:
skipped (exit code 77) without. Figures depend on what else this computer does, so the load is printed.
"""
import argparse
import contextlib
import json
import os
import pathlib
import re
import subprocess
import sys
import tempfile
import time

from machines import Machine, described, differences

STATE = f"/run/espalier-discovery-{os.getpid()}"
MPIS = ("mpich", "openmpi")
THREE_SITES = """{"format": "espalier-machine-1",
 "levels": [{"name": "wan", "members": "site", "latency": "20 ms", "uplink": "100 Mbit/s"},
            {"name": "lan", "members": "machine", "latency": "250 us", "uplink": "1 Gbit/s"}, {"members": "process"}],
 "children": [{"name": "a", "children": [{"name": "m[0-1]", "processes": 1}]},
              {"name": "b", "children": [{"name": "m[0-1]", "processes": 1}]},
              {"name": "c", "children": [{"name": "m[0-1]", "processes": 1}]}],
 "pairs": [{"between": ["a", "b"], "latency": "10 ms"}, {"between": ["b", "c"], "latency": "30 ms"}]}
"""
GRID = "site:2(10ms,100Mbit/s,name=wan) machine:1|2(250us,1Gbit/s,name=lan) proc:2"
MACHINES = {
    "1 host": "machine:1(1ms) proc:4",
    "3 hosts on one LAN": "machine:3(250us,1Gbit/s,name=lan) proc:2",
    "2 sites, 1 + 2": GRID,
    "3 sites, 10 20 30 ms": None,  # THREE_SITES, as a file
}
TWELVE = "site:2(10ms,100Mbit/s,name=wan) machine:6(250us,1Gbit/s,name=lan) proc:1"
FAILED = []


def check(wrong, what):
    if wrong:
        FAILED.append(what)
        print(f"    FAILED {what}: {'; '.join(wrong[:4])}", flush=True)


class Lab:
    def __init__(self, build, folder):
        self.build, self.folder = build, folder
        self.espalier = str(build / "bin" / "espalier")
        self.cache = folder / "cache"

    def run(self, *words, code=0, timeout=1400):
        ran = subprocess.run([self.espalier, *map(str, words)], capture_output=True, text=True, timeout=timeout,
                             check=False, env={**os.environ, "ESPALIER_LAB": STATE})
        if code is not None and ran.returncode != code:
            raise RuntimeError(f"{words} gave {ran.returncode}\n{ran.stdout}\n{ran.stderr}")
        return ran

    @contextlib.contextmanager
    def up(self, machine):
        ran = self.run("lab", "up", machine, code=None)
        if ran.returncode != 0:
            print(ran.stderr.strip())
            sys.exit(77 if "a lab needs root" in ran.stderr else 1)
        try:
            status = json.loads(self.run("lab", "status", "--json").stdout)
            self.hosts = [h["host"] for h in status["hosts"]]
            yield
        finally:
            self.run("lab", "down", code=None)

    def program(self, mpi, program, *arguments, settings=()):
        """A program with the library that is not told the machine."""
        words = ["lab", "run", "--preload", self.build / "lib" / "libespalier.so",
                 "--env", "ESPALIER_MACHINE=", "--env", f"XDG_CACHE_HOME={self.cache}"]
        for setting in settings:
            words += ["--env", setting]
        return self.run(*words, "--", program, *arguments)

    def discover(self, mpi):
        """The machine, what was said, and how long it took (ms)."""
        out = self.folder / "found.json"
        ran = self.run("discover", "--mpi", mpi, "--no-cache", "-o", out, "--", self.espalier, "lab", "run", "--env",
                       "ESPALIER_MACHINE=", "--")
        took = float(re.search(r"took (\d+) ms", ran.stdout).group(1))
        return Machine(json.loads(out.read_text())), ran.stdout, took

    def hosts_of_ranks(self, machine):
        """Of a described machine: the outermost clusters of processes only."""
        innermost = {}
        for leaf, (way, _) in enumerate(machine.leaves):
            key = tuple(step[1] for step in way[:-1])
            innermost.setdefault(key, len(innermost))
            innermost[leaf] = innermost[key]
        return [innermost[machine.leaf_of[r]] for r in range(len(machine.leaf_of))]


def compare(lab, line, name, mpi, saying=None):
    wanted = described(lab.espalier, line)
    found, text, took = lab.discover(mpi)
    wrong = differences(found, wanted, lab.hosts_of_ranks(wanted))
    if saying is not None and not re.search(saying, text):
        wrong.append(f"it did not say {saying}")
    print(f"  {name:22} {mpi:8} {took:6.0f} ms  {summary(text)}", flush=True)
    check(wrong, f"{name}, {mpi}")
    return found, text


def summary(text):
    said = [line for line in text.splitlines() if " apart" in line or "slower" in line]
    return " | ".join(re.sub("; messages above.*", "", line) for line in said) or "1 node"


def levels(lab, options):
    sites = lab.folder / "three-sites.json"
    sites.write_text(THREE_SITES)
    for name, line in MACHINES.items():
        line = line or str(sites)
        with lab.up(line):
            for mpi in MPIS:
                for _ in range(options.runs):
                    compare(lab, line, name, mpi)


def slow(lab, options):
    with lab.up(GRID):
        lab.run("lab", "set", lab.hosts[2], "--send", "500us")
        for mpi in MPIS:
            for _ in range(options.slow_runs):
                compare(lab, GRID, "a slow node", mpi, saying=f"{lab.hosts[2]} sends .* slower")


def traffic(lab, options):
    """Half of the WAN is used, one way, by others all the time."""
    source = "import socket,time\ns=socket.socket(socket.AF_INET,socket.SOCK_DGRAM)\nwhile 1: s.sendto(bytes(1400),('%s',9)); time.sleep(%f)"
    with lab.up(GRID):
        status = json.loads(lab.run("lab", "status", "--json").stdout)
        address = status["hosts"][1].get("address") or lab.hosts[1]
        noise = subprocess.Popen([lab.espalier, "lab", "exec", "--state", STATE, lab.hosts[0], "--", sys.executable, "-c",
                                  source % (address, 1400 * 8 / 30e6)])
        try:
            for mpi in MPIS:
                for _ in range(options.runs):
                    wanted = described(lab.espalier, GRID)
                    found, text, took = lab.discover(mpi)
                    wrong = [w for w in differences(found, wanted, lab.hosts_of_ranks(wanted)) if "cluster" in w]
                    print(f"  {'traffic on the WAN':22} {mpi:8} {took:6.0f} ms  {summary(text)}", flush=True)
                    check(wrong, f"traffic, {mpi}")
        finally:
            noise.kill()
            noise.wait()


def found_in(ran):
    return float(re.search(r"the machine was found in ([0-9.]+) ms", ran.stderr + ran.stdout).group(1))


def startup(lab, options):
    with lab.up(TWELVE):
        for mpi in MPIS:
            for run in range(options.runs):
                lab.cache = lab.folder / f"cache.{mpi}.{run}"
                program = lab.build / "mpi" / f"late_machine.{mpi}"
                cold = found_in(lab.program(mpi, program, "long", settings=["ESPALIER_EXPLAIN=1"]))
                warm = found_in(lab.program(mpi, program, "long", settings=["ESPALIER_EXPLAIN=1"]))
                print(f"  {'12 hosts':22} {mpi:8} cold {cold:6.0f} ms, warm {warm:6.0f} ms", flush=True)
                check([f"cold {cold:.0f} ms"] if cold >= 1000 else [], f"start-up, {mpi}, run {run}")
                check([f"warm {warm:.0f} ms"] if warm >= 100 + 2 * 20 else [], f"start-up, {mpi}, run {run}")


def plans(lab, options):
    """Discovered plans beside described ones: mean times over two roots."""
    with lab.up(GRID.replace("proc:2", "proc:4")):
        for mpi in MPIS:
            stacks = f"{mpi}+espalier,{mpi}+discovered"
            ran = lab.run("bench", "--on", "lab", "--stack", stacks, "--operation", options.operations, "--size",
                          options.sizes, "--root", "0,5", "--repeat", options.repeat, "--json", timeout=1800)
            results = json.loads(ran.stdout)["results"]
            by_call = {}
            for r in results:
                key = (r["operation"], r.get("bytes", 0))
                by_call.setdefault(key, {}).setdefault(r["stack"], []).append(r["median_us"])
            for (operation, size), times in by_call.items():
                mean = {stack: sum(t) / len(t) for stack, t in times.items()}
                told, own = mean[f"{mpi}+espalier"], mean[f"{mpi}+discovered"]
                print(f"  {operation:14} {size:8} B {mpi:8} described {told:10.0f} us, discovered {own:10.0f} us, "
                      f"{own / told:.3f}", flush=True)
                check([f"{own / told:.3f}"] if own > 1.05 * told else [], f"plans: {operation} of {size} B, {mpi}")


def late(lab, options):
    """Calls before and after, from one thread and from two: Open MPI's threads alone take 20 s and more here."""
    with lab.up(GRID):
        for mpi in MPIS:
            for how in ([], ["threads"]):
                for _ in range(options.runs):
                    ran = lab.program(mpi, lab.build / "mpi" / f"late_machine.{mpi}", "long", *how, settings=["ESPALIER_CACHE=0"])
                    print(f"  {'late_machine':22} {mpi:8} {' '.join(how):8} {len(ran.stdout.splitlines())} lines", flush=True)


PARTS = {"levels": levels, "slow": slow, "traffic": traffic, "startup": startup, "plans": plans, "late": late}


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("build", type=pathlib.Path)
    parser.add_argument("--runs", type=int, default=5)
    parser.add_argument("--slow-runs", type=int, default=20)
    parser.add_argument("--only", default=",".join(PARTS))
    parser.add_argument("--operations", default="broadcast,reduce,allreduce,barrier,gather,alltoall")
    parser.add_argument("--sizes", default="8,16KiB,1MiB")
    parser.add_argument("--repeat", default="7")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        lab = Lab(options.build.resolve(), pathlib.Path(folder))
        for name in options.only.split(","):
            print(f"{name}, {time.strftime('%Y-%m-%d %H:%M')}, load {os.getloadavg()[0]:.1f} on {os.cpu_count()} cores",
                  flush=True)
            PARTS[name](lab, options)
    print(f"{len(FAILED)} outside their tolerance" if FAILED else "all within their tolerance")
    return 1 if FAILED else 0


if __name__ == "__main__":
    sys.exit(main())
