#!/usr/bin/env python3
"""The tarball of `make tarball` works where it is unpacked, in a folder with a blank in its name, and needs nothing that another
computer may lack.

    tarball_test.py TARBALL SOURCE
"""
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile
import unittest

TARBALL, SOURCE = pathlib.Path(sys.argv[1]), pathlib.Path(sys.argv[2])
GLIBC = re.compile(r"(libc|libm|libdl|libpthread|librt|libresolv|ld-linux.*)\.so\.\d+$")
MPI = re.compile(r"lib(mpi|mpich|open-rte|open-pal|pmix)\.so\.\d+$")
CXX = re.compile(r"lib(stdc\+\+|gcc_s)\.so\.\d+$")
# Libraries that C++ programs link with: they share the C++ runtime with them.
FOR_CXX = re.compile(r"libespalier-(core|group)")


def run(*words, **options):
    done = subprocess.run([str(word) for word in words], text=True, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                          timeout=1400, **options)
    if done.returncode != 0:
        raise AssertionError(f"{' '.join(map(str, words))}: {done.returncode}\n{done.stdout}\n{done.stderr}")
    return done.stdout


class Tarball(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.temporary = tempfile.TemporaryDirectory()
        cls.folder = pathlib.Path(cls.temporary.name) / "a place"
        cls.folder.mkdir()
        run("tar", "-xf", TARBALL.resolve(), "-C", cls.folder)
        (cls.home,) = cls.folder.iterdir()
        cls.tool = cls.home / "bin" / "espalier"

    @classmethod
    def tearDownClass(cls):
        cls.temporary.cleanup()

    def programs_and_libraries(self):
        for path in sorted([*(self.home / "bin").iterdir(), *(self.home / "lib").glob("*.so*")]):
            if path.is_file() and not path.is_symlink() and path.read_bytes()[:4] == b"\x7fELF":
                yield path, run("readelf", "-dW", path)

    def test_nothing_but_glibc_and_mpi_is_needed(self):
        seen = 0
        for path, dynamic in self.programs_and_libraries():
            seen += 1
            for needed in re.findall(r"\(NEEDED\).*\[(.*)\]", dynamic):
                allowed = GLIBC.match(needed) or MPI.match(needed) or (FOR_CXX.match(path.name) and CXX.match(needed))
                self.assertTrue(allowed, f"{path.name} needs {needed}")
            for where in re.findall(r"\((?:RPATH|RUNPATH)\).*\[(.*)\]", dynamic):
                for folder in where.split(":"):
                    self.assertTrue(folder.startswith("$ORIGIN"), f"{path.name} looks for libraries in {folder}")
        self.assertGreater(seen, 3)

    def test_no_library_shows_what_is_linked_into_it(self):
        for path, _ in self.programs_and_libraries():
            shown = [line.split()[-1] for line in run("nm", "-D", "--defined-only", path).splitlines()]
            wrong = [name for name in shown if name.startswith(("hwloc_", "SCOTCH_", "sqlite3_", "udev_"))]
            self.assertEqual([], wrong, path.name)

    def test_it_says_which_glibc_it_needs(self):
        text = (self.home / "share" / "doc" / "espalier" / "needs.txt").read_text()
        self.assertRegex(text, r"Needs GLIBC 2\.\d+ or newer")

    def test_the_tool_plans(self):
        self.assertTrue(run(self.tool, "version").startswith("espalier "))
        self.assertIn("broadcast", run(self.tool, "plan", "broadcast", "--machine", "site:2(10ms) proc:2(1us)", "--size", "1KiB"))
        machine = self.home / "share" / "espalier" / "machines" / "three-machine-grid.json"
        self.assertIn("processes", run(self.tool, "show", machine))

    def test_programs_run_along_plans(self):
        tried = []
        for mpi in ("mpich", "openmpi"):
            compiler, launcher = f"mpicc.{mpi}", f"mpiexec.{mpi}"
            if not shutil.which(compiler) or not shutil.which(launcher):
                continue
            tried.append(mpi)
            program = self.folder / f"whoami.{mpi}"
            run(compiler, SOURCE / "tests" / "launch" / "whoami.c", "-o", program)
            options = ["--allow-run-as-root", "--oversubscribe"] if mpi == "openmpi" else []
            text = run(self.tool, "run", "--machine", "site:2(10ms) proc:2(1us)", "--force", "--", launcher, *options, "-n",
                       "4", program)
            self.assertEqual(4, len(re.findall(r"^rank \d planned", text, re.MULTILINE)), text)
        self.assertTrue(tried, "no MPI is installed here")

    def test_a_folder_with_a_colon_is_refused(self):
        other = self.folder / "a:b"
        other.mkdir()
        shutil.copytree(self.home, other / "espalier")
        done = subprocess.run([str(other / "espalier" / "bin" / "espalier"), "run", "--mpi", "mpich", "--", "true"], text=True,
                              stdout=subprocess.PIPE, stderr=subprocess.PIPE, env=dict(os.environ), check=False)
        self.assertEqual(2, done.returncode, done)
        self.assertIn('":"', done.stderr)


if __name__ == "__main__":
    unittest.main(argv=[sys.argv[0]])
