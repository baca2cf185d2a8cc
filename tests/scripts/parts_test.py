#!/usr/bin/env python3
"""Configures where parts are missing: what can be built is, and what cannot is refused with one list, before anything compiles.

usage: parts_test.py CMAKE SOURCE
"""
import os
import pathlib
import subprocess
import sys
import tempfile
import unittest

CMAKE, SOURCE = sys.argv[1:3]
LIBRARIES = ("hwloc", "sqlite3", "mpich", "ompi-c", "simgrid")


def module_file(name):
    folder = subprocess.run(["pkg-config", "--variable=pcfiledir", name], capture_output=True, text=True, check=True)
    return pathlib.Path(folder.stdout.strip()) / f"{name}.pc"


def configured(purpose, modules=LIBRARIES, without=()):
    """(exit code, output, the targets) with only these modules of pkg-config, and without these packages of CMake."""
    with tempfile.TemporaryDirectory() as folder:
        folder = pathlib.Path(folder)
        seen = folder / "pkgconfig"
        seen.mkdir()
        for path in {entry for name in LIBRARIES for entry in module_file(name).parent.glob("*.pc")}:
            if path.stem not in LIBRARIES or path.stem in modules:
                (seen / path.name).symlink_to(path)
        hidden = [f"-DCMAKE_DISABLE_FIND_PACKAGE_{name}=ON" for name in without]
        done = subprocess.run([CMAKE, "-S", SOURCE, "-B", folder / "build", "-G", "Ninja", f"-DESPALIER_FOR={purpose}",
                               "-DESPALIER_PAGE=OFF", *hidden],
                              capture_output=True, text=True, check=False, env=dict(os.environ, PKG_CONFIG_LIBDIR=str(seen)))
        targets = ""
        if done.returncode == 0:
            targets = subprocess.run(["ninja", "-C", folder / "build", "-t", "targets", "all"], capture_output=True, text=True,
                                     check=True).stdout
        return done.returncode, done.stdout + done.stderr, targets


class Parts(unittest.TestCase):
    def test_the_demo_needs_no_test_libraries_and_one_mpi(self):
        code, said, targets = configured("demo", ("hwloc", "sqlite3", "mpich", "simgrid"), ("GTest", "benchmark"))
        self.assertEqual(0, code, said)
        self.assertIn("without tests: GoogleTest not found", said)
        self.assertIn("libespalier-mpich.so", targets)
        self.assertNotIn("libespalier-openmpi.so", targets)
        self.assertNotIn("base_test", targets)
        self.assertRegex(targets, r"(?m)^demo: phony")

    def test_a_build_needs_no_simgrid(self):
        code, said, targets = configured("build", ("hwloc", "sqlite3", "ompi-c"))
        self.assertEqual(0, code, said)
        self.assertIn("libespalier-openmpi.so", targets)
        self.assertNotIn("steps.smpi", targets)

    def test_check_names_all_that_is_missing_at_once(self):
        code, said, _ = configured("check", ("hwloc", "sqlite3", "mpich"), ("GTest", "benchmark"))
        self.assertNotEqual(0, code)
        missing = said[said.index("These are missing:"):]
        for what in ("Open MPI, for", "SimGrid 3.32 or newer, for", "GoogleTest, for tests (Debian: libgtest-dev)", "Google Benchmark"):
            self.assertIn(what, missing)
        self.assertNotIn("MPICH, for", missing)

    def test_a_build_needs_some_mpi_and_its_libraries(self):
        code, said, _ = configured("build", ("sqlite3", "simgrid"), ("CLI11",))
        self.assertNotEqual(0, code)
        missing = said[said.index("These are missing:"):]
        for what in ("MPICH or Open MPI", "CLI11, for the command line (Debian: libcli11-dev)", "hwloc, for"):
            self.assertIn(what, missing)


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
