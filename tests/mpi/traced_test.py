#!/usr/bin/env python3
"""A trace has each message of each planned call at both its ends, and espalier trace finds the plans in it again.

    traced_test.py MPI LIBRARY TOOL TRACED     LONG_TESTS=1: every case under both MPIs
"""
import json
import pathlib
import shutil
import subprocess
import sys
import tempfile
import unittest

import turns

MPI, LIBRARY, TOOL, TRACED = sys.argv[1:]
sys.path.insert(0, str(pathlib.Path(__file__).parents[1] / "schema"))
import trace_events  # noqa: E402

LAUNCH = pathlib.Path(__file__).with_name("launch.py")
MACHINE = "site:2(10ms,100Mbit/s) proc:2(5us)"
REGULAR = {"broadcast", "allreduce", "barrier"}


def launched(*settings, program=(TRACED,)):
    return subprocess.run([sys.executable, LAUNCH, MPI, "4", LIBRARY, f"ESPALIER_MACHINE={MACHINE}", "ESPALIER_FORCE=1",
                           "ESPALIER_TRIAL=0", *settings, "--", *program], capture_output=True, text=True, check=False)


def has_time_namespaces():
    try:
        return subprocess.run(["unshare", "--fork", "--time", "--monotonic", "5", "true"], capture_output=True, check=False).returncode == 0
    except FileNotFoundError:
        return False


class Traced(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        self.file = pathlib.Path(self.folder.name) / "out.trace"

    def tearDown(self):
        self.folder.cleanup()

    def trace(self, **more):
        ran = launched(f"ESPALIER_TRACE={self.file}", **more)
        self.assertEqual(ran.returncode, 0, ran.stdout + ran.stderr)
        self.assertIn("is in", ran.stderr)
        return json.loads(self.file.read_text()), ran.stderr

    def tool(self, *words):
        ran = subprocess.run([TOOL, *map(str, words)], capture_output=True, text=True, check=False)
        self.assertEqual(ran.returncode, 0, ran.stderr)
        return ran.stdout

    def check_messages(self, trace, residual=0):
        for call in trace["calls"]:
            plan = trace["plans"][call["plan"]]
            m = call["messages"]
            if plan["operation"] in REGULAR:
                self.assertGreater(len(m["from"]), 0, plan)
            for i, source in enumerate(m["from"]):
                send_begin, recv_end = m["send_begin"][i], m["recv_end"][i]
                self.assertIsNotNone(send_begin, (plan, i))
                self.assertIsNotNone(m["send_end"][i], (plan, i))
                self.assertIsNotNone(m["recv_begin"][i], (plan, i))
                self.assertLessEqual(call["begin"][source], send_begin)
                self.assertLessEqual(send_begin, recv_end + residual)
                self.assertLessEqual(recv_end, call["end"][m["to"][i]])
                self.assertLessEqual(m["send_end"][i], call["end"][source])

    def test_every_planned_call_is_there_whole(self):
        trace, said = self.trace()
        self.assertEqual(trace["format"], "espalier-trace-1")
        self.assertEqual(trace["clock"], {"kernels": 1, "residual_ns": 0})
        self.assertEqual(trace["dropped_calls"], 0)
        self.assertGreaterEqual(trace["native_calls"], 0)
        self.assertEqual(f"{trace['native_calls']} native calls" in said, trace["native_calls"] > 0, said)
        self.assertNotIn("clocks", said)
        world = [c for c in trace["calls"] if len(trace["communicators"][c["communicator"]]["members"]) == 4]
        part = [c for c in trace["calls"] if len(trace["communicators"][c["communicator"]]["members"]) == 3]
        self.assertEqual(len(world), 18)
        self.assertEqual([c["number"] for c in world], list(range(18)))
        self.assertEqual(len(part), 3)
        self.assertEqual(trace["communicators"][part[0]["communicator"]]["members"], [3, 2, 1])
        self.check_messages(trace)

    @turns.only("openmpi", MPI)
    def test_the_tool_makes_the_same_plans_again(self):
        self.trace()
        shown = json.loads(self.tool("trace", self.file, "--json"))
        for call in shown["calls"]:
            if call["operation"] in REGULAR:
                self.assertIsNone(call["why_not_simulated"], call)
                self.assertGreater(call["simulated_ps"], 0, call)
            else:
                self.assertIsNotNone(call["why_not_simulated"], call)
        self.assertIn("site0 - site1", [link["link"] for link in shown["links"]])
        self.assertIn("call 1: broadcast of 64 KiB", self.tool("trace", self.file, "--call", 1))

    @turns.only("mpich", MPI)
    def test_other_tools_read_it(self):
        trace, _ = self.trace()
        messages = sum(len(call["messages"]["from"]) for call in trace["calls"])
        document = json.loads(self.tool("trace", self.file, "--perfetto", "-"))
        self.assertEqual(trace_events.wrong(document), [])
        events = document["traceEvents"]
        self.assertEqual(sum(e["ph"] == "s" for e in events), messages)
        self.assertEqual(sum(e["ph"] == "f" for e in events), messages)
        if shutil.which("otf2-print") is None:
            return
        archive = pathlib.Path(self.folder.name) / "archive"
        self.tool("trace", self.file, "--otf2", archive)
        printed = subprocess.run(["otf2-print", archive / "traces.otf2"], capture_output=True, text=True, check=False)
        self.assertEqual(printed.returncode, 0, printed.stderr)
        self.assertEqual(printed.stdout.count("MPI_ISEND "), messages)
        self.assertEqual(printed.stdout.count("MPI_IRECV "), messages)
        again = subprocess.run([TOOL, "trace", self.file, "--otf2", archive], capture_output=True, text=True, check=False)
        self.assertEqual(again.returncode, 2)

    def test_clocks_of_other_kernels_are_compared(self):
        if not has_time_namespaces():
            self.skipTest("no time namespaces here")
        # Half of the processes live a thousand seconds later.
        shell = 'rank=${PMI_RANK:-$OMPI_COMM_WORLD_RANK}; if [ $rank -ge 2 ]; then exec unshare --fork --time --monotonic 1000 "$0"; fi; exec "$0"'
        trace, said = self.trace(program=("/bin/sh", "-c", shell, TRACED))
        self.assertEqual(trace["clock"]["kernels"], 2)
        self.assertGreater(trace["clock"]["residual_ns"], 0)
        self.assertIn("2 clocks were compared", said)
        last = max(max(call["end"]) for call in trace["calls"])
        self.assertLess(last, 900e9)
        residual = trace["clock"]["residual_ns"]
        for call in trace["calls"]:
            m = call["messages"]
            for i in range(len(m["from"])):
                self.assertLessEqual(m["send_begin"][i], m["recv_end"][i] + 2 * residual)

    @turns.only("openmpi", MPI)
    def test_without_the_variable_nothing_is_written(self):
        ran = launched()
        self.assertEqual(ran.returncode, 0, ran.stderr)
        self.assertNotIn("trace", ran.stderr)

    @turns.only("mpich", MPI)
    def test_a_file_that_cannot_be_written_is_said(self):
        ran = launched("ESPALIER_TRACE=/nowhere/at/all")
        self.assertEqual(ran.returncode, 0, ran.stderr)
        self.assertIn("cannot write", ran.stderr)


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
