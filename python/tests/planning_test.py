#!/usr/bin/env python3
"""The Python package: the tutorial's planning in ten lines, drawings, errors.

usage: planning_test.py FOLDER-OF-THE-PACKAGE
"""
import os
import pathlib
import re
import sys
import tempfile
import threading
import time
import unittest

sys.path.insert(0, os.path.abspath(sys.argv.pop(1)))
import espalier  # noqa: E402

GRID = "site:2(30ms,100Mbit/s,name=wan) machine:1|2(500us,1Gbit/s,name=lan) proc:4(5us)"
PAGE = pathlib.Path(__file__).resolve().parents[2] / "docs" / "howto" / "planning-in-python.md"


class Planning(unittest.TestCase):
    def test_the_page_runs_and_has_ten_lines(self):
        code = re.search(r"```python[^\n]*\n(.*?)```", PAGE.read_text(encoding="utf-8"), re.DOTALL).group(1)
        self.assertLessEqual(len(code.strip().splitlines()), 10)
        said = []
        with tempfile.TemporaryDirectory() as folder:
            os.chdir(folder)  # the page draws into the folder that it runs in
            exec(compile(code, str(PAGE), "exec"), {"print": said.append})
            self.assertTrue(pathlib.Path("plan.svg").read_text(encoding="utf-8").startswith("<svg"))
            os.chdir("/")
        self.assertEqual(said[0], "multilevel flat/flat 16 KiB: 35.88 ms predicted, 35.88 ms simulated")

    def test_the_tutorials_plan_is_found(self):
        grid = espalier.Machine(GRID)
        plan = espalier.plan(grid, "broadcast", "64KiB")
        self.assertEqual((len(grid), plan.name, plan.size), (12, "multilevel flat/flat 16 KiB", 65536))
        self.assertAlmostEqual(plan.predicted, 0.03588, 4)
        self.assertAlmostEqual(plan.simulate().finish, 0.03588, 4)
        self.assertTrue(plan.verify())
        bound = espalier.lower_bound(grid, "broadcast", "64KiB")
        self.assertAlmostEqual(bound.time, 0.03524, 4)
        self.assertIn("must leave site0", bound.why)
        others = espalier.plans(grid, "broadcast", 65536)
        self.assertEqual(others[0], plan)
        self.assertLess(plan.simulate().finish, espalier.plan(grid, "broadcast", 65536, name="binomial").simulate().finish)

    def test_machines_are_values(self):
        grid = espalier.Machine(GRID)
        self.assertEqual(grid, espalier.Machine.from_json(grid.to_json()))
        self.assertEqual([channel for channel, _ in grid.levels][:2], ["wan", "lan"])
        self.assertEqual((grid.path(0, 11).level, grid.path(0, 11).latency, grid.path(0, 11).bandwidth), (0, 0.03, 100_000_000))
        self.assertEqual(len(grid.part([0, 1, 4])), 3)
        self.assertEqual(grid.clusters[0].ranks, list(range(12)))

    def test_machines_without_figures_are_ordinary_clusters_as_for_the_tool(self):
        bare, told = espalier.Machine("node:4 proc:8"), espalier.Machine("node:4(50us,10Gbit/s) proc:8(500ns,cap=40Gbit/s)")
        self.assertTrue(any("assumed" in note for note in bare.notes), bare.notes)
        self.assertEqual(bare, espalier.Machine.from_json(bare.to_json()))
        for operation in ("broadcast", "allreduce"):
            plan = espalier.plan(bare, operation, "64KiB")
            self.assertGreater(plan.predicted, 0)
            self.assertGreater(espalier.lower_bound(bare, operation, "64KiB").time, 0)
            self.assertEqual((plan.name, plan.predicted), (espalier.plan(told, operation, "64KiB").name, espalier.plan(told, operation, "64KiB").predicted))

    def test_other_things_are_other_things(self):
        grid = espalier.Machine(GRID)
        plan = espalier.plan(grid, "barrier")
        for other in (None, 3, "text"):
            self.assertFalse(grid == other)
            self.assertFalse(plan == other)
            self.assertTrue(grid != other)
        self.assertIn(grid, [None, grid])
        self.assertFalse(plan == grid)

    def test_notebooks_get_drawings(self):
        grid = espalier.Machine(GRID)
        for drawn in (grid, espalier.plan(grid, "allreduce", 1024)):
            self.assertTrue(drawn._repr_svg_().startswith("<svg"), drawn._repr_svg_()[:40])

    def test_long_messages_are_refused_at_once(self):
        near = espalier.Machine("node:8(50us,1Gbit/s) proc:1")
        plan = espalier.plan(near, "broadcast", "1TiB", name="chain 4 KiB")
        self.assertGreater(plan.messages, 2**21)
        for ask in (plan.simulate, plan.verify, plan.to_json, plan.to_svg, plan.__hash__):
            with self.assertRaisesRegex(espalier.Error, "messages"):
                ask()
        self.assertEqual(plan, plan)
        self.assertIn("too many to be drawn", plan._repr_svg_())
        self.assertTrue(plan._repr_svg_().startswith("<svg"))

    def test_other_threads_run_while_a_plan_is_simulated(self):
        # About 600,000 messages: some seconds. A thread that waited for the lock would count nothing meanwhile.
        near = espalier.Machine("node:8(50us,1Gbit/s) proc:1")
        plan = espalier.plan(near, "broadcast", "320MiB", name="chain 4 KiB")
        ends, counted = threading.Event(), []

        def count():
            while not ends.wait(0.005):
                counted.append(time.monotonic())

        counter = threading.Thread(target=count)
        counter.start()
        begin = time.monotonic()
        self.assertGreater(plan.simulate().finish, plan.predicted / 2)
        end = time.monotonic()
        ends.set()
        counter.join()
        self.assertTrue(any(begin + 0.01 < at < end - 0.01 for at in counted), (begin, end, len(counted)))

    def test_errors_say_what_is_wrong(self):
        grid = espalier.Machine(GRID)
        with self.assertRaisesRegex(espalier.Error, "is no file and no machine"):
            espalier.Machine("nonsense")
        with self.assertRaisesRegex(ValueError, "there is no operation"):
            espalier.plan(grid, "brodcast", 8)
        with self.assertRaises(espalier.Error):
            espalier.plan(grid, "broadcast", 8, root=12)
        with self.assertRaises(espalier.Error):
            espalier.plan(grid, "broadcast", 8, name="no such plan")
        for size in (-1, 1.5, None, [8], 2**64, "-1", "many", "\udc80"):
            with self.assertRaises(espalier.Error, msg=repr(size)):
                espalier.plan(grid, "broadcast", size)
        with self.assertRaises(IndexError):
            grid.describe(12)

    def test_errors_are_one_line_and_name_what_there_is(self):
        grid = espalier.Machine(GRID)
        for ask, words in ((lambda: espalier.plan(grid, "brodcast", 8), 'operation: there is no operation "brodcast"; the operations are: broadcast, reduce, '),
                           (lambda: espalier.plan(grid, "broadcast", 8, name="rinng"), 'name: there is no plan "rinng" for this call; ')):
            with self.assertRaises(espalier.Error) as raised:
                ask()
            said = str(raised.exception)
            self.assertTrue(said.startswith(words), said)
            self.assertNotIn("\n", said)

    def test_operations_and_machines_are_named_as_for_the_tool(self):
        grid = espalier.Machine(GRID)
        for name in ("bcast", "MPI_Bcast", "Broadcast"):
            self.assertEqual(espalier.plan(grid, name, 8), espalier.plan(grid, "broadcast", 8))
        self.assertEqual(espalier.plan(GRID, "broadcast", 8).machine, grid)
        self.assertEqual(len(espalier.plans(GRID, "broadcast", 8)), len(espalier.plans(grid, "broadcast", 8)))
        self.assertEqual(espalier.lower_bound(GRID, "broadcast", 8).time, espalier.lower_bound(grid, "broadcast", 8).time)
        with self.assertRaisesRegex(espalier.Error, "is no file and no machine"):
            espalier.plan("nonsense", "broadcast", 8)
        with self.assertRaises(TypeError):
            espalier.plan(3, "broadcast", 8)

    def test_the_stubs_name_what_there_is(self):
        stubs = (pathlib.Path(__file__).resolve().parents[1] / "espalier" / "__init__.pyi").read_text(encoding="utf-8")
        for name in espalier.__all__:
            self.assertRegex(stubs, rf"(?m)^(class|def) {name}\b")
            for member in vars(getattr(espalier, name)) if isinstance(getattr(espalier, name), type) else []:
                if not member.startswith("_"):
                    self.assertIn(f"def {member}(", stubs, f"{name}.{member} has no stub")


if __name__ == "__main__":
    unittest.main()
