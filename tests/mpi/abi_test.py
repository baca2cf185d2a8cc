#!/usr/bin/env python3
"""The variant for the standard's own binary interface, with an MPI of one process (abi_stub.c).

    abi_test.py FRONT FOLDER_OF_LIBRARIES HEADERS
"""
import os
import pathlib
import subprocess
import sys
import tempfile
import unittest

FRONT, LIBRARIES, HEADERS = sys.argv[1:]
STUB = pathlib.Path(__file__).with_name("abi_stub.c")
PROGRAM = """#include <mpi.h>
#include <stdio.h>
int MPI_Init(int*, char***); int MPI_Finalize(void); int MPI_Barrier(MPI_Comm);
int MPI_Allreduce(const void*, void*, int, MPI_Datatype, MPI_Op, MPI_Comm);
int main(int c, char** v) {
  int one = 1, sum = 0;
  MPI_Init(&c, &v);
  for (int i = 0; i < 3; ++i) MPI_Allreduce(&one, &sum, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
  MPI_Barrier(MPI_COMM_WORLD);
  puts(sum == 1 ? "right" : "wrong");
  return MPI_Finalize();
}
"""


def run(*words, **settings):
    clean = {k: v for k, v in os.environ.items() if not k.startswith("ESPALIER_") and k != "LD_PRELOAD"}
    return subprocess.run(list(map(str, words)), env=clean | settings, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
                          timeout=400, check=False)


def build(to, *words, text=None):
    done = subprocess.run(["gcc", "-I", HEADERS, *map(str, words), "-o", str(to)], input=text, text=True, stderr=subprocess.PIPE,
                          check=False)
    assert done.returncode == 0, done.stderr


class Standard(unittest.TestCase):
    def made(self, folder, *flags):
        """A stub with what the variant binds; whatever is not in abi_stub.c fails."""
        library = folder / "libmpi_abi.so.0"
        build(folder / "stub.o", "-fPIC", "-c", *flags, STUB)
        names = run("nm", "--defined-only", folder / "stub.o").stdout.split()
        wanted = [line.split()[-1] for line in
                  run("nm", "-D", "--undefined-only", pathlib.Path(LIBRARIES) / "libespalier-mpiabi.so").stdout.splitlines()]
        rest = [name for name in wanted if name.startswith("PMPI_") and name not in names]
        build(library, "-shared", "-fPIC", "-Wl,-soname,libmpi_abi.so.0", folder / "stub.o", "-x", "c", "-",
              text="".join(f"int {name}(void) {{ return 1; }}\n" for name in rest))
        build(folder / "program", "-x", "c", "-", "-x", "none", library, f"-Wl,-rpath,{folder}", text=PROGRAM)
        return folder / "program"

    def check(self, *flags):
        with tempfile.TemporaryDirectory() as name:
            program = self.made(pathlib.Path(name), *flags)
            plain = run(program)
            self.assertEqual((plain.returncode, plain.stdout), (0, "right\nnative calls 4\n"), plain.stderr)
            ours = run(program, LD_PRELOAD=FRONT, ESPALIER_EXPLAIN="1", ESPALIER_MACHINE="proc:1")
            self.assertEqual((ours.returncode, ours.stdout), (0, "right\nnative calls 4\n"), ours.stderr)
            return ours.stderr

    def test_it_starts_and_hands_calls_on(self):
        self.assertIn("espalier: 0 calls planned, 4 native", self.check())

    def test_another_status_makes_all_native(self):
        self.assertIn("is not what its library says; using native collectives", self.check("-DWRONG_STATUS"))

    def test_other_datatypes_make_all_native(self):
        self.assertIn("is not what its library says; using native collectives", self.check("-DWRONG_TYPES"))


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
