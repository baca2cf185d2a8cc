#!/usr/bin/env python3
"""scripts/uninstall.py removes what its list names, in the prefix and nowhere else.

    uninstall_test.py uninstall.py
"""
import pathlib
import subprocess
import sys
import tempfile
import unittest

SCRIPT = sys.argv.pop(1)


class Uninstall(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        self.prefix = pathlib.Path(self.folder.name) / "prefix"
        (self.prefix / "share" / "espalier").mkdir(parents=True)
        (self.prefix / "bin").mkdir()
        (self.prefix / "bin" / "espalier").write_text("ours")
        self.thesis = pathlib.Path(self.folder.name) / "thesis"
        self.thesis.write_text("years of work")

    def tearDown(self):
        self.folder.cleanup()

    def run_with(self, *names):
        (self.prefix / "share" / "espalier" / "manifest").write_text("".join(f"{name}\n" for name in names))
        return subprocess.run([sys.executable, SCRIPT, str(self.prefix)], stderr=subprocess.PIPE, check=False).returncode

    def test_it_removes_what_was_installed(self):
        (self.prefix / "bin" / "other").write_text("not ours")
        self.assertEqual(self.run_with("bin/espalier", "bin/"), 0)
        self.assertEqual([path.name for path in (self.prefix / "bin").iterdir()], ["other"])

    def test_it_removes_nothing_outside(self):
        for name in ("../thesis", str(self.thesis), "bin/../../thesis"):
            self.assertEqual(self.run_with("bin/espalier", name), 2)
            self.assertTrue(self.thesis.exists() and (self.prefix / "bin" / "espalier").exists())


if __name__ == "__main__":
    unittest.main()
