#!/usr/bin/env python3
"""Programs that people run, unmodified, on emulated sites: native, with exported rules, and with Espalier's library.

    bench_programs.py BUILD [--only NAME[,NAME]] [--mpi LIST] [--stacks LIST] [--runs N] [--quick] [--machine SYNTHETIC | --one-host] [--npb FOLDER]
                      [--limit SECONDS] [--json FILE] [--svg FILE]

Needs root and TUN. Stacks are measured in turn, round by round; medians count. A program that is not installed is skipped with a line that names its
package, one that takes more ranks than the machine has with a line that says so. Times are those between MPI_Init and MPI_Finalize, of the longest
rank. "in collectives" is the share of the time between MPI_Init and MPI_Finalize, native and with the machine told, from the recorder of
`espalier lab run --profile`; "limit" is how many times faster the program could become by Amdahl's law, or none if that cannot be said
(bench/programs/limits.py), "reached" how much of that it is with the machine told. Fails if a program is wrong, takes longer than --limit, or is
slower than native by more than 3 % beyond its interval (2 % on one host).
"""
import argparse
import json
import os
import pathlib
import re
import signal
import statistics
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT / "bench" / "programs"))
sys.dont_write_bytecode = True
import figures  # noqa: E402
import lab_runs  # noqa: E402
import limits  # noqa: E402
from catalogue import PROGRAMS, BadFolder, Missing, npb_programs  # noqa: E402

MACHINE = "site:3(10ms,100Mbit/s) proc:4"
ONE_HOST = "machine:1(1ms) proc:12"  # nothing crosses the channel around it
ALLOWED = 0.03
ALLOWED_ON_ONE_HOST = 0.02  # there are no delays that loss could hide behind


def say(text):
    print(text, flush=True)


def binding(build):
    """The Python package, for lower bounds; None where pybind11 is not installed."""
    sys.path.insert(0, str(build / "python"))
    try:
        import espalier
    except ImportError as error:
        say(f"no limits: the Python package cannot be loaded ({error})")
        return None
    return espalier


def measure(place, mpi, job, stacks, runs):
    """stack -> seconds of each run. Each round begins with another stack."""
    found = {stack: [] for stack in stacks}
    if "warm" in stacks:
        lab_runs.run(place, mpi, job, "warm")
    for number in range(runs):
        turn = number % len(stacks)
        for stack in stacks[turn:] + stacks[:turn]:
            found[stack].append(lab_runs.run(place, mpi, job, stack, number))
    return found


def add_limit(row, place, mpi, job, espalier):
    """What the recorder says of the program, native and with the machine told."""
    before, after = (lab_runs.recorded(place, mpi, job, stack) for stack in ("native", "told"))
    (ran, collectives), (ran_after, collectives_after) = limits.times(before), limits.times(after)
    row["share"] = [collectives / ran, collectives_after / ran_after]
    if espalier is None or "told" not in row["seconds"]:
        return
    row["no_limit"] = limits.why_none(before)
    if row["no_limit"]:
        return
    at_least = limits.bound(before, espalier.Machine(place.machine), espalier)
    row["limit"] = limits.limit(before, at_least)
    row["reached"] = row["seconds"]["native"] / row["seconds"]["told"] / row["limit"]


def row_of(program, mpi, job, runs):
    seconds = {stack: statistics.median(taken) for stack, taken in runs.items()}
    ratios = {stack: figures.ratio(taken, runs["native"]) for stack, taken in runs.items() if stack != "native"}
    return {"program": program.name, "mpi": mpi, "ranks": job.ranks, "seconds": seconds, "runs": runs, "ratios": ratios}


def chosen(programs, options):
    """Those that are asked for. Raises ValueError with names that no program begins with."""
    if not options.only:
        return [program for program in programs if program.quick or not options.quick]
    wanted = options.only.split(",")
    unknown = [name for name in wanted if not name or not any(program.name.startswith(name) for program in programs)]
    if unknown:
        raise ValueError(f"no such program: {', '.join(unknown) or 'an empty name'}; there are {', '.join(program.name for program in programs)}")
    return [program for program in programs if program.name.startswith(tuple(wanted))]


def stacks_for(place, program, job, stacks):
    """Those that the program can have: files of `espalier export` are for one number of ranks."""
    if "rules" in stacks and lab_runs.of_first_ranks(place.machine, place.ranks, job.ranks) is None:
        say(f"{program.name}: without rules: the machine of the first {job.ranks} of {place.ranks} ranks cannot be written as a line")
        return [stack for stack in stacks if stack != "rules"]
    return stacks


def all_rows(place, options, espalier, programs):
    rows, failed = [], []
    for program in programs:
        for mpi in [mpi for mpi in program.mpis if mpi in options.mpi.split(",")]:
            job = program.prepare(mpi, place)
            if isinstance(job, Missing):
                say(f"skipped: {program.name}, {mpi}: package {job.package} is not installed")
                continue
            if job.ranks > place.ranks:
                say(f"skipped: {program.name}, {mpi}: it takes {job.ranks} ranks, the machine has {place.ranks}")
                continue
            job.name, job.seconds = program.name.replace(" ", "-"), options.limit or program.seconds
            try:
                stacks = stacks_for(place, program, job, options.stacks.split(","))
                row = row_of(program, mpi, job, measure(place, mpi, job, stacks, options.runs))
                add_limit(row, place, mpi, job, espalier)
            except lab_runs.Failed as error:
                failed.append(f"{program.name}, {mpi}: {error}")
                say(f"failed: {failed[-1]}")
                continue
            rows.append(row)
            say(list(figures.table([row], options.stacks.split(",")))[1])
    return rows, failed


def losses(rows, allowed):
    for row in rows:
        for stack, ratio in row["ratios"].items():
            if figures.is_loss(ratio, allowed):
                yield f"{row['program']}, {row['mpi']}: {stack} {ratio[0]:.3f} ({ratio[1]:.3f}-{ratio[2]:.3f}) of native"


def report(rows, options, place):
    allowed = ALLOWED_ON_ONE_HOST if options.one_host else ALLOWED
    say("")
    for line in figures.table(rows, options.stacks.split(",")):
        say(line)
    for why in sorted({row["no_limit"] for row in rows if row.get("no_limit")}):
        named = ", ".join(f"{row['program']} {row['mpi']}" for row in rows if row.get("no_limit") == why)
        say(f"no limit is stated where a program's recording does not tell it ({why}): {named}")
    lost = list(losses(rows, allowed))
    say(f"\nslower than native by more than {100 * allowed:.0f} % beyond the interval: {len(lost) or 'none'}")
    for line in lost:
        say(f"  {line}")
    short = [row for row in rows if row.get("limit") and row["reached"] < 0.8]
    say(f"below 80 % of their limit: {', '.join(row['program'] + ' ' + row['mpi'] for row in short) or 'none'}")
    if options.json:
        pathlib.Path(options.json).write_text(json.dumps({"format": "espalier-programs-1", "machine": place.machine, "programs": rows}, indent=1) + "\n")
    if options.svg:
        pathlib.Path(options.svg).write_text(figures.bars(rows, options.stacks.split(",")))
    return lost


def positive(text):
    if not text.isdecimal() or int(text) == 0:
        raise argparse.ArgumentTypeError(f"{text} is not a whole number of seconds above 0")
    return int(text)


def arguments():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("build", type=pathlib.Path)
    parser.add_argument("--only", help="programs whose names begin so")
    parser.add_argument("--mpi", default="mpich,openmpi")
    parser.add_argument("--stacks", default=",".join(lab_runs.STACKS))
    parser.add_argument("--runs", type=int, default=5)
    parser.add_argument("--quick", action="store_true", help="few programs, three runs of each")
    parser.add_argument("--machine", metavar="SYNTHETIC", help=f'another machine than "{MACHINE}", as `espalier show` takes it. Programs run on its first '
                        "ranks, most of them on 12")
    parser.add_argument("--one-host", action="store_true", help=f'a machine of one host, "{ONE_HOST}"; 2 %% of loss are allowed instead of 3 %%')
    parser.add_argument("--npb", metavar="FOLDER", type=pathlib.Path, help="also the NAS parallel benchmarks in this folder, by their names: is.S.x takes "
                        "as many ranks as it can have, lu.W.4 four. They are called npb is.S.x")
    parser.add_argument("--limit", metavar="SECONDS", type=positive, help="a run of any program that takes more is ended, and the program has failed. "
                        "Default: 120, more for heavy programs: lammps 300, espresso and hpcc 600, NPB's class A 600, B 1800, above that 7200")
    parser.add_argument("--json")
    parser.add_argument("--svg")
    options = parser.parse_args()
    if options.one_host and options.machine is not None:
        parser.error("--one-host has a machine of its own: leave out --machine")
    if options.machine is not None and not options.machine.strip():
        parser.error("--machine is empty")
    try:
        options.programs = chosen(PROGRAMS + (npb_programs(options.npb) if options.npb else []), options)
    except BadFolder as error:
        parser.error(f"--npb: {error}")
    except ValueError as error:
        parser.error(f"--only: {error}")
    if options.quick:
        options.runs = min(options.runs, 3)
    unknown = [stack for stack in options.stacks.split(",") if stack not in lab_runs.STACKS]
    if unknown or "native" not in options.stacks.split(","):
        parser.error(f"--stacks: native and any of {', '.join(lab_runs.STACKS[1:])}, not {options.stacks}")
    options.machine = ONE_HOST if options.one_host else options.machine or MACHINE
    return options


def main():
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(143))  # through `finally`: no lab stays behind
    options = arguments()
    build = options.build.resolve()
    state = os.environ.get("ESPALIER_LAB") or f"/run/espalier-lab-programs-{os.getpid()}"
    with tempfile.TemporaryDirectory(dir="/var/tmp") as folder:  # hosts of a lab have a /tmp of their own
        place = lab_runs.Place(build / "bin" / "espalier", build, pathlib.Path(folder), state, options.machine)
        up = subprocess.run([place.tool, "lab", "up", options.machine, "--state", state], capture_output=True, text=True, check=False)
        if up.returncode != 0:
            say(up.stderr.strip())
            return 77 if "a lab needs root" in up.stderr else 1
        try:
            place.ranks = int(re.search(r" (\d+) ranks", up.stdout).group(1))
            rows, failed = all_rows(place, options, binding(build), options.programs)
            lost = report(rows, options, place) if rows else []
        finally:
            subprocess.run([place.tool, "lab", "down", "--state", state], stdout=subprocess.DEVNULL, check=False)
    return 1 if failed or lost else 0


if __name__ == "__main__":
    sys.exit(main())
