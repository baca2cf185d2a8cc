#!/usr/bin/env python3
"""What `make bench-programs` works out of measured times and profiles: ratios, losses, limits, table, bars, stacks."""
import math
import pathlib
import sys
import tempfile
import types
import unittest
import xml.etree.ElementTree

sys.dont_write_bytecode = True
ROOT = pathlib.Path(sys.argv.pop(1)).resolve()
sys.path.insert(0, str(ROOT / "bench" / "programs"))
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

    def test_names_are_told_apart(self):
        names = [program.name for program in catalogue.PROGRAMS]
        self.assertEqual(len(names), len(set(names)))


if __name__ == "__main__":
    unittest.main()
