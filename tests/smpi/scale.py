#!/usr/bin/env python3
"""The library with a thousand ranks and more, under SimGrid's SMPI, beside the choices of MPI libraries (SMPI's selectors).

    scale.py BUILD [--ranks 1024,4096] [--peers mpich,ompi,mvapich2,impi] [--operations broadcast,...] [--memory 4]
             [--limit 10] [--seconds 600] [--jobs 1] [--resume FILE] [--within RATIO]

One process simulates all ranks, on a machine of three levels: 4 sites of nodes of 16 processes. Data are really moved and
checked on all ranks. A block whose buffers take more than --memory GiB over all ranks is halved until they fit: the table has its length.

A cell is one call of one contender, and a run of its own. So it has a time and a memory of its own, and does not depend on other cells.
A run that takes more than --seconds of processor time, ten times that by the clock, or --limit GiB of address space is ended.

Cells are kept in FILE as soon as they are there, so that a table which was cut off goes on. A cell is taken over only if it is of the same
call (operation, block, ranks, root), contender, machine, build (the program with the library in it), SimGrid and settings (ESPALIER_*).
One that did not end is taken over only if it had as much time and memory, and was not ended from outside. How many were is told at the end.

--within RATIO ends with 1 if we are wrong, or slower than RATIO times the best selector, or if no selector ended: then nothing is shown.
"""
import argparse
import hashlib
import json
import os
import pathlib
import shutil
import signal
import subprocess
import sys
import tempfile
import threading
from concurrent.futures import ThreadPoolExecutor

sys.dont_write_bytecode = True
import launch  # noqa: E402
from kept_cells import Kept  # noqa: E402
from limited_runs import ENDED_FROM_OUTSIDE, Runs, Stopped, why_not  # noqa: E402
from table import size_text  # noqa: E402

OURS = "espalier"
OPERATIONS = ("broadcast", "reduce", "allreduce", "barrier", "gather", "allgather")
MORE_OPERATIONS = ("scatter", "alltoall", "scan", "exscan", "reduce-scatter", "gatherv", "scatterv", "allgatherv", "alltoallv")
PEERS = ("mpich", "ompi", "mvapich2", "impi")
SIZES = (8, 65536)
ROOTS = 1  # root 0 alone
PROCESSES = 4 * 16  # the machine has as many for each node of a site
ITS_OWN = ("ESPALIER_MACHINE", "ESPALIER_FORCE", "ESPALIER_DISABLE")  # settings that each run is given


def machine(ranks):
    return (f"site:4(10ms,10Gbit/s) node:{ranks // PROCESSES}(20us,10Gbit/s) "
            f"proc:16(500ns,cap=20Gbit/s,send=300ns,recv=300ns)")


def buffer_bytes(operation, ranks, size):
    """Of all ranks together: what goes in and what comes out."""
    blocks = {"allgather": ranks + 1, "allgatherv": ranks + 1, "alltoall": 2 * ranks, "alltoallv": 2 * ranks,
              "reduce-scatter": ranks + 1}.get(operation, 2)
    return ranks * size * blocks


def sizes_of(operation, ranks, memory):
    if operation == "barrier":
        return [0]
    found = []
    for size in SIZES:
        while size > 8 and buffer_bytes(operation, ranks, size) > memory:
            size //= 2
        found.append(size)
    return sorted(set(found))


def cell_in(text, call):
    """What smpi_times printed of a call; None: nothing, or not to its end."""
    for row in text.split("\n")[:-1]:
        words = row.split(",", 5)
        if len(words) == 6 and f"{words[0]}:{words[1]}" == call:
            return {"us": float(words[2]), "right": words[3] == "1", "planned": words[4], "plan": words[5]}
    return None


def simgrid():
    """What SimGrid says of itself."""
    if not shutil.which("smpirun"):
        sys.exit("error: there is no smpirun: install SimGrid (Debian: libsimgrid-dev)")
    return subprocess.run(["smpirun", "-version"], check=False, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True).stdout.strip()


def short_hash(data):
    return hashlib.sha256(data).hexdigest()[:16]


def identity(build):
    """All that simulated times depend on besides the call: programs, with the library in them, SimGrid and settings."""
    programs = b""
    for name in ("smpi/smpi_times", "bin/write_platform"):
        if not (build / name).exists():
            sys.exit(f"error: there is no {build / name}: make bench-scale builds it")
        programs += hashlib.sha256((build / name).read_bytes()).digest()
    settings = sorted((name, value) for name, value in os.environ.items() if name.startswith("ESPALIER_") and name not in ITS_OWN)
    return {"build": short_hash(programs), "simgrid": simgrid(),
            "settings": short_hash(json.dumps([launch.EXACT, launch.SHARED_PROGRAM, settings]).encode())}


class Scale:
    def __init__(self, options):
        self.options = options
        self.build = pathlib.Path(options.build)
        self.identity = identity(self.build)
        self.kept = Kept(options.resume, self.identity)
        self.runs = Runs()
        self.taken = 0  # cells of earlier tables
        self.lock = threading.Lock()

    def calls(self, ranks):
        return [f"{operation}:{size}" for operation in self.options.operations
                for size in sizes_of(operation, ranks, self.options.memory << 30)]

    def of(self, ranks, team, call):
        return self.identity | {"ranks": ranks, "machine": machine(ranks), "roots": ROOTS, "team": team, "call": call}

    def play(self, folder, ranks, team, call):
        """One run: its cell, or why there is none, and what it took."""
        line = ["smpirun", "-platform", f"{folder}/platform.xml", "-hostfile", f"{folder}/hosts", "-np", str(ranks),
                "--log=root.thres:critical"]
        line += [f"--cfg={option}" for option in launch.EXACT + [launch.SHARED_PROGRAM]]
        line += [] if team == OURS else [f"--cfg=smpi/coll-selector:{team}"]
        line += [str(self.build / "smpi/smpi_times"), "--roots", str(ROOTS), call]
        environment = {name: value for name, value in os.environ.items() if name not in ITS_OWN}
        environment |= {"ESPALIER_MACHINE": f"{folder}/machine.json", "TMPDIR": folder}
        environment |= {"ESPALIER_FORCE": "1"} if team == OURS else {"ESPALIER_DISABLE": "1"}
        text, errors, how = self.runs.run(line, environment, self.options.seconds, self.options.limit << 30)
        cell = cell_in(text, call)
        said = "" if cell else next((row for row in reversed(errors.splitlines()) if row.strip()), "")
        return how | {"cell": cell, "why": "" if cell else why_not(how, self.options.seconds), "said": said[-200:]}

    def run(self, folder, ranks, team, call):
        """The line of a cell: of an earlier table, or of a run now."""
        options = self.options
        of = self.of(ranks, team, call)
        line = self.kept.find(of, options.seconds, options.limit)
        if line is not None:
            with self.lock:
                self.taken += 1
            return line
        line = of | {"seconds": options.seconds, "limit": options.limit} | self.play(folder, ranks, team, call)
        if line["why"] != ENDED_FROM_OUTSIDE:
            self.kept.keep(line)
        how = f"{line['cell']['us']:.1f} us, {'right' if line['cell']['right'] else 'WRONG'}" if line["cell"] else \
            f"{line['why']}: {line['said']}" if line["said"] else line["why"]
        print(f"{ranks} ranks, {call}, {team}: {how}; {line['processor']:.0f} s of processor time, {line['memory'] / 2**30:.2f} GiB",
              file=sys.stderr, flush=True)
        return line

    def table(self, ranks, teams):
        """Lines of all cells with so many ranks, by call and contender. Each call is played by all before the next one is."""
        cells = [(call, team) for call in self.calls(ranks) for team in teams]
        with tempfile.TemporaryDirectory() as folder:
            subprocess.run([str(self.build / "bin/write_platform"), machine(ranks), folder], check=True)
            pool = ThreadPoolExecutor(self.options.jobs)
            try:
                lines = list(pool.map(lambda cell: self.run(folder, ranks, cell[1], cell[0]), cells))
            except BaseException:
                self.runs.stop()
                raise
            finally:
                pool.shutdown(cancel_futures=True)
        table = {}
        for (call, team), line in zip(cells, lines):
            table.setdefault(call, {})[team] = line
        return table


def row_of(ranks, call, lines):
    """A row of the table: ours, the best selector's time, and what became of the others. @param lines by contender"""
    ours = lines[OURS]
    cell = ours["cell"]
    peers = {team: line for team, line in lines.items() if team != OURS}
    right = {team: line["cell"]["us"] for team, line in peers.items() if line["cell"] and line["cell"]["right"]}
    out = [f"{team} {'wrong' if line['cell'] else line['why']}" for team, line in peers.items() if team not in right]
    best = min(right, key=right.get, default=None)
    operation, size = call.split(":")
    is_right = cell is not None and cell["right"]
    return {"ranks": ranks, "operation": operation, "size": int(size),
            "data": "right" if is_right else "wrong" if cell else ours["why"],
            "ours": cell["us"] if is_right else None, "plan": cell["plan"] if cell else "",
            "best": right.get(best), "peer": best, "out": ", ".join(out),
            "ratio": cell["us"] / right[best] if is_right and best else None,
            "clock": ours["clock"], "processor": ours["processor"], "memory": ours["memory"]}


def costs_of(ranks, table):
    """What the runs of each contender took, all together."""
    costs = {}
    for lines in table.values():
        for team, line in lines.items():
            sums = costs.setdefault(team, {"ranks": ranks, "team": team, "runs": 0, "right": 0, "clock": 0, "processor": 0, "memory": 0})
            sums["runs"] += 1
            sums["right"] += bool(line["cell"] and line["cell"]["right"])
            sums["clock"] += line["clock"]
            sums["processor"] += line["processor"]
            sums["memory"] = max(sums["memory"], line["memory"])
    return list(costs.values())


def number(value, form):
    return "-" if value is None else format(value, form)


def show(rows, costs):
    print("| ranks | operation | block | data | Espalier, us | best selector, us | ratio | plan | left out | by the clock, s | "
          "processor time, s | memory, GiB |")
    print("|---|---|---|---|---|---|---|---|---|---|---|---|")
    for r in rows:
        print(f"| {r['ranks']} | {r['operation']} | {size_text(r['size'])} | {r['data']} | {number(r['ours'], '.1f')} | "
              f"{number(r['best'], '.1f')} ({r['peer'] or 'none'}) | {number(r['ratio'], '.3f')} | {r['plan']} | {r['out']} | "
              f"{r['clock']:.0f} | {r['processor']:.0f} | {r['memory'] / 2**30:.2f} |")
    print("\n| ranks | contender | runs | right | by the clock, s | processor time, s | memory at most, GiB |")
    print("|---|---|---|---|---|---|---|")
    for c in costs:
        print(f"| {c['ranks']} | {c['team']} | {c['runs']} | {c['right']} | {c['clock']:.0f} | {c['processor']:.0f} | "
              f"{c['memory'] / 2**30:.2f} |")


def in_all(rows):
    """A line that says how we stand."""
    right = sum(r["data"] == "right" for r in rows)
    ratios = [r["ratio"] for r in rows if r["ratio"] is not None]
    return (f"Of {len(rows)} calls {right} were right. Beside the best selector {sum(ratio <= 1 for ratio in ratios)} were not slower, "
            f"{sum(ratio > 1 for ratio in ratios)} slower, {len(rows) - len(ratios)} not compared.")


def taken_over(scale, cells):
    """A line on cells of earlier tables; empty if none are kept."""
    if not scale.options.resume:
        return ""
    text = f"{scale.taken} of {cells} cells were taken over from {scale.options.resume}"
    return text + (f"; {scale.kept.others} cells there are of other builds or settings" if scale.kept.others else "")


def failures(rows, within):
    """Why each call fails that is not shown to be within this ratio."""
    for r in rows:
        call = f"{r['operation']} of {size_text(r['size'])} on {r['ranks']} ranks"
        if r["ours"] is None:
            yield f"{call}: ours: {r['data']}"
        elif r["ratio"] is None:
            yield f"{call}: not shown, no selector ended with right data ({r['out']})"
        elif r["ratio"] > within:
            yield f"{call}: {r['ours']:.1f} us, the best selector ({r['peer']}) {r['best']:.1f}: {r['ratio']:.3f} times, at most {within} is wanted"


def positive(text):
    if not text.isascii() or not text.isdecimal() or int(text) == 0:
        raise argparse.ArgumentTypeError(f"{text} is no whole number above 0")
    return int(text)


def ranks_list(text):
    ranks = [positive(word) for word in text.split(",")]
    for n in ranks:
        if n % PROCESSES != 0:
            raise argparse.ArgumentTypeError(f"{n} is no multiple of {PROCESSES}: the machine has 4 sites of nodes of 16 processes")
    return list(dict.fromkeys(ranks))


def names_out_of(known):
    def read(text):
        names = [name for name in text.split(",") if name]
        for name in names:
            if name not in known:
                raise argparse.ArgumentTypeError(f"{name} is none of {', '.join(known)}")
        return list(dict.fromkeys(names))
    return read


def arguments():
    parser = argparse.ArgumentParser()
    parser.add_argument("build")
    parser.add_argument("--ranks", type=ranks_list, default=[1024, 4096])
    parser.add_argument("--peers", type=names_out_of(PEERS), default=list(PEERS))
    parser.add_argument("--operations", type=names_out_of(OPERATIONS + MORE_OPERATIONS), default=list(OPERATIONS))
    parser.add_argument("--memory", type=positive, default=4, help="GiB of all buffers of a call")
    parser.add_argument("--limit", type=positive, default=10, help="GiB of address space of a run")
    parser.add_argument("--seconds", type=positive, default=600, help="processor time of a run")
    parser.add_argument("--jobs", type=positive, default=1)
    parser.add_argument("--resume")
    parser.add_argument("--within", type=float, help="end with 1 if we are wrong, slower than this times the best, or nothing is shown")
    options = parser.parse_args()
    if not options.operations:
        parser.error("--operations names none")
    if options.within is not None and not options.peers:
        parser.error("--within compares with selectors: name some with --peers")
    return options


def cut_off(_number, _frame):
    raise KeyboardInterrupt


def main():
    options = arguments()
    for which in (signal.SIGTERM, signal.SIGHUP):
        if signal.getsignal(which) != signal.SIG_IGN:  # as nohup wants it
            signal.signal(which, cut_off)
    scale = Scale(options)
    rows, costs = [], []
    try:
        for ranks in options.ranks:
            table = scale.table(ranks, [OURS] + options.peers)
            rows += [row_of(ranks, call, lines) for call, lines in table.items()]
            costs += costs_of(ranks, table)
    except (KeyboardInterrupt, Stopped):
        print("cut off" + (f": cells that ended are in {options.resume}, and the same command goes on" if options.resume else ""),
              file=sys.stderr)
        return 130
    show(rows, costs)
    print(f"\n{in_all(rows)}")
    if said := taken_over(scale, sum(c["runs"] for c in costs)):
        print(said)
    bad = [] if options.within is None else list(failures(rows, options.within))
    for why in bad:
        print(f"error: {why}", file=sys.stderr)
    return 1 if bad else 0


if __name__ == "__main__":
    sys.exit(main())
