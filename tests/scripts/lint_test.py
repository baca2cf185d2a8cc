#!/usr/bin/env python3
"""scripts/lint.sh looks for what .clang-tidy says, and ends with an error if that cannot be read.

    lint_test.py SOURCE_DIR
"""
import pathlib
import shutil
import subprocess
import sys
import tempfile
import unittest

SOURCE = pathlib.Path(sys.argv.pop(1)).resolve()
HAS_TIDY = subprocess.run([SOURCE / "scripts/tool.sh", "clang-tidy"], capture_output=True, check=False).returncode == 0


def lint(checks):
    """Exit code and what was said, in a tree without sources whose checks are these."""
    with tempfile.TemporaryDirectory() as root:
        shutil.copytree(SOURCE / "scripts", pathlib.Path(root, "scripts"), ignore=shutil.ignore_patterns("__pycache__"))
        pathlib.Path(root, ".clang-tidy").write_text(checks)
        build = pathlib.Path(root, "build")
        build.mkdir()
        build.joinpath("compile_commands.json").write_text("[]")
        ran = subprocess.run([f"{root}/scripts/lint.sh", build], capture_output=True, text=True, check=False)
        return ran.returncode, ran.stdout + ran.stderr


@unittest.skipUnless(HAS_TIDY, "no clang-tidy here")
class Lint(unittest.TestCase):
    def test_reads_the_checks_of_this_tree(self):
        code, said = lint((SOURCE / ".clang-tidy").read_text())
        self.assertNotIn("cannot read", said)
        self.assertNotEqual(code, 2, said)

    def test_says_that_checks_cannot_be_read(self):
        code, said = lint("Checks: '-*,bugprone-*'\nCheckOptions:\n  - {key: a, value: b  # '}\n  - {key: c, value: d}\n")
        self.assertEqual(code, 2, said)
        self.assertIn("clang-tidy cannot read .clang-tidy", said)


if __name__ == "__main__":
    unittest.main()
