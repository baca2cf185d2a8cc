#!/usr/bin/env python3
"""What `make bench-programs` works out of measured times and profiles: ratios, losses, limits, table, bars, stacks, programs.

Also what other helpers judge by: `make bench-export` its shares, bad_inputs.py what hangs.
"""
import contextlib
import io
import math
import pathlib
import sys
import tempfile
import types
import unittest
import unittest.mock
import xml.etree.ElementTree

sys.dont_write_bytecode = True
ROOT = pathlib.Path(sys.argv.pop(1)).resolve()
for folder in ("bench/programs", "scripts", "tests/smpi", "tests/cli"):
    sys.path.insert(0, str(ROOT / folder))
import bad_inputs  # noqa: E402
import bench_export  # noqa: E402
import bench_programs  # noqa: E402
import catalogue  # noqa: E402
import figures  # noqa: E402
import lab_runs  # noqa: E402
import limits  # noqa: E402


def profile(traces, communicators=()):
    return {"processes": len(traces), "communicators": list(communicators),
            "trace": [{"rank": r, "ran_ps": ran, "in_collectives_ps": inside, "actions": actions}
                      for r, (ran, inside, actions) in enumerate(traces)]}


class Figures(unittest.TestCase):
    def test_a_ratio_lies_in_its_interval_and_repeats(self):
        ours, native = [1.0, 1.1, 0.9, 1.0, 1.05], [2.0, 2.2, 1.9, 2.0, 2.1]
        middle, low, high = figures.ratio(ours, native)
        self.assertAlmostEqual(middle, 0.5)
        self.assertTrue(low <= middle <= high)
        self.assertEqual(figures.ratio(ours, native), (middle, low, high))

    def test_few_runs_claim_nothing(self):
        self.assertEqual(figures.ratio([3.0, 3.0], [1.0, 1.0])[1:], (0.0, math.inf))
        self.assertFalse(figures.is_loss(figures.ratio([3.0], [1.0]), 0.03))

    def test_a_loss_is_beyond_the_interval(self):
        self.assertTrue(figures.is_loss(figures.ratio([1.2] * 5, [1.0] * 5), 0.03))
        self.assertFalse(figures.is_loss(figures.ratio([1.02] * 5, [1.0] * 5), 0.03))
        self.assertFalse(figures.is_loss(figures.ratio([0.9, 1.2, 1.2], [1.0, 1.0, 1.3]), 0.03))

    def test_table_and_bars_have_every_program(self):
        rows = [{"program": "a<b", "mpi": "mpich", "ranks": 12, "seconds": {"native": 2.0, "told": 1.0},
                 "runs": {"native": [1.9, 2.0, 2.1], "told": [1.0, 1.0, 1.1]}, "ratios": {"told": (0.5, 0.4, 0.6)}, "share": [0.5, 0.2],
                 "limit": 2.5, "reached": 0.8}]
        lines = list(figures.table(rows, ["native", "rules", "told"]))
        self.assertRegex(lines[1], r"a<b +mpich +12 +2\.00 +- +0\.50 \(0\.40-0\.60\) +50 % > 20 % +2\.50 +80 %")
        drawing = xml.etree.ElementTree.fromstring(figures.bars(rows, ["native", "told"]))
        self.assertEqual(len([one for one in drawing.iter() if one.tag.endswith("title")]), 2)


class Limits(unittest.TestCase):
    def test_loops_are_counted(self):
        actions = [["loop", 3, [["allreduce", 8, 0, 0], ["loop", 2, [["barrier", 0, 0, 0], ["send", 1, 8]]]]], ["compute", 5], ["barrier", 0, 0, 0]]
        self.assertEqual(limits.calls(actions), {("allreduce", 8, 0, 0): 3, ("barrier", 0, 0, 0): 7})

    def test_the_bound_is_that_of_the_busiest_rank(self):
        asked = []

        def lower_bound(machine, operation, size, root):
            asked.append((machine, operation, size, root))
            return types.SimpleNamespace(time=0.5)
        espalier = types.SimpleNamespace(lower_bound=lower_bound)
        machine = types.SimpleNamespace(part=tuple)
        call = ["broadcast", 8, 2, 1]
        one = profile([(1, 1, [call]), (1, 1, []), (1, 1, [["loop", 4, [call]]])], [[2, 0]])
        self.assertEqual(limits.bound(one, machine, espalier), 2.0)
        self.assertEqual(asked, [((2, 0), "broadcast", 8, 0)])  # asked once, with the root's number in the communicator

    def test_a_communicator_of_one_takes_no_time(self):
        one = profile([(1, 1, [["barrier", 0, 0, 1]])], [[0]])
        self.assertEqual(limits.bound(one, None, None), 0.0)

    def test_the_limit_is_amdahls(self):
        one = profile([(10 * 10**12, 6 * 10**12, []), (10 * 10**12, 4 * 10**12, [])])
        self.assertAlmostEqual(limits.limit(one, 0.0), 2.0)   # half of the time can go
        self.assertAlmostEqual(limits.limit(one, 2.5), 10 / 7.5)
        self.assertAlmostEqual(limits.limit(one, 7.0), 1.0)   # a bound above what was seen: nothing can go

    def test_collectives_that_stand_as_messages_have_no_limit(self):
        own = [["loop", 3, [["send", 1, 8], ["compute", 5]]], ["barrier", 0, 0, 0]]
        one = profile([(1, 1, own), (1, 1, [["recv", 0, 8], ["barrier", 0, 0, 0]])]) | {"pairs": [[0, 1, 3, 24]]}
        self.assertEqual(limits.why_none(one), "")
        one["trace"][1]["actions"].append(["loop", 2, [["send", 0, 16]]])  # of an MPI_Iallreduce, say
        self.assertIn("stand as messages", limits.why_none(one))
        row = {"program": "pipecg", "mpi": "mpich", "ranks": 2, "seconds": {"native": 1.0}, "runs": {}, "ratios": {}, "no_limit": "so"}
        self.assertRegex(list(figures.table([row], ["native"]))[1], r"1\.00 +none +-$")

    def test_a_trace_that_was_dropped_has_no_limit(self):
        self.assertIn("too long", limits.why_none(profile([(9, 4, []), (9, 4, [])]) | {"pairs": []}))
        self.assertEqual(limits.why_none(profile([(9, 0, []), (9, 0, [])]) | {"pairs": []}), "")


class Stacks(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        self.addCleanup(self.folder.cleanup)
        self.place = lab_runs.Place("espalier", pathlib.Path("/nowhere"), pathlib.Path(self.folder.name), "/run/lab", "site:3 proc:4")
        self.job = catalogue.Job(["./a"], None)
        self.job.name = "a"

    def options(self, stack, number=0):
        return lab_runs.options_of(self.place, stack, "mpich", self.job, number)

    def test_cold_runs_know_nothing_and_warm_ones_share_a_cache(self):
        self.assertEqual(self.options("native"), [])
        self.assertIn("ESPALIER_MACHINE=", self.options("cold"))
        self.assertNotEqual(self.options("cold", 1), self.options("cold", 2))
        self.assertEqual(self.options("warm", 1), self.options("warm", 2))
        self.assertNotIn("ESPALIER_MACHINE=", self.options("told"))

    def test_the_longest_life_counts(self):
        file = self.place.work / "times"
        self.assertIsNone(lab_runs.lived(file))
        file.write_text("0 1500000000\n3 2500000000\n3 20\n")
        self.assertEqual(lab_runs.lived(file), 2.5)

    def test_what_is_not_installed_names_its_package(self):
        self.assertEqual(catalogue.skeleton("is", "S")("mpich", self.place), catalogue.Missing("(make)"))

    def test_the_machine_of_the_first_ranks(self):
        grid, one = bench_programs.MACHINE, bench_programs.ONE_HOST
        for machine, ranks, wanted in ((grid, 12, grid), (grid, 8, "site:2(10ms,100Mbit/s) proc:4"), (grid, 3, "site:1(10ms,100Mbit/s) proc:3"),
                                       (grid, 9, None), (one, 8, "machine:1(1ms) proc:8"), ("site:2(1ms) machine:1|2(1us) proc:4", 8, None),
                                       ("site:3 proc:4 placement=cyclic", 8, None), ("grid.json", 8, None), ("grid.json", 12, "grid.json"),
                                       ("random:12", 8, None)):
            self.assertEqual(lab_runs.of_first_ranks(machine, 12, ranks), wanted, (machine, ranks))
        self.assertEqual(lab_runs.of_first_ranks("site:2(1ms) node:3(1us) proc:2", 12, 4), "site:1(1ms) node:2(1us) proc:2")

    def test_names_are_told_apart(self):
        names = [program.name for program in catalogue.PROGRAMS]
        self.assertEqual(len(names), len(set(names)))


class Options(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)

    def of(self, *words):
        with unittest.mock.patch.object(sys, "argv", ["bench_programs.py", "build", *map(str, words)]):
            return bench_programs.arguments()

    def refused(self, *words):
        err = io.StringIO()
        with contextlib.redirect_stderr(err), self.assertRaises(SystemExit) as ended:
            self.of(*words)
        self.assertEqual(ended.exception.code, 2)
        return err.getvalue()

    def program(self, name, mode=0o755):
        (self.folder / name).write_text("")
        (self.folder / name).chmod(mode)

    def test_machines(self):
        self.assertEqual(self.of().machine, bench_programs.MACHINE)
        self.assertEqual(self.of("--machine", "proc:4").machine, "proc:4")
        self.assertEqual(self.of("--one-host").machine, bench_programs.ONE_HOST)
        self.assertIn("leave out --machine", self.refused("--one-host", "--machine", "proc:4"))

    def test_bad_values_are_refused_in_words(self):
        self.assertIn("there is no folder", self.refused("--npb", self.folder / "nowhere"))
        self.assertIn("no benchmark with a name such as is.S.x", self.refused("--npb", self.folder))
        self.assertIn("no such program: nothing; there are petsc cg,", self.refused("--only", "is,nothing"))
        self.assertIn("0 is not a whole number of seconds", self.refused("--limit", "0"))
        self.program("is.S.x")
        self.assertIn("neither MPICH nor Open MPI", self.refused("--npb", self.folder))
        (self.folder / "is.S.x").unlink()
        self.program("is.S.x", 0o644)
        self.assertIn("is no program that can be run", self.refused("--npb", self.folder))

    def test_benchmarks_are_found_by_their_names(self):
        for name in ("is.S.x", "lu.W.4", "bt.A.x", "readme", "dt.S.x", "is.S.0"):
            self.program(name)
        with unittest.mock.patch.object(catalogue, "linked_with", lambda _: ("openmpi",)):
            found = self.of("--npb", self.folder, "--only", "npb").programs
        self.assertEqual([(one.name, one.mpis, one.seconds) for one in found],
                         [("npb bt.A.x", ("openmpi",), 600), ("npb is.S.x", ("openmpi",), 120), ("npb lu.W.4", ("openmpi",), 120)])
        place = types.SimpleNamespace(ranks=12)
        self.assertEqual([one.prepare("openmpi", place).ranks for one in found], [9, 8, 4])
        is_right = found[0].prepare("openmpi", place).is_right
        self.assertTrue(is_right(" Verification    =               SUCCESSFUL\n"))
        self.assertFalse(is_right(" Verification    =             UNSUCCESSFUL\n"))

    def test_programs_that_do_not_fit_are_told(self):
        self.program("lu.W.4")
        with unittest.mock.patch.object(catalogue, "linked_with", lambda _: ("openmpi",)):
            options = self.of("--npb", self.folder, "--only", "npb", "--limit", "7", "--machine", "proc:2")
        place, out = lab_runs.Place("espalier", self.folder, self.folder, "/run/lab", options.machine, 2), io.StringIO()
        with contextlib.redirect_stdout(out):
            self.assertEqual(bench_programs.all_rows(place, options, None, options.programs), ([], []))
        self.assertIn("it takes 4 ranks, the machine has 2", out.getvalue())

    def test_limits_of_time(self):
        seen = []

        def run(_place, _mpi, job, *_):
            seen.append(job.seconds)
            raise lab_runs.Failed("enough")
        place = lab_runs.Place("espalier", self.folder, self.folder, "/run/lab", bench_programs.MACHINE)
        program = catalogue.Program("heavy", lambda *_: catalogue.Job(["./a"], None), seconds=600)
        with unittest.mock.patch.object(lab_runs, "run", run), contextlib.redirect_stdout(io.StringIO()):
            for words in ((), ("--limit", "7")):
                bench_programs.all_rows(place, self.of(*words), None, [program])
        self.assertEqual(seen, [600, 7])


class Export(unittest.TestCase):
    def test_shares_are_of_logarithms(self):
        self.assertAlmostEqual(bench_export.share(8.0, 4.0, 2.0), 0.5)
        self.assertIsNone(bench_export.share(8.0, 4.0, 7.9))
        rows = [{"native_ms": 8.0, "files_ms": 4.0, "simulated_ms": 2.0}, {"native_ms": 8.0, "files_ms": 1.0, "simulated_ms": None}]
        self.assertAlmostEqual(bench_export.in_all(rows, "simulated_ms"), 0.5)
        self.assertIsNone(bench_export.in_all(rows[1:], "simulated_ms"))

    def test_losses_are_beyond_the_interval(self):
        call = ("barrier", 0)
        rounds = {"native": [1.0, 1.0, 1.0], "files": [1.1, 1.2, 1.1], "preload": [0.5, 0.5, 0.5]}
        rounds = {way: [{call: (time, 0.4)} for time in times] for way, times in rounds.items()}
        out = io.StringIO()
        with contextlib.redirect_stdout(out):
            bench_export.table("mpich", {call: {"tuned_ps": 5 * 10**8, "algorithm": "as it is"}}, rounds)
        self.assertRegex(out.getvalue(), r"beyond the interval: 1\n.*\nbarrier 0 B +1\.0 +1\.1 +1\.100 \(1\.100-1\.200\)")
        self.assertIn("-14 % of the gain of the best selectable algorithms", out.getvalue())
        out = io.StringIO()
        with contextlib.redirect_stdout(out):
            bench_export.table("mpich", {}, {way: times[:2] for way, times in rounds.items()})
        self.assertIn("not known, 2 rounds have none", out.getvalue())

    def test_han_has_its_rules_beside_those_of_tuned(self):
        alone, with_han = (bench_export.settings_of(form, "/x") for form in ("openmpi", "openmpi-han"))
        name = "OMPI_MCA_coll_tuned_dynamic_rules_filename"
        self.assertEqual((alone[name], with_han[name]), ("/x/openmpi-rules.conf", "/x/openmpi-rules.conf"))
        self.assertEqual(with_han["OMPI_MCA_coll_han_dynamic_rules_filename"], "/x/openmpi-han.conf")
        self.assertEqual((alone["OMPI_MCA_coll_han_priority"], with_han["OMPI_MCA_coll_han_priority"]), ("0", "100"))
        self.assertEqual([bench_export.mpi_of(form) for form in ("openmpi", "openmpi-han", "mpich")], ["openmpi", "openmpi", "mpich"])


class BadInputs(unittest.TestCase):
    def test_what_sleeps_hangs(self):
        with tempfile.TemporaryDirectory() as folder, unittest.mock.patch.object(bad_inputs, "PATIENCE", 0.3):
            ran = bad_inputs.run("/bin/true", "SHELL sleep 20 | cat", pathlib.Path(folder))
            self.assertIn("it hangs", bad_inputs.wrong(0, "", ran))
        with tempfile.TemporaryDirectory() as folder:
            ran = bad_inputs.run("/bin/true", "", pathlib.Path(folder))
            self.assertEqual(bad_inputs.wrong(0, "", ran), "")


if __name__ == "__main__":
    unittest.main()
