"""One run of the sections: how it is started, watched, and compared with another."""
import dataclasses
import os
import pathlib
import struct
import subprocess
import sys
import tempfile
import time

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent))
import launch as launcher  # noqa: E402

# What C++ and the MPIs say of the failures that end a program.
FAILURES = ["terminate called", "Fatal error in", "MPI_ERRORS_ARE_FATAL"]


@dataclasses.dataclass
class Launch:
    mpi: str
    program: str
    ranks: int
    seed: int
    first: int
    count: int
    kinds: str
    levels: str
    drop: str = ""
    trace: bool = False

    def command(self, folder):
        line = [self.program, "--seed", str(self.seed), "--first", str(self.first), "--count", str(self.count), "--kinds",
                self.kinds, "--out", str(folder)]
        line += ["--levels", self.levels] if self.levels != "none" else []
        line += ["--drop", self.drop] if self.drop else []
        return line + (["--trace"] if self.trace else [])

    def holds(self, section):
        return self.first <= section < self.first + self.count

    def part(self, first, count, drop="", trace=False):
        return dataclasses.replace(self, first=first, count=count, drop=drop, trace=trace)

    def alone(self, section, drop):
        return self.part(section, 1, drop, True)

    def text(self):
        return f"{self.ranks} ranks, seed {self.seed}, sections {self.first} to {self.first + self.count - 1}"


class Setting:
    """Forced plans on a random machine, through the memory of one node, with one copy too, or of two, also for calls that do not block, default settings with trials on a far one, there also for calls that do not block, or on the machine that is found."""

    def __init__(self, name, launch, library):
        self.name = name
        self.library = library
        if name in ("forced", "nonblocking", "thread"):
            machine = f"random:{launch.seed % 1000}:{launch.ranks}"
            self.variables = [("ESPALIER_FORCE", "1"), ("ESPALIER_MACHINE", machine)]
            if name != "forced":
                self.variables.append(("ESPALIER_NONBLOCKING", "1"))
            if name == "thread":
                self.variables.append(("ESPALIER_PROGRESS_THREAD", "1"))
        elif name == "shared":
            self.variables = [("ESPALIER_FORCE", "1"), ("ESPALIER_SHARED", "1")]
        elif name == "once":
            self.variables = [("ESPALIER_FORCE", "1"), ("ESPALIER_SHARED", "1"), ("ESPALIER_ONE_COPY", "1")]
        elif name == "nodes":
            first = (launch.ranks + 1) // 2
            nodes = f"{first}|{launch.ranks - first}" if launch.ranks > first else f"{first}|1"
            machine = f"node:2(50us,1Gbit/s) proc:{nodes}(1us,name=memory)"
            self.variables = [("ESPALIER_FORCE", "1"), ("ESPALIER_SHARED", "1"), ("ESPALIER_MACHINE", machine)]
        elif name == "bare":
            self.variables = [("ESPALIER_CACHE", "0")]
        else:
            near = launch.ranks // 2
            sites = f"{near}|{launch.ranks - near}" if launch.ranks != 2 * near else str(near)
            self.variables = [("ESPALIER_MACHINE", f"site:2(10ms,100Mbit/s) proc:{sites}(1us)")]
            if name == "measured":
                self.variables.append(("ESPALIER_NONBLOCKING", "measured"))

    def text(self):
        return " ".join(f"{name}='{value}'" for name, value in self.variables)


@dataclasses.dataclass
class Result:
    code: int
    hangs: bool
    lines: list  # for each rank, section -> its line
    where: list  # for each rank, (section, step)
    output: str

    def planned(self):
        """How many calls of rank 0 ran along plans."""
        counts = [int(line.split()[1]) for line in self.output.splitlines() if line.startswith("planned ")]
        return counts[0] if counts else 0

    def ends_like(self, other):
        """Whether the exit codes are the same, or say only that MPICH's launcher ended other ranks than those that failed: without
        the library, too, one section gives sometimes the code of the failure and sometimes that of the signal."""
        if self.code == other.code:
            return True
        said = [[text for text in FAILURES if text in one.output] for one in (self, other)]
        return said[0] == said[1] != [] and 0 not in (self.code, other.code) and bool({9, 15} & {self.code, other.code})

    def breaks_off(self, launch):
        """Whether the job ended without an error, and some rank before its last section."""
        last = launch.first + launch.count - 1
        return not self.hangs and self.code == 0 and min(section for section, _ in self.where) < last

    def text(self):
        places = ", ".join(f"rank {r} in section {s} step {i}" for r, (s, i) in enumerate(self.where))
        return ("hangs" if self.hangs else f"exit code {self.code}") + (f": {places}" if places else "")


def progress(folder, ranks):
    where = []
    for rank in range(ranks):
        try:
            section, step = struct.unpack("QQ", (folder / f"progress.{rank}").read_bytes())
        except (OSError, struct.error):
            section, step = 0, 0
        where.append((section - 1, step))
    return where


def result_lines(folder, ranks):
    all_lines = []
    for rank in range(ranks):
        path = folder / f"result.{rank}"
        text = path.read_text() if path.exists() else ""
        all_lines.append({int(line.split()[1]): line for line in text.splitlines() if "error-classes" in line})
    return all_lines


def wait(process, folder, ranks, patience):
    """Whether it ended before no rank got on for so long."""
    last, since = None, time.monotonic()
    while True:
        try:
            process.wait(0.2)
            return True
        except subprocess.TimeoutExpired:
            now = progress(folder, ranks)
            if now != last:
                last, since = now, time.monotonic()
            elif time.monotonic() - since > patience:
                return False


def command(launch, setting, folder):
    """The line that starts it, and settings of the launcher's own."""
    naps = pathlib.Path(launch.program).with_name("naps.so")
    naps = [str(naps)] if launch.mpi == "openmpi" and naps.exists() else []
    libraries = " ".join(([setting.library] if setting else []) + naps) or "-"
    variables, program = setting.variables if setting else [], launch.command(folder)
    own = dict(launcher.all_settings(launch.mpi, libraries, variables, program)) if "LAUNCH_SPAWNS" in os.environ else {}
    return launcher.command(launch.mpi, str(launch.ranks), libraries, variables, program), own


def run(launch, setting, options, patience=None):
    with tempfile.TemporaryDirectory(prefix="sections.") as name, tempfile.TemporaryFile("w+", errors="replace") as output:
        folder = pathlib.Path(name)
        line, own = command(launch, setting, folder)
        with subprocess.Popen(line, stdout=output, stderr=output, env={**os.environ, **own}) as process:
            hangs = not wait(process, folder, launch.ranks, patience or options.patience)
            if hangs:
                launcher.end(process)
        output.seek(0)
        return Result(process.returncode, hangs, result_lines(folder, launch.ranks), progress(folder, launch.ranks),
                      output.read())


@dataclasses.dataclass
class Difference:
    section: int
    text: str


def compare(native, ours):
    """The first section that differs, or None."""
    for section in sorted(set().union(*native.lines)):
        for rank, (theirs, mine) in enumerate(zip(native.lines, ours.lines)):
            if section in theirs and section in mine and theirs[section] != mine[section]:
                return Difference(section, f"rank {rank}\n  native    {theirs[section]}\n  preloaded {mine[section]}")
    if ours.hangs or not ours.ends_like(native) or [set(r) for r in native.lines] != [set(r) for r in ours.lines]:
        last = ours.output.strip().splitlines()[-12:]
        slowest = min(section for section, _ in ours.where)
        return Difference(slowest, f"native: {native.text()}\n  preloaded: {ours.text()}\n  " + "\n  ".join(last))
    return None
