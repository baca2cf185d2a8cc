#!/usr/bin/env python3
"""What trials found out is kept, used by the next run, and a broken file is passed over with one line.

    verdicts_test.py MPI LIBRARY TRIALS
"""
import json
import pathlib
import subprocess
import sys
import tempfile
import unittest

MPI, LIBRARY, TRIALS = sys.argv[1:]
LAUNCH = pathlib.Path(__file__).with_name("launch.py")


class Verdicts(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        self.file = pathlib.Path(self.folder.name) / "verdicts.json"

    def tearDown(self):
        self.folder.cleanup()

    def run_trials(self):
        # Short calls are tried when there is time for many: 50 ms, and then some thousands of calls.
        ran = subprocess.run([sys.executable, LAUNCH, MPI, "2", LIBRARY, f"ESPALIER_VERDICTS={self.file}",
                              "ESPALIER_EXPLAIN=1", "--", TRIALS, "--calls", "100000", "--comms", "1",
                              "--kinds", "0", "--seconds", "80"],
                             capture_output=True, text=True, check=False)
        if ran.returncode == 77 or "the time is over" in ran.stdout:
            self.skipTest("no trial ended in 80 s on this busy machine")
        self.assertEqual(ran.returncode, 0, ran.stdout + ran.stderr)
        return ran.stderr

    def test_the_next_run_takes_them(self):
        first = self.run_trials()
        self.assertNotIn("found out in an earlier run", first)
        kept = json.loads(self.file.read_text())
        self.assertEqual(kept["format"], "espalier-verdicts-2")
        self.assertGreater(len(kept["verdicts"]), 0)
        self.assertEqual(self.file.stat().st_mode & 0o777, 0o600)
        second = self.run_trials()
        self.assertIn("found out in an earlier run", second)
        again = json.loads(self.file.read_text())
        key = lambda one: {name: value for name, value in one.items() if name != "way"}
        for one in kept["verdicts"]:
            self.assertIn(one["way"], [other["way"] for other in again["verdicts"] if key(other) == key(one)])

    def test_a_broken_file_is_passed_over_and_stays(self):
        self.file.write_text("{ no")
        self.assertIn("ignored, and not written", self.run_trials())
        self.assertEqual(self.file.read_text(), "{ no")  # it may be something else


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
