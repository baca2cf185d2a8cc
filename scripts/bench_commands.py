#!/usr/bin/env python3
"""What commands of the tool cost: time, memory and the first words of each, at 16, 1,536 and 4,096 ranks (some at fewer) and three sizes.

usage: bench_commands.py ESPALIER [--command NAME]... [--ranks N]... [--plans [--operation NAME]...] [--interrupt] [--json]

Each command has 60 seconds of processor time and 2 GB; what needs more is "above". Each cell: processor time, largest memory, and the processor time
until its first output (progress counts) if that is above a second: commands have one thread, so on a quiet computer it is the time by the
clock. --interrupt: Ctrl-C after a second instead; each cell says how soon the command ended, and with which code (130 is right). --plans: `espalier plan` of every operation instead, also of blocks of unequal lengths; each cell: processor time until the choice is printed, of all of it, and largest memory. `make bench-commands` runs it on the tool of this tree; the same script works on the tool of any commit.
"""
import argparse
import json
import os
import pathlib
import pty
import resource
import selectors
import signal
import subprocess
import tempfile

SECONDS = 60
BYTES = 2 << 30
MACHINES = {
    16: "site:2(10ms,1Gbit/s) node:2(50us,10Gbit/s) proc:4(1us,20Gbit/s)",
    128: "site:2(10ms,1Gbit/s) node:8(50us,10Gbit/s) proc:8(1us,20Gbit/s)",
    256: "site:2(10ms,1Gbit/s) node:8(50us,10Gbit/s) proc:16(1us,20Gbit/s)",
    1536: "site:4(10ms,1Gbit/s) node:24(50us,10Gbit/s) proc:16(1us,20Gbit/s)",
    4096: "site:4(10ms,1Gbit/s) rack:8(100us,10Gbit/s) node:8(50us,10Gbit/s) proc:16(1us,20Gbit/s)",
}
SIZES = {"1 KiB": "1KiB", "1 MB": "1MB", "1 GiB": "1GiB"}
NO_SIZE = {"group", "show", "place", "view", "plan barrier"}
RANKS = {"view": [16, 128], "plan scatterv": [16, 256, 1536], "plan gatherv": [16, 256, 1536], "plan allgatherv": [16, 128, 256], "plan alltoallv": [16, 128, 256]}
OPERATIONS = ["broadcast", "scatter", "gather", "reduce", "allreduce", "allgather", "alltoall", "barrier", "reduce-scatter", "scan", "exscan",
              "scatterv", "gatherv", "allgatherv", "alltoallv"]


COMMANDS = ["plan", "simulate", "compare", "verify", "place", "group", "show", "view"]


class Tool:
    def __init__(self, path, folder):
        self.path = str(pathlib.Path(path).resolve())
        self.folder = pathlib.Path(folder)

    def command(self, name, ranks, size):
        """The arguments; None if what the command works on cannot be made."""
        machine = MACHINES[ranks]
        if name == "plan":
            return ["plan", "allreduce", "--machine", machine, "--size", size]
        if name.startswith("plan "):
            sized = [] if name in NO_SIZE else ["--size", size]
            counts = ["--counts", "powerlaw"] if name.endswith("v") else []
            return [*name.split(), "--machine", machine, *sized, *counts]
        if name == "simulate":
            return ["simulate", "allreduce", "--machine", machine, "--size", size]
        if name == "compare":
            return ["compare", "--machine", machine, "--size", size]
        if name == "verify":
            schedule = self.folder / f"{ranks}-{size}.json"
            write = ["plan", "broadcast", "--machine", machine, "--size", size, "--schedule", str(schedule)]
            if not schedule.exists() and run([self.path, *write])["code"] != 0:
                return None
            return ["verify", str(schedule)]
        if name == "place":
            hosts = self.folder / f"{ranks}.hosts"
            hosts.write_text("".join(f"node{h} slots=16\n" for h in range(max(2, ranks // 16))))
            return ["place", "--profile", "is.S", "--processes", str(ranks), "--inventory", str(hosts)]
        if name == "group":
            return ["group", "simulate", "--processes", str(ranks)]
        if name == "view":
            return ["view", machine, "--html", str(self.folder / "page.html"), "--force"]
        return ["show", machine]


def processor_time(pid):
    """Of a process that runs; as much as it used so far."""
    fields = pathlib.Path(f"/proc/{pid}/stat").read_text().rsplit(") ", 1)[1].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def limits():
    resource.setrlimit(resource.RLIMIT_CPU, (SECONDS, SECONDS + 1))
    resource.setrlimit(resource.RLIMIT_DATA, (BYTES, BYTES))
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    signal.signal(signal.SIGINT, signal.SIG_DFL)


def run(command, interrupt_after=None):
    """Runs it: exit code, processor and clock time, memory, when its first output came, why it was ended."""
    terminal, end = pty.openpty()  # on a terminal progress is told from half a second on
    child = subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=end, preexec_fn=limits)
    os.close(end)
    seen = {"first": None, "printed": None, "said": b"", "above": None, "interrupted": None}
    selector = selectors.DefaultSelector()
    for stream in (child.stdout.fileno(), terminal):
        selector.register(stream, selectors.EVENT_READ)
    while selector.get_map():
        if interrupt_after is not None and seen["interrupted"] is None and processor_time(child.pid) >= interrupt_after:
            seen["interrupted"] = processor_time(child.pid)
            child.send_signal(signal.SIGINT)
        for key, _ in selector.select(0.05):
            try:
                data = os.read(key.fd, 1 << 16)
            except OSError:  # nobody writes to the terminal any more
                data = b""
            if not data:
                selector.unregister(key.fd)
            else:
                now = processor_time(child.pid)
                if seen["first"] is None:
                    seen["first"] = now
                if seen["printed"] is None and key.fd != terminal:
                    seen["printed"] = now
            if key.fd == terminal:
                seen["said"] = (seen["said"] + data)[-4096:]
    child.stdout.close()
    os.close(terminal)
    _, status, usage = os.wait4(child.pid, 0)
    child.returncode = os.waitstatus_to_exitcode(status)
    if child.returncode in (-signal.SIGXCPU, -signal.SIGKILL):
        seen["above"] = f"{SECONDS} s"
    elif child.returncode != 0 and b"memory" in seen["said"]:
        seen["above"] = "2 GB"
    return {"code": child.returncode, "cpu": usage.ru_utime + usage.ru_stime,
            "mb": usage.ru_maxrss * 1024 / 1e6, "first": seen["first"], "printed": seen["printed"], "above": seen["above"], "interrupted": seen["interrupted"],
            "said": seen["said"].decode(errors="replace").strip()}


def words(result):
    if result is None:
        return "no plan to read"
    if result["above"] is not None:
        return f"above {result['above']}"
    text = f"{result['cpu']:.2f} s, {result['mb']:.0f} MB"
    if result["first"] is not None and result["first"] > 1:
        text += f", first words after {result['first']:.1f} s"
    if result["code"] != 0:
        text += f", refused ({result['code']})"
    return text


def plan_words(result):
    if result["above"] is not None or result["code"] != 0:
        return words(result)
    return f"{result['printed']:.2f} s, {result['cpu']:.2f} s, {result['mb']:.0f} MB"


def interrupted_words(result):
    if result is None:
        return "no plan to read"
    if result["interrupted"] is None:
        return "done before"
    return f"{result['code']} after {result['cpu'] - result['interrupted']:.2f} s"


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("espalier")
    parser.add_argument("--command", action="append", choices=COMMANDS)
    parser.add_argument("--ranks", action="append", type=int, choices=sorted(MACHINES))
    parser.add_argument("--plans", action="store_true")
    parser.add_argument("--operation", action="append", choices=OPERATIONS, help="with --plans: only this one")
    parser.add_argument("--interrupt", action="store_true")
    parser.add_argument("--json", action="store_true")
    options = parser.parse_args()
    names = options.command or COMMANDS
    if options.plans:
        names = [f"plan {operation}" for operation in options.operation or OPERATIONS]
    tell = interrupted_words if options.interrupt else plan_words if options.plans else words
    results = []
    with tempfile.TemporaryDirectory() as folder:
        tool = Tool(options.espalier, folder)
        if not options.json:
            if options.plans:
                print("Each cell: until the choice is printed, all of it, memory.\n")
            print(f"| command | ranks | {' | '.join(SIZES)} |\n|---|---|{'---|' * len(SIZES)}")
        for name in names:
            for ranks in [n for n in RANKS.get(name, [16, 1536, 4096]) if n in (options.ranks or MACHINES)]:
                cells = []
                for size in ["any"] if name in NO_SIZE else SIZES.values():
                    arguments = tool.command(name, ranks, size)
                    done = None if arguments is None else run([tool.path, *arguments], 1 if options.interrupt else None)
                    cells.append(tell(done))
                    results.append({"command": name, "ranks": ranks, "size": size, "result": done})
                if not options.json:
                    print(f"| {name} | {ranks:,} | {' | '.join(cells + ['the same'] * (len(SIZES) - len(cells)))} |", flush=True)
    if options.json:
        print(json.dumps(results, indent=1))


main()
