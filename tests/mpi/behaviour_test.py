#!/usr/bin/env python3
"""What a user sees of the preloaded library: settings right and wrong, other preloads, failures.

    behaviour_test.py MPI LIBRARY OTHER_PRELOAD SMOKE     LONG_TESTS=1: all cases, each under both MPIs
"""
import itertools
import os
import pathlib
import re
import subprocess
import sys
import tempfile
import unittest

import turns

MPI, LIBRARY, OTHER_PRELOAD, SMOKE = sys.argv[1:]
LAUNCH = pathlib.Path(__file__).with_name("launch.py")
GRID = "site:2(10ms,100Mbit/s) proc:2(1us)"
# By number every tree crosses it twice and more: each operation gains from a plan.
TURNED = "site:3(10ms,100Mbit/s) proc:2(1us) placement=cyclic"


def run(*settings, arguments=(), library=LIBRARY, ranks=4, program=(SMOKE,)):
    return subprocess.run([sys.executable, LAUNCH, MPI, str(ranks), library, *settings, "--", *program, *arguments],
                          capture_output=True, text=True, check=False)


def run_with_another_on_rank_2(shared, setting):
    name, value = setting.split("=", 1)
    script = f'case "${{PMI_RANK-$OMPI_COMM_WORLD_RANK}}" in 2) export {name}="{value}";; esac; exec {SMOKE}'
    return run(*shared, program=["/bin/sh", "-c", script])


class Settings(unittest.TestCase):
    def assert_native(self, result, said=None):
        self.assertEqual(result.returncode, 0, result.stderr)
        self.assertIn("planned 0 native", result.stdout)
        lines = [line for line in result.stderr.splitlines() if line.startswith("espalier:")]
        self.assertEqual(len(lines), 0 if said is None else 1, result.stderr)
        if said is not None:
            self.assertIn(said, lines[0])
            self.assertIn("native", lines[0])

    def test_a_grid_is_planned_once_its_communicator_is_known(self):
        result = run(f"ESPALIER_MACHINE={TURNED}", ranks=6)
        self.assertEqual(result.returncode, 0, result.stderr)
        self.assertIn("planned 15 native 1", result.stdout)  # the first call makes sure it is worth it
        self.assertEqual([l for l in result.stderr.splitlines() if "espalier" in l], [])

    @turns.only("mpich", MPI)
    def test_what_gains_nothing_stays_native(self):
        near = "node:2(50us) proc:2(1us)"  # trees by number are the same there
        result = run(f"ESPALIER_MACHINE={near}", "ESPALIER_EXPLAIN=1")
        self.assertIn("no gain predicted", result.stderr)

    def test_one_host_alone_is_native(self):
        result = run()
        self.assertIn("planned 0 native 16", result.stdout)

    def test_force_plans_on_one_host_too(self):
        self.assertIn("planned 16 native 0", run("ESPALIER_FORCE=1").stdout)

    def test_disable(self):
        self.assert_native(run("ESPALIER_DISABLE=1", f"ESPALIER_MACHINE={GRID}"))

    @turns.only("mpich", MPI)
    def test_disable_and_explain_say_that_all_is_native(self):
        result = run("ESPALIER_DISABLE=1", "ESPALIER_EXPLAIN=1", f"ESPALIER_MACHINE={GRID}")
        self.assertEqual(result.stderr.count("espalier: all calls are native: ESPALIER_DISABLE=1"), 1)

    @unittest.skipIf(MPI != "openmpi", "a setting of Open MPI")
    def test_fault_tolerance_is_named_and_all_is_native(self):
        result = run("OMPI_MCA_mpi_ft_enable=1", "ESPALIER_FORCE=1")
        self.assertIn("fault tolerance is on", result.stderr)
        self.assertNotIn("report this MPI", result.stderr)
        self.assertEqual(result.returncode, 0)
        self.assertIn("planned 0 ", result.stdout)

    @turns.only("mpich", MPI)
    def test_malformed_settings_say_so_once_and_all_is_native(self):
        for setting, said in [("ESPALIER_MACHINE=site:2(", "ESPALIER_MACHINE"),
                              ("ESPALIER_MACHINE=/no/such/file.json", "ESPALIER_MACHINE"),
                              ("ESPALIER_MACHINE=proc:5", "5 processes but MPI_COMM_WORLD has 4"),
                              ("ESPALIER_FORCE=maybe", "ESPALIER_FORCE"),
                              ("ESPALIER_LOG=loud", "ESPALIER_LOG")]:
            with self.subTest(setting):
                self.assert_native(run(setting), said)

    @turns.only("mpich", MPI)
    def test_a_run_without_plans_is_explained_by_its_reason(self):
        with tempfile.TemporaryDirectory() as folder:
            file = pathlib.Path(folder) / "why.txt"
            for setting, said in [("ESPALIER_MACHINE=proc:5", "5 processes but MPI_COMM_WORLD has 4"),
                                  ("ESPALIER_FORCE=maybe", "ESPALIER_FORCE")]:
                with self.subTest(setting):
                    result = run(setting, f"ESPALIER_EXPLAIN={file}")
                    lines = file.read_text().splitlines()
                    self.assertEqual(len(lines), 1, lines)
                    self.assertTrue(lines[0].startswith("espalier: no call was planned: "), lines)
                    self.assertIn(said, lines[0])
                    self.assertEqual(result.stderr.count("no call was planned"), 0, result.stderr)
                    file.unlink()
        result = run("ESPALIER_MACHINE=proc:5", "ESPALIER_EXPLAIN=1")
        self.assertEqual(result.stderr.count("espalier: no call was planned: "), 1, result.stderr)

    @turns.only("mpich", MPI)
    def test_another_rank_with_other_settings_is_the_reason_in_the_explanation(self):
        result = run_with_another_on_rank_2(["ESPALIER_EXPLAIN=1"], "ESPALIER_MACHINE=site:4 proc:1")
        said = "espalier: no call was planned: another rank has other settings"
        self.assertEqual(result.stderr.count(said), 1, result.stderr)

    def test_the_explanation_counts_beyond_an_int_and_keeps_names_from_steering_the_terminal(self):
        result = run("ESPALIER_EXPLAIN=1", arguments=["odd"], ranks=1)
        self.assertEqual(result.returncode, 0, result.stderr)
        self.assertRegex(result.stderr, r"broadcast +2 - [0-9.]+ GiB +odd\[2Jname \(1\)")
        self.assertNotIn("\x1b", result.stderr)

    @turns.only("mpich", MPI)
    def test_a_machine_of_another_size_is_named(self):
        result = run("ESPALIER_MACHINE=proc:5")
        self.assertIn('machine "proc:5" (--machine or ESPALIER_MACHINE)', result.stderr)

    @turns.only("mpich", MPI)
    def test_algorithms_that_there_are_not_are_said_once_and_as_good_as_not_named(self):
        for machine in ([], [f"ESPALIER_MACHINE={GRID}"]) if turns.IS_LONG else ([f"ESPALIER_MACHINE={GRID}"],):
            without = run(*machine)
            for algorithm, said in [("broadcast=sorcery", 'no algorithm "sorcery" for broadcast'),
                                    ("allreduce=rign", 'did you mean "ring"?'),
                                    ("alreduce=ring", 'did you mean "allreduce"?'),
                                    ("ring", "names no operation")]:
                with self.subTest(algorithm, machine=machine):
                    result = run(f"ESPALIER_ALGORITHM={algorithm}", *machine)
                    self.assertEqual(result.returncode, 0, result.stderr)
                    self.assertEqual(result.stdout, without.stdout)
                    lines = [l for l in result.stderr.splitlines() if "espalier" in l]
                    self.assertEqual(len(lines), 1, lines)
                    self.assertIn(said, lines[0])

    @turns.only("mpich", MPI)
    def test_what_another_host_has_alone_is_said_once_and_all_is_native(self):
        for setting, said in [("ESPALIER_MACHINE=site:2(", "ESPALIER_MACHINE on rank 2"),
                              ("ESPALIER_MACHINE=site:4 proc:1", "ESPALIER_MACHINE on rank 2"),
                              ("ESPALIER_FORCE=maybe", "ESPALIER_FORCE on rank 2")]:
            for shared in ([], [f"ESPALIER_MACHINE={GRID}"]) if turns.IS_LONG else ([],):
                with self.subTest(setting, shared=shared):
                    self.assert_native(run_with_another_on_rank_2(shared, setting), said)

    @turns.only("openmpi", MPI)
    def test_different_thread_levels_are_said_once_and_all_is_native(self):
        for shared in ([], ["ESPALIER_FORCE=1"]):
            with self.subTest(shared=shared):
                self.assert_native(run(*shared, arguments=["mixed-threads"]), "MPI_THREAD_MULTIPLE")

    def test_what_only_rank_0_has_holds_for_all(self):
        script = f'case "${{PMI_RANK-$OMPI_COMM_WORLD_RANK}}" in 0) export ESPALIER_FORCE=1;; esac; exec {SMOKE}'
        self.assertIn("planned 16 native 0", run(program=["/bin/sh", "-c", script]).stdout)

    @turns.only("mpich", MPI)
    def test_an_algorithm_can_be_named(self):
        result = run(f"ESPALIER_MACHINE={GRID}", "ESPALIER_ALGORITHM=allreduce=ring,broadcast=binomial 4 KiB",
                     "ESPALIER_FORCE=1", "ESPALIER_EXPLAIN=1")
        self.assertIn("ring (named by ESPALIER_ALGORITHM)", result.stderr)
        self.assertIn("binomial 4 KiB (named by ESPALIER_ALGORITHM)", result.stderr)

    @turns.only("openmpi", MPI)
    def test_one_operation_can_be_left_to_mpi(self):
        for forced in ([], ["ESPALIER_FORCE=1"]):
            with self.subTest(forced=forced):
                result = run(f"ESPALIER_MACHINE={TURNED}", "ESPALIER_ALGORITHM=allreduce=native", "ESPALIER_EXPLAIN=1", *forced, ranks=6)
                self.assertEqual(result.returncode, 0, result.stderr)
                native = [l for l in result.stderr.splitlines() if "native allreduce:" in l]
                self.assertEqual(len(native), 1, result.stderr)
                self.assertIn("(named by ESPALIER_ALGORITHM)", native[0])
                rows = [l for l in result.stderr.splitlines() if l.startswith("  allreduce ")]
                self.assertTrue(rows and all("native (named by ESPALIER_ALGORITHM)" in l for l in rows), result.stderr)
                # Others are planned as without it, and only where nothing is forced they are tried.
                self.assertNotIn("planned 0 ", result.stdout)
                self.assertEqual("trial of broadcast" in result.stderr, not forced, result.stderr)

    @turns.only("mpich", MPI)
    def test_explain_has_a_row_for_every_planned_call(self):
        result = run(f"ESPALIER_MACHINE={GRID}", "ESPALIER_FORCE=1", "ESPALIER_NONBLOCKING=1", "ESPALIER_EXPLAIN=1", arguments=["starts"])
        self.assertEqual(result.returncode, 0, result.stderr)
        rows = [re.search(r" MPI_COMM_WORLD \(4\) +(\d+) +.*\((.*)\)", l) for l in result.stderr.splitlines()]
        planned = [(int(row[1]), row[2]) for row in rows if row and " native (" not in row.string]
        self.assertIn(f"espalier: {sum(calls for calls, _ in planned)} calls planned", result.stderr)
        self.assertEqual([calls for calls, why in planned if why.endswith("; non-blocking")], [3], result.stderr)

    @turns.only("mpich", MPI)
    def test_explain_to_a_file(self):
        with tempfile.TemporaryDirectory() as directory:
            path = os.path.join(directory, "explain.txt")
            run(f"ESPALIER_MACHINE={TURNED}", f"ESPALIER_EXPLAIN={path}", ranks=6)
            text = pathlib.Path(path).read_text()
        self.assertIn("15 calls planned, 1 native", text)
        self.assertIn("first calls on a communicator", text)
        self.assertIn("multilevel", text)

    @turns.only("openmpi", MPI)
    def test_files_have_the_names_that_were_given(self):
        with tempfile.TemporaryDirectory() as directory:
            for name in ("ESPALIER_EXPLAIN", "ESPALIER_TRACE"):
                with self.subTest(name):
                    path = os.fsdecode(os.fsencode(directory) + b"/" + name.encode() + b"\xe9.txt")  # not UTF-8
                    run(f"{name}={path}", "ESPALIER_FORCE=1", ranks=2, program=["/bin/sh", "-c", f"exec {SMOKE} 2>/dev/null"])
                    self.assertTrue(os.path.exists(path), os.listdir(directory))

    def test_a_finalize_that_does_not_come_through_us_still_explains(self):
        result = run(f"ESPALIER_MACHINE={TURNED}", "ESPALIER_EXPLAIN=1", arguments=["past-us"], ranks=6)
        self.assertEqual(result.returncode, 0, result.stderr)
        self.assertIn("15 calls planned, 1 native", result.stderr)

    @turns.only("mpich", MPI)
    def test_the_log_tells_every_new_plan_once(self):
        result = run(f"ESPALIER_MACHINE={GRID}", "ESPALIER_LOG=2")
        self.assertEqual(result.stderr.count("espalier: barrier of 0 B on MPI_COMM_WORLD"), 1, result.stderr)

    @turns.only("mpich", MPI)
    def test_messages_that_cannot_be_written_end_no_program(self):
        for setting in ("ESPALIER_LOG=bad", "ESPALIER_LOG=2", "ESPALIER_EXPLAIN=1", "ESPALIER_ALGORITHM=ring"):
            with self.subTest(setting):
                result = run(setting, "ESPALIER_FORCE=1", program=["/bin/sh", "-c", f"exec {SMOKE} 2>/dev/full"], ranks=2)
                self.assertEqual(result.returncode, 0, result.stderr)
                self.assertIn("planned ", result.stdout)


class Company(unittest.TestCase):
    def test_another_preload_still_sees_its_calls_whatever_the_order(self):
        for both in (f"{LIBRARY}:{OTHER_PRELOAD}", f"{OTHER_PRELOAD}:{LIBRARY}"):
            result = run("ESPALIER_FORCE=1", library=both, ranks=2)
            self.assertEqual(result.returncode, 0, result.stderr)
            self.assertIn("other preload: MPI_Init seen 1 times", result.stderr)
            self.assertIn("planned 16 native 0", result.stdout)

    def test_other_programs_do_not_mind_it(self):
        result = subprocess.run(["/bin/sh", "-c", "echo hello; exec ls /"], capture_output=True, text=True,
                                env={**os.environ, "LD_PRELOAD": LIBRARY}, check=False)
        self.assertEqual(result.returncode, 0, result.stderr)
        self.assertEqual(result.stderr, "")


class Failures(unittest.TestCase):
    def test_a_killed_rank_ends_the_job(self):
        result = run("ESPALIER_FORCE=1", arguments=["kill"])
        self.assertNotIn(result.returncode, (0, 124), result.stderr)

    def test_a_rank_killed_with_calls_under_way_ends_the_job(self):
        result = run("ESPALIER_FORCE=1", "ESPALIER_NONBLOCKING=1", arguments=["kill_pending"])
        self.assertNotIn(result.returncode, (0, 124), result.stderr)

    def test_calls_that_differ_end_in_an_error(self):
        operations, numbers = ("broadcast", "reduce", "allreduce"), ("0", "2", "30")
        for operation, times in itertools.product(operations, numbers) if turns.IS_LONG else zip(operations, numbers):
            with self.subTest(operation, times=times):
                self.assertEqual(self.mismatch(operation, times), 77)

    def test_calls_that_differ_end_in_an_error_in_memory_too(self):
        ways = [(2, "0"), (4, "0"), (4, "1")]
        for number, (operation, times) in enumerate(itertools.product(("broadcast", "reduce", "allreduce"), ("2", "5"))):
            # In turn: each operation in two ways, each way with each operation or number of calls, one half of them under each MPI.
            turn = (number + (MPI == "openmpi")) % len(ways)
            for ranks, once in ways if turns.IS_LONG else ways[turn:turn + 1]:
                with self.subTest(operation, times=times, ranks=ranks, once=once):
                    result = run("ESPALIER_FORCE=1", "ESPALIER_SHARED=1", f"ESPALIER_ONE_COPY={once}",
                                 arguments=["mismatch", operation, times], ranks=ranks)
                    self.assertEqual(result.returncode, 77, result.stderr)

    def test_roots_that_differ_do_not_hang(self):
        self.assertIn(self.mismatch("root", "1"), (0, 77))  # messages that nobody wants may stay unseen

    def mismatch(self, operation, times):
        return run("ESPALIER_FORCE=1", f"ESPALIER_MACHINE={GRID}", arguments=["mismatch", operation, times]).returncode


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
