#!/usr/bin/env python3
"""Settings that differ between ranks: every documented variable on rank 0 alone, on another rank alone, and wrong on one.

    settings_test.py MPI LIBRARY RECORDER PROGRAM VARIABLES_PAGE THREATS_PAGE [--long]

No case may hang. What must be seen instead is in CASES, one line for each variable of docs/reference/variables.md, and in LAUNCHERS, one for each
variable of launchers in docs/threats.md; a variable of these pages that is missing here fails the test. Without --long each variable is looked at under one of the MPIs. --long: three ranks, more
places for each variable, and each case also with plans forced on all ranks.
"""
import pathlib
import re
import subprocess
import sys
import tempfile
import unittest

IS_LONG = "--long" in sys.argv
MPI, LIBRARY, RECORDER, PROGRAM, PAGE, THREATS = [a for a in sys.argv[1:] if a != "--long"]
LAUNCH = pathlib.Path(__file__).with_name("launch.py")
RANKS = 3 if IS_LONG else 2
FOLDER = tempfile.TemporaryDirectory()

SILENT = "silent"      # nothing is said, and plans are as they were
PLANNED = "planned"    # nothing is said, and calls are planned
REFUSED = "refused"    # one line that names the variable, and everything is native
TELLS = "tells"        # rank 0 says something, which is what was asked for
NO_PROFILE = "no profile"
PROFILE = "a profile"
UNWRITTEN = "a profile that cannot be written"

# name: (a value, what it does on rank 0 alone, on another rank alone; a wrong value, what that does on rank 0, elsewhere)
SWITCH = "maybe"
CASES = {
    "ESPALIER_MACHINE": (f"site:{RANKS}(10ms,100Mbit/s) proc:1(1us)", SILENT, REFUSED, "site:2(", REFUSED, REFUSED),
    "ESPALIER_DISCOVER": ("0", SILENT, REFUSED, SWITCH, REFUSED, REFUSED),
    "ESPALIER_CACHE": ("0", SILENT, SILENT, SWITCH, REFUSED, REFUSED),
    "ESPALIER_TRIAL": ("0", SILENT, REFUSED, SWITCH, REFUSED, REFUSED),
    "ESPALIER_NONBLOCKING": ("1", SILENT, REFUSED, SWITCH, REFUSED, REFUSED),
    # Of each process alone: plans are the same with and without.
    "ESPALIER_PROGRESS_THREAD": ("1", SILENT, SILENT, SWITCH, REFUSED, REFUSED),
    "ESPALIER_SHARED": ("1", SILENT, REFUSED, SWITCH, REFUSED, REFUSED),
    "ESPALIER_ONE_COPY": ("1", SILENT, REFUSED, SWITCH, REFUSED, REFUSED),
    "ESPALIER_SHARED_MEMORY": ("1MiB", SILENT, REFUSED, "lots", REFUSED, REFUSED),
    "ESPALIER_VERDICTS": (f"{FOLDER.name}/verdicts", SILENT, SILENT, "/proc/none/verdicts", SILENT, SILENT),
    "ESPALIER_ALGORITHM": ("allreduce=ring", PLANNED, REFUSED, "allreduce=sorcery", TELLS, SILENT),
    "ESPALIER_MEMORY": ("1MiB", SILENT, REFUSED, "lots", REFUSED, REFUSED),
    "ESPALIER_FORCE": ("1", PLANNED, REFUSED, SWITCH, REFUSED, REFUSED),
    "ESPALIER_REPRODUCIBLE": ("1", PLANNED, REFUSED, SWITCH, REFUSED, REFUSED),
    "ESPALIER_EXPLAIN": ("1", TELLS, SILENT, "/proc/none/explain", TELLS, SILENT),
    "ESPALIER_TRACE": (f"{FOLDER.name}/app.trace", TELLS, SILENT, "/proc/none/trace", TELLS, SILENT),
    "ESPALIER_LOG": ("1", TELLS, SILENT, "loud", REFUSED, REFUSED),
    "ESPALIER_DISABLE": ("1", SILENT, REFUSED, SWITCH, REFUSED, REFUSED),
    "ESPALIER_REORDER": ("1", SILENT, REFUSED, SWITCH, REFUSED, REFUSED),
    "ESPALIER_SITE": ("here", SILENT, SILENT, "\n", SILENT, SILENT),
    "ESPALIER_LAN": ("near", SILENT, SILENT, "\n", SILENT, SILENT),
    # Wanted on every rank: on one alone it is passed over, and a line says so.
    "ESPALIER_CLUSTERS": ("anl/sp2", TELLS, TELLS, "anl//sp2", TELLS, TELLS),
    "ESPALIER_PROFILE": (f"{FOLDER.name}/app.profile", PROFILE, NO_PROFILE, "/proc/none/profile", UNWRITTEN, NO_PROFILE),
    # A socket that nobody has: nothing comes of it.
    "ESPALIER_SIGN": ("nobody", SILENT, SILENT, "\n", SILENT, SILENT),
    # Of the lab and its ranks: the library does not look at them.
    "ESPALIER_LAB": ("/nowhere", SILENT, SILENT, "\n", SILENT, SILENT),
    "ESPALIER_LAB_SLEEP_US": ("100", SILENT, SILENT, "soon", SILENT, SILENT),
    "ESPALIER_LAB_PRIORITY": ("1", SILENT, SILENT, "high", SILENT, SILENT),
    "ESPALIER_LAB_RANKS": ("/nowhere", SILENT, SILENT, "\n", SILENT, SILENT),
    "ESPALIER_LAB_RUN": ("1", SILENT, SILENT, "first", SILENT, SILENT),
    "ESPALIER_LAB_TIMES": ("/nowhere/times", SILENT, SILENT, "\n", SILENT, SILENT),
}
# Variables of launchers and of the system, that the library reads too: name: values, of which None is none at all. Nothing is said, and plans are as
# they were.
LOCAL_SIZE, OTHER_LOCAL_SIZE = ("MPI_LOCALNRANKS", "OMPI_COMM_WORLD_LOCAL_SIZE")[::1 if MPI == "mpich" else -1]
FAULTS = "OMPI_MCA_mpi_ft_enable"
LAUNCHERS = {
    LOCAL_SIZE: ("1", None, "many", "0", "-1", "99999999999999999999", ""),
    OTHER_LOCAL_SIZE: ("1",),
    "SLURM_STEP_NUM_NODES": ("2", "some", "-2", "99999999999999999999", ""),
    "SLURM_TOPOLOGY_ADDR": ("top.leaf.node", "..", "\n"),
    "SLURM_PROCID": ("0", "x"),
    "SLURM_LOCALID": ("0", "x"),
    "MPI_LOCALRANKID": ("0", None, "x"),
    "OMPI_COMM_WORLD_LOCAL_RANK": ("0", None, "x"),
    "HOME": ("/proc/none", None, ""),
    "XDG_CACHE_HOME": ("/proc/none", "nowhere", ""),
    FAULTS: ("maybe", ""),
}
# Without these there is no job.
OF_THE_MPI = {"PMI_RANK", "PMIX_RANK", "OMPI_COMM_WORLD_RANK"}
OF_THE_LIBRARY = [name for name in CASES if not name.startswith("ESPALIER_LAB")]
# The MPIs share them where it is short: what is read does not depend on them. A launch of Open MPI takes three times as long, so it has every fourth
# variable, another one on each rank.
def shared_out(first):
    return [name for number, name in enumerate(OF_THE_LIBRARY) if (number % 4 == first) == (MPI == "openmpi")]




def run(name, value, rank, shared=(), arguments=()):
    """With a variable set on one rank, or taken from it if there is no value, before the program starts there."""
    change = f"unset {name}" if value is None else f'export {name}="$VALUE_OF_ONE"'
    # Looked at where the launcher does not tell how many processes there are on a node.
    before = f"unset {LOCAL_SIZE}; " if name == "SLURM_STEP_NUM_NODES" else ""
    script = before + f'case "${{PMI_RANK-$OMPI_COMM_WORLD_RANK}}" in {rank}) {change};; esac; ' \
        'unset VALUE_OF_ONE; exec "$0" "$@"'
    library = RECORDER if name == "ESPALIER_PROFILE" else LIBRARY
    return subprocess.run([sys.executable, LAUNCH, MPI, str(RANKS), library, f"VALUE_OF_ONE={value or ''}", *shared, "--",
                           "/bin/sh", "-c", script, PROGRAM, *arguments], capture_output=True, text=True, check=False)


class Settings(unittest.TestCase):
    def check(self, name, value, rank, wanted, shared=()):
        with self.subTest(f"{name}={value} on rank {rank}", shared=shared):
            result = run(name, value, rank, shared)
            self.assertEqual(result.returncode, 0, f"124: it hangs\n{result.stderr}")
            lines = [line for line in result.stderr.splitlines() if "espalier" in line]
            planned = int(re.search(r"planned (\d+)", result.stdout).group(1))
            if wanted in (SILENT, PLANNED):
                self.assertEqual(lines, [])
            if wanted == PLANNED:
                self.assertGreater(planned, 0)
            if wanted == REFUSED:
                self.assertEqual(len(lines), 1, lines)
                self.assertIn(name, lines[0])
                self.assertIn("native", lines[0])
                self.assertEqual(planned, 0)
            if wanted == TELLS:
                self.assertNotEqual(lines, [])
            if wanted == UNWRITTEN:
                self.assertIn("the profile cannot be written", result.stderr)
            if wanted in (PROFILE, NO_PROFILE):
                self.assertEqual(len(lines), 1, lines)
                self.assertEqual("no profile is" in lines[0], wanted == NO_PROFILE, lines)

    def test_every_documented_variable_is_in_the_list(self):
        documented = set(re.findall(r"^\| `(ESPALIER_[A-Z_]+)` \|", pathlib.Path(PAGE).read_text(), re.M))
        self.assertGreater(len(documented), 0)
        self.assertEqual(documented - set(CASES), set(), "add a line to CASES")
        self.assertEqual(set(CASES) - documented, set(), "not documented")

    def test_every_variable_of_launchers_is_in_the_list(self):
        rows = re.findall(r"^\| (?:launchers' variable|Open MPI's switch)[^|]*", pathlib.Path(THREATS).read_text(), re.M)
        documented = set(re.findall(r"`([A-Za-z_]+)`", "".join(rows)))
        self.assertGreater(len(documented), 0)
        self.assertEqual(documented - set(LAUNCHERS) - OF_THE_MPI, set(), "add a line to LAUNCHERS")
        self.assertEqual(set(LAUNCHERS) - documented - {"HOME", "XDG_CACHE_HOME"}, set(), "not documented")

    def test_what_launchers_tell_one_rank_alone_changes_nothing(self):
        for name, values in LAUNCHERS.items():
            if not IS_LONG and MPI == "openmpi" and name not in (LOCAL_SIZE, FAULTS):
                continue  # read in the same way there
            for value in values if IS_LONG else values[:2]:
                for rank in range(RANKS) if IS_LONG else [RANKS - 1 if value == values[0] else 0]:
                    self.check(name, value, rank, SILENT)
                    if IS_LONG or value == values[0]:
                        self.check(name, value, rank, PLANNED, ["ESPALIER_FORCE=1"])

    def test_fault_tolerance_on_one_rank_is_named_and_all_is_native(self):
        for rank in range(RANKS):
            self.check(FAULTS, "1", rank, REFUSED if MPI == "openmpi" else SILENT)

    def test_what_rank_0_alone_was_told_holds_for_all(self):
        for name in CASES if IS_LONG else shared_out(0):
            value, wanted, *_ = CASES[name]
            self.check(name, value, 0, wanted)

    def test_what_another_rank_alone_was_told_is_said_or_passed_over(self):
        for name in CASES if IS_LONG else shared_out(1):
            value, _, wanted, *_ = CASES[name]
            for rank in range(1, RANKS):
                self.check(name, value, rank, wanted)

    def test_what_is_wrong_on_one_rank_is_said_or_passed_over(self):
        for name in CASES if IS_LONG else shared_out(2):
            *_, value, at_first, elsewhere = CASES[name]
            self.check(name, value, RANKS - 1, elsewhere)
            if IS_LONG:
                self.check(name, value, 0, at_first)

    @unittest.skipUnless(IS_LONG, "with --long")
    def test_the_same_while_plans_are_forced(self):
        shared = ["ESPALIER_FORCE=1"]
        as_forced = {SILENT: PLANNED}
        for name, (value, at_first, elsewhere, wrong, wrong_at_first, wrong_elsewhere) in CASES.items():
            if name in ("ESPALIER_FORCE", "ESPALIER_PROFILE"):
                continue
            if name != "ESPALIER_DISABLE":
                self.check(name, value, 0, as_forced.get(at_first, at_first), shared)
            self.check(name, value, 1, as_forced.get(elsewhere, elsewhere), shared)
            self.check(name, wrong, 0, as_forced.get(wrong_at_first, wrong_at_first), shared)
            self.check(name, wrong, 1, as_forced.get(wrong_elsewhere, wrong_elsewhere), shared)

    def test_a_rank_with_another_thread_level_is_said_once_and_all_is_native(self):
        for rank in range(RANKS):
            with self.subTest(rank=rank):
                result = run("ESPALIER_DISCOVER", "", 0, arguments=["--multiple", str(rank)])
                self.assertEqual(result.returncode, 0, f"124: it hangs\n{result.stderr}")
                lines = [line for line in result.stderr.splitlines() if "espalier" in line]
                self.assertEqual(len(lines), 1, lines)
                self.assertIn("MPI_THREAD_MULTIPLE", lines[0])


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
