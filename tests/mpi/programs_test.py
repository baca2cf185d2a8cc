#!/usr/bin/env python3
"""Programs of many kinds with the library preloaded: right, and planned where they can be.

    programs_test.py MPI LIBRARY ESPALIER FOLDER OTHER_PRELOAD

FOLDER holds the test programs as NAME.MPI.
"""
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile
import unittest

MPI, LIBRARY, ESPALIER, FOLDER, OTHER_PRELOAD = sys.argv[1:]
HERE = pathlib.Path(__file__).parent
FORCED = ["ESPALIER_FORCE=1", "ESPALIER_MACHINE=site:2(10ms) proc:2(1us)"]
SYSTEM_PYTHON = "/usr/bin/python3"  # Debian's modules are there


def program(name):
    return os.path.join(FOLDER, f"{name}.{MPI}")


def launch(words, settings=(), library=LIBRARY, ranks=4):
    line = [sys.executable, HERE / "launch.py", MPI, str(ranks), library, *settings, "--", *words]
    return subprocess.run(line, capture_output=True, text=True, check=False)


def has_mpi4py():
    """Whether Debian's mpi4py is there, and for this MPI."""
    found = subprocess.run([SYSTEM_PYTHON, "-c", "from mpi4py import MPI; print(MPI.Get_library_version())"],
                           capture_output=True, text=True, check=False)
    return ("Open MPI" if MPI == "openmpi" else "MPICH") in found.stdout


def fortran_programs():
    return [name for name in ("calls_mpif", "calls_mpi", "calls_f08") if shutil.which(program(name))]


class Programs(unittest.TestCase):
    def assert_all(self, result, line, ranks=4):
        self.assertEqual(result.returncode, 0, result.stderr)
        self.assertEqual(result.stdout.count(line), ranks, result.stdout + result.stderr)

    def test_a_program_with_a_libfmt_of_its_own(self):
        result = launch([program("own_fmt")], FORCED + ["ESPALIER_EXPLAIN=1"])
        self.assert_all(result, "right planned")
        self.assertIn("espalier: 1 calls planned, 0 native", result.stderr)
        self.assertIn("allreduce", result.stderr)

    def test_sessions_without_init(self):
        result = launch([program("sessions")], FORCED)
        self.assert_all(result, "right native")
        self.assertEqual([l for l in result.stderr.splitlines() if "espalier" in l], [])

    def test_python(self):
        if not has_mpi4py():
            self.skipTest(f"mpi4py is not for {MPI} here")
        self.assert_all(launch([SYSTEM_PYTHON, HERE / "with_mpi4py.py"], FORCED), "right planned")

    def test_python_under_espalier_run(self):
        if not has_mpi4py():
            self.skipTest(f"mpi4py is not for {MPI} here")
        launcher = [f"mpiexec.{MPI}"] + (["--allow-run-as-root", "--oversubscribe"] if MPI == "openmpi" else [])
        result = subprocess.run([ESPALIER, "run", "--force", "--", *launcher, "-n", "2", SYSTEM_PYTHON,
                                 HERE / "with_mpi4py.py"], capture_output=True, text=True, check=False)
        self.assert_all(result, "right planned", 2)

    def test_static_programs_are_not_harmed(self):
        if MPI == "openmpi":
            self.skipTest("Debian has no static Open MPI")
        source = "int main(int c, char** v) { MPI_Init(&c, &v); int n = 1, s = 0, p; MPI_Comm_size(MPI_COMM_WORLD, &p);" \
                 "MPI_Allreduce(&n, &s, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD); puts(s == p ? \"right\" : \"wrong\");" \
                 "MPI_Finalize(); return 0; }\n"
        with tempfile.TemporaryDirectory() as folder:
            path = pathlib.Path(folder)
            (path / "a.c").write_text("#include <mpi.h>\n#include <stdio.h>\n" + source)
            found = subprocess.run(["gcc", "-print-file-name=libmpich.a"], capture_output=True, text=True, check=True)
            if not pathlib.Path(found.stdout.strip()).is_absolute():
                self.skipTest("no static MPICH here (Debian 13 has none)")
            include = subprocess.run(["pkg-config", "--cflags", "mpich"], capture_output=True, text=True, check=True)
            built = subprocess.run(["gcc", path / "a.c", "-o", path / "a", *include.stdout.split(), "-Wl,-Bstatic", "-lmpich",
                                    "-Wl,-Bdynamic", "-lpthread", "-lhwloc", "-lucp", "-lucs", "-lm"],
                                   capture_output=True, text=True, check=False)
            self.assertEqual(built.returncode, 0, built.stderr)
            self.assert_all(launch([path / "a"], FORCED), "right")

    def test_shell_scripts(self):
        script = f"for i in 1 2; do ls / | grep -c . >/dev/null; done; exec {program('smoke')}"
        result = launch(["/bin/sh", "-c", script], FORCED)
        self.assertEqual(result.returncode, 0, result.stderr)
        self.assertIn("planned 16 native 0", result.stdout)


class Tools(unittest.TestCase):
    """A profiler before us sees every call, behind us what is native; all still works."""

    def seen(self, first, second, *settings):
        result = launch([program("smoke")], FORCED[:1] + list(settings), f"{first}:{second}", ranks=2)
        self.assertEqual(result.returncode, 0, result.stderr)
        lines = {line for line in result.stderr.splitlines() if line.startswith("other preload")}
        self.assertEqual(len(lines), 1, result.stderr)
        self.assertIn("MPI_Init seen 1 times", lines.copy().pop())
        return int(lines.pop().rsplit(" ", 2)[1])

    def test_in_front_it_sees_all_calls(self):
        self.assertEqual(self.seen(OTHER_PRELOAD, LIBRARY), 16)

    def test_behind_it_sees_none_that_is_planned(self):
        self.assertEqual(self.seen(LIBRARY, OTHER_PRELOAD), 0)

    def test_behind_it_sees_all_that_are_native(self):
        self.assertEqual(self.seen(LIBRARY, OTHER_PRELOAD, "ESPALIER_DISABLE=1"), 16)

    def test_fortran_is_planned_with_a_tool_before_and_behind(self):
        for name in fortran_programs():
            for both in (f"{LIBRARY}:{OTHER_PRELOAD}", f"{OTHER_PRELOAD}:{LIBRARY}"):
                with self.subTest(f"{name} {both}"):
                    result = launch([program(name)], FORCED, both)
                    self.assertEqual(result.returncode, 0, result.stderr)
                    self.assertEqual(result.stdout.count("right"), 4)


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
