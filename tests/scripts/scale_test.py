#!/usr/bin/env python3
"""What `make bench-scale` takes over from earlier tables, what it ends, and what it says of each call."""
import contextlib
import io
import json
import os
import pathlib
import signal
import sys
import tempfile
import threading
import time
import types
import unittest
import unittest.mock

sys.dont_write_bytecode = True
sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "smpi"))
import limited_runs  # noqa: E402
import scale  # noqa: E402

RIGHT = {"us": 3.0, "right": True, "planned": "1 of 1", "plan": "tree"}
TOOK = {"code": 0, "clock": 2.0, "processor": 1.0, "memory": 1 << 30, "said": ""}


def line(cell=None, why=""):
    return TOOK | {"cell": cell, "why": why}


class TakenOver(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)
        self.file = self.folder / "kept"
        for name in ("smpi/smpi_times", "bin/write_platform"):
            (self.folder / name).parent.mkdir()
            (self.folder / name).write_text("one")
        self.replace("simgrid", lambda: "3.32")
        self.played = []

    def replace(self, name, value):
        changed = unittest.mock.patch.object(scale, name, value)
        changed.start()
        self.addCleanup(changed.stop)

    def new_table(self, **more):
        """As a new process would begin one."""
        options = {"build": str(self.folder), "resume": str(self.file), "operations": ["barrier", "reduce"], "memory": 1, "seconds": 60,
                   "limit": 1, "jobs": 1}
        table = scale.Scale(types.SimpleNamespace(**(options | more)))
        self.played = []
        table.play = self.play
        return table

    def play(self, _folder, _ranks, _team, call):
        self.played.append(call)
        return line(RIGHT)

    def run_all(self, ranks=64, team="ompi", play=None, **more):
        """A table of one contender; which of its cells are of earlier ones."""
        table = self.new_table(**more)
        if play:
            table.play = play
        with contextlib.redirect_stderr(io.StringIO()):
            self.lines = [table.run("", ranks, team, call) for call in table.calls(ranks)]
        return table

    def test_a_table_takes_over_the_cells_of_the_same(self):
        first = self.run_all()
        self.assertEqual((self.played, first.taken), (["barrier:0", "reduce:8", "reduce:65536"], 0))
        second = self.run_all(operations=["barrier", "gather"], seconds=600, limit=9)
        self.assertEqual((self.played, second.taken, second.kept.others), (["gather:8", "gather:65536"], 1, 0))
        self.assertEqual(self.lines[0]["cell"], RIGHT)
        self.assertEqual(scale.taken_over(second, 3), f"1 of 3 cells were taken over from {self.file}")

    def test_nothing_else_is_taken_over(self):
        self.run_all()
        calls = ["barrier:0", "reduce:8", "reduce:65536"]
        for others in ({"ranks": 128}, {"team": "mpich"}, {"team": scale.OURS}):
            self.assertEqual(self.run_all(**others).taken, 0, others)
            self.assertEqual(self.played, calls, others)
        for name, value in (("machine", lambda ranks: f"proc:{ranks}"), ("ROOTS", 2), ("simgrid", lambda: "3.36")):
            with unittest.mock.patch.object(scale, name, value):
                self.assertEqual(self.run_all().taken, 0, name)
        with unittest.mock.patch.dict(os.environ, {"ESPALIER_MEMORY": "1MiB"}):
            self.assertEqual(self.run_all().taken, 0)
        for name in ("smpi/smpi_times", "bin/write_platform"):
            (self.folder / name).write_text("another")
            table = self.run_all()
            self.assertEqual(table.taken, 0, name)
        self.assertIn("cells there are of other builds or settings", scale.taken_over(table, 3))

    def test_what_each_run_is_given_makes_no_difference(self):
        self.run_all()
        with unittest.mock.patch.dict(os.environ, {"ESPALIER_MACHINE": "grid", "ESPALIER_FORCE": "0", "ESPALIER_DISABLE": "1"}):
            self.assertEqual(self.run_all().taken, 3)

    def test_a_table_that_is_cut_off_goes_on_where_it_was(self):
        def play(folder, ranks, team, call):
            if call == "reduce:65536":
                raise scale.Stopped
            return self.play(folder, ranks, team, call)
        with self.assertRaises(scale.Stopped):
            self.run_all(play=play)
        with open(self.file, "a", encoding="utf-8") as file:
            file.write('{"build": "')  # cut off while it was written
        self.assertEqual((self.run_all().taken, self.played), (2, ["reduce:65536"]))
        self.assertEqual((self.run_all().taken, self.played), (3, []))

    def test_what_did_not_end_is_tried_again_with_more(self):
        def play(*_):
            return line(why="out of time")
        self.run_all(play=play)
        self.assertEqual(self.run_all(seconds=30).taken, 3)
        self.assertEqual(self.lines[0]["why"], "out of time")
        self.assertEqual(self.run_all(limit=2).taken, 0)
        self.assertEqual((self.run_all().taken, self.lines[0]["cell"]), (3, RIGHT))

    def test_what_was_ended_from_outside_is_not_kept(self):
        def play(*_):
            return line(why=limited_runs.ENDED_FROM_OUTSIDE)
        self.run_all(play=play)
        self.assertEqual(self.run_all().taken, 0)

    def test_other_lines_are_not_taken_over(self):
        earlier = {"ranks": 64, "team": "ompi", "of": "12", "cells": {"barrier:0": RIGHT, "reduce:8": RIGHT}}
        lacking = self.new_table().of(64, "ompi", "barrier:0")
        self.file.write_text("\n".join(["nothing", "[3]", "3", json.dumps(earlier), json.dumps(lacking), '{"ranks": 64, "te']))
        table = self.run_all()
        self.assertEqual((table.taken, table.kept.others), (0, 2))

    def test_each_call_is_played_by_all_before_the_next(self):
        table = self.new_table()
        table.build = pathlib.Path(self.folder)
        (self.folder / "bin/write_platform").unlink()
        (self.folder / "bin/write_platform").symlink_to("/bin/true")
        order = []
        table.play = lambda _folder, _ranks, team, call: order.append((call, team)) or line(RIGHT)
        with contextlib.redirect_stderr(io.StringIO()):
            lines = table.table(64, [scale.OURS, "ompi"])
        self.assertEqual(order[:3], [("barrier:0", "espalier"), ("barrier:0", "ompi"), ("reduce:8", "espalier")])
        self.assertEqual({call: list(teams) for call, teams in lines.items()},
                         dict.fromkeys(["barrier:0", "reduce:8", "reduce:65536"], ["espalier", "ompi"]))


class Runs(unittest.TestCase):
    def run_shell(self, script, seconds=20):
        return limited_runs.Runs().run(["sh", "-c", script], dict(os.environ), seconds, 1 << 32)

    def test_a_run_tells_what_it_took(self):
        text, errors, how = self.run_shell("echo out; echo err >&2; exit 3")
        self.assertEqual((text, errors, how["code"]), ("out\n", "err\n", 3))
        self.assertGreater(how["memory"], 100_000)
        self.assertEqual(limited_runs.why_not(how, 20), "failed (3)")

    def test_a_run_ends_when_its_time_is_over(self):
        _, _, how = self.run_shell("while :; do :; done", seconds=1)
        self.assertEqual(limited_runs.why_not(how, 1), "out of time")
        with unittest.mock.patch.object(limited_runs, "PATIENCE", 0.5):
            _, _, how = self.run_shell("sleep 100; echo never", seconds=1)
            self.assertEqual(limited_runs.why_not(how, 1), "out of time")
        self.assertLess(how["clock"], 50)

    def test_who_ends_a_run_from_outside_is_told_apart(self):
        for how in ("kill -TERM $$", "kill -KILL $$", "sh -c 'kill -TERM $$'; exit $?"):
            self.assertEqual(limited_runs.why_not(self.run_shell(how)[2], 20), limited_runs.ENDED_FROM_OUTSIDE, how)
        self.assertEqual(limited_runs.why_not(self.run_shell("kill -ABRT $$")[2], 20), f"failed ({-signal.SIGABRT})")

    def test_all_runs_are_stopped_with_what_they_started(self):
        runs = limited_runs.Runs()
        with tempfile.TemporaryDirectory() as folder:
            number = pathlib.Path(folder, "number")
            ended = []

            def run():
                try:
                    runs.run(["sh", "-c", f"sleep 100 & echo $! > {number}.new; mv {number}.new {number}; wait"], dict(os.environ), 20, 1 << 32)
                except limited_runs.Stopped:
                    ended.append(True)
            thread = threading.Thread(target=run)
            thread.start()
            for _ in range(2000):
                if number.exists():
                    break
                time.sleep(0.01)
            child = pathlib.Path("/proc", number.read_text().strip(), "stat")
            runs.stop()
            thread.join()
            self.assertEqual(ended, [True])
            for _ in range(2000):
                if not child.exists() or child.read_text().split()[2] == "Z":
                    break
                time.sleep(0.01)
            else:
                self.fail("what it started goes on")
        with self.assertRaises(limited_runs.Stopped):
            runs.run(["true"], {}, 20, 1 << 32)

    def test_nothing_of_a_run_stays(self):
        text, _, _ = self.run_shell("sleep 100 & echo $!")
        child = pathlib.Path("/proc", text.strip(), "stat")
        for _ in range(2000):
            with contextlib.suppress(FileNotFoundError, ProcessLookupError):
                if child.read_text().split()[2] != "Z":
                    time.sleep(0.01)
                    continue
            return
        self.fail("what it left runs on")


class Table(unittest.TestCase):
    def test_a_cell_is_a_whole_row_of_the_call(self):
        text = "hello, world\nreduce,8,2.000,1,1 of 1,other\nbarrier,0,3.000,1,1 of 1,flat, then a chain\n"
        self.assertEqual(scale.cell_in(text, "barrier:0"), RIGHT | {"plan": "flat, then a chain"})
        self.assertIsNone(scale.cell_in(text, "barrier:8"))
        self.assertIsNone(scale.cell_in(text[:-1], "barrier:0"))
        self.assertFalse(scale.cell_in("barrier,0,3.000,0,0 of 1,\n", "barrier:0")["right"])

    def test_blocks_are_halved_until_they_fit(self):
        self.assertEqual(scale.sizes_of("broadcast", 4096, 4 << 30), [8, 65536])
        self.assertEqual(scale.sizes_of("allgather", 4096, 4 << 30), [8, 128])
        self.assertEqual(scale.sizes_of("allgather", 4096, 1), [8])
        self.assertEqual(scale.sizes_of("barrier", 4096, 1), [0])

    def row(self, **lines):
        return scale.row_of(64, "reduce:8", lines)

    def test_we_stand_beside_the_best_that_is_right(self):
        row = self.row(espalier=line(RIGHT), ompi=line(RIGHT | {"us": 2.0}), mpich=line(RIGHT | {"us": 1.0, "right": False}),
                       impi=line(why="out of time"))
        self.assertEqual((row["data"], row["peer"], row["best"], row["ratio"]), ("right", "ompi", 2.0, 1.5))
        self.assertEqual(row["out"], "mpich wrong, impi out of time")
        self.assertEqual((row["clock"], row["memory"]), (2.0, 1 << 30))
        self.assertEqual(list(scale.failures([row], 1.5)), [])
        self.assertIn("1.500 times, at most 1.4", next(scale.failures([row], 1.4)))

    def test_what_is_not_shown_is_told(self):
        alone = self.row(espalier=line(RIGHT), ompi=line(why="failed (134)"))
        self.assertEqual(list(scale.failures([alone], 1.0)),
                         ["reduce of 8 B on 64 ranks: not shown, no selector ended with right data (ompi failed (134))"])
        wrong = self.row(espalier=line(RIGHT | {"right": False}), ompi=line(RIGHT))
        stuck = self.row(espalier=line(why="out of time"), ompi=line(RIGHT))
        self.assertEqual([list(scale.failures([row], 9.0)) for row in (wrong, stuck)],
                         [["reduce of 8 B on 64 ranks: ours: wrong"], ["reduce of 8 B on 64 ranks: ours: out of time"]])
        good, slow = self.row(espalier=line(RIGHT), ompi=line(RIGHT)), self.row(espalier=line(RIGHT), ompi=line(RIGHT | {"us": 2.0}))
        self.assertEqual(scale.in_all([good, slow, alone, wrong, stuck]),
                         "Of 5 calls 3 were right. Beside the best selector 1 were not slower, 1 slower, 3 not compared.")

    def test_the_table_says_for_each_call_how_it_went(self):
        lines = {"reduce:8": {"espalier": line(RIGHT), "ompi": line(RIGHT | {"us": 4.0})},
                 "barrier:0": {"espalier": line(why="out of time"), "ompi": line(RIGHT | {"right": False})}}
        out = io.StringIO()
        with contextlib.redirect_stdout(out):
            scale.show([scale.row_of(64, call, teams) for call, teams in lines.items()], scale.costs_of(64, lines))
        self.assertIn("| 64 | reduce | 8 B | right | 3.0 | 4.0 (ompi) | 0.750 | tree |  | 2 | 1 | 1.00 |\n", out.getvalue())
        self.assertIn("| 64 | barrier | - | out of time | - | - (none) | - |  | ompi wrong | 2 | 1 | 1.00 |\n", out.getvalue())
        self.assertIn("| 64 | espalier | 2 | 1 | 4 | 2 | 1.00 |\n| 64 | ompi | 2 | 1 | 4 | 2 | 1.00 |\n", out.getvalue())


class Options(unittest.TestCase):
    def of(self, *words):
        with unittest.mock.patch.object(sys, "argv", ["scale.py", "build", *words]):
            return scale.arguments()

    def refused(self, *words):
        err = io.StringIO()
        with contextlib.redirect_stderr(err), self.assertRaises(SystemExit):
            self.of(*words)
        return err.getvalue()

    def test_bad_values_are_refused_in_words(self):
        self.assertIn("100 is no multiple of 64", self.refused("--ranks", "1024,100"))
        self.assertIn("0 is no whole number above 0", self.refused("--ranks", "0"))
        self.assertIn("mpi is none of mpich, ompi", self.refused("--peers", "ompi,mpi"))
        self.assertIn("bcast is none of broadcast,", self.refused("--operations", "bcast"))
        self.assertIn("names none", self.refused("--operations", ""))
        self.assertIn("-1 is no whole number above 0", self.refused("--jobs=-1"))
        self.assertIn("name some with --peers", self.refused("--within", "1", "--peers", ""))

    def test_lists_are_read(self):
        options = self.of("--ranks", "128,64,128", "--operations", "reduce,reduce")
        self.assertEqual((options.ranks, options.operations, options.peers), ([128, 64], ["reduce"], list(scale.PEERS)))


if __name__ == "__main__":
    unittest.main()
